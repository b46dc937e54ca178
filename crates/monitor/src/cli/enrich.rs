//! Command `task-monitor enrich`: reads log events as NDJSON and adds to each its role, its category, and whether
//! sender and receiver are main agents or sub-agents.

use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Read as _, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use coordination::classify::Classifier;
use coordination::compat;
use coordination::event::{MAX_LINE_BYTES, parse_lines};
use coordination::roster::Roster;

use crate::home::HomeDir;
use crate::sources::workspace::ConfigReader;

/// Flags of `enrich`.
#[derive(Debug, Clone, Args)]
pub(super) struct EnrichArgs {
    /// Which classifier gives the category.
    #[arg(long, value_enum, default_value_t = ClassifierVersion::V2)]
    classifier: ClassifierVersion,
    /// Whose agents count as main [default: openclaw.json of the home, if there is one].
    #[arg(long, value_name = "openclaw.json")]
    config: Option<PathBuf>,
    /// Events, one a line [default: standard input].
    file: Option<PathBuf>,
}

/// Classifiers by version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ClassifierVersion {
    /// Exactly the original 1.x monitor's.
    V1,
    /// The trained one.
    V2,
}

impl From<ClassifierVersion> for Classifier {
    fn from(version: ClassifierVersion) -> Self {
        match version {
            ClassifierVersion::V1 => Self::V1,
            ClassifierVersion::V2 => Self::V2,
        }
    }
}

pub(super) fn run(args: &EnrichArgs) -> anyhow::Result<()> {
    let roster = roster(args.config.as_deref())?;
    let input = input(args.file.as_deref())?;
    let how = (&roster, args.classifier.into());
    enrich(input, how, &mut BufWriter::new(io::stdout().lock()), &mut io::stderr().lock())
}

/// A named file; standard input without a name or for `-`.
pub(super) fn input(file: Option<&Path>) -> anyhow::Result<Box<dyn BufRead>> {
    match file {
        Some(path) if path != Path::new("-") => {
            Ok(Box::new(BufReader::new(File::open(path).with_context(|| format!("cannot read {}", path.display()))?)))
        }
        _ => Ok(Box::new(BufReader::new(io::stdin()))),
    }
}

/// The roster of a named configuration, which must be good, or of the home's, which may be missing.
pub(super) fn roster(config: Option<&Path>) -> anyhow::Result<Roster> {
    let home = HomeDir::resolve(None);
    let mut reader = match config {
        Some(path) => ConfigReader::of_file(home, path.to_path_buf()),
        None => ConfigReader::new(home),
    };
    let loaded = reader.look().0.clone();
    match (loaded.problem, config) {
        (Some(problem), _) => anyhow::bail!("the configuration {} is not usable: {}", problem.path, problem.cause),
        (None, Some(path)) if !path.exists() => anyhow::bail!("there is no configuration {}", path.display()),
        (None, _) => Ok(loaded.roster),
    }
}

/// One output line an event; a bad line is reported with its number and skipped.
fn enrich(
    mut input: impl BufRead,
    (roster, classifier): (&Roster, Classifier),
    out: &mut impl Write,
    trouble: &mut impl Write,
) -> anyhow::Result<()> {
    let mut line = Vec::new();
    for number in 1_u64.. {
        line.clear();
        // A line without end must not fill the memory: one byte more than allowed is enough to refuse it.
        let read = (&mut input).take(MAX_LINE_BYTES as u64 + 2).read_until(b'\n', &mut line)?;
        if read == 0 {
            break;
        }
        if line.len() > MAX_LINE_BYTES + 1 && line.last() != Some(&b'\n') {
            input.skip_until(b'\n')?;
        }
        if line.iter().all(u8::is_ascii_whitespace) {
            continue;
        }
        if line.last() != Some(&b'\n') {
            line.push(b'\n');
        }
        let (events, bad) = parse_lines(&line, "line", number);
        for event in events {
            serde_json::to_writer(&mut *out, &compat::enrich(&event, roster, classifier))?;
            out.write_all(b"\n")?;
        }
        for error in bad {
            let sample: String = error.sample.chars().take(120).flat_map(char::escape_debug).collect();
            writeln!(trouble, "line {number}: {}: {sample}", error.reason.as_str())?;
        }
    }
    Ok(out.flush()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(text: &str) -> (Vec<serde_json::Value>, String) {
        let roster = Roster::parse(r#"{agents:{list:[{id:"eden"},{id:"seum"}]}}"#, &mut |_| Err(String::new()));
        let (mut out, mut trouble) = (Vec::new(), Vec::new());
        enrich(text.as_bytes(), (&roster.expect("roster"), Classifier::V1), &mut out, &mut trouble).expect("enrich");
        let lines = String::from_utf8(out).expect("utf-8");
        let values = lines.lines().map(|line| serde_json::from_str(line).expect("json")).collect();
        (values, String::from_utf8(trouble).expect("utf-8"))
    }

    #[test]
    fn bad_line_is_reported_with_its_number() {
        let good = r#"{"type":"a2a.send","agentId":"eden","ts":1,"data":{"fromAgent":"eden","toAgent":"seum","message":"fix"}}"#;
        let (values, trouble) = over(&format!("{good}\nnonsense\n\n{good}"));
        assert_eq!(values.len(), 2);
        assert_eq!(values[1]["collabCategory"], "engineering_build");
        assert_eq!(values[1]["eventRole"], "conversation.main");
        assert!(trouble.starts_with("line 2: notJson"), "{trouble}");
        assert_eq!(trouble.lines().count(), 1, "{trouble}");
    }

    #[test]
    fn endless_line_is_refused_and_neighbour_processed() {
        let long = "x".repeat(MAX_LINE_BYTES + 10);
        let (values, trouble) = over(&format!("{long}\n{{\"type\":\"event.one\"}}\n"));
        assert_eq!(values.len(), 1);
        assert!(trouble.starts_with("line 1: "), "{trouble}");
    }
}
