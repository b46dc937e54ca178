//! Command `task-monitor verify`: checks an evidence file by itself, and against log files. It names each byte range that
//! was changed, added or left out.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use coordination::evidence::{EvidenceAgent, EvidenceFault, EvidenceFile, EvidenceScope, PageParts};
use coordination::roster::Roster;
use coordination::text::hidden;
use coordination::time::to_iso;
use coordination::transcript::mask;

use super::export::{LogArgs, ReadLogs};
use crate::web::bundle::page_around_evidence;

/// Something is wrong with the file.
const FAULTS: u8 = 1;
/// Something could not be read.
const UNREADABLE: u8 = 2;
/// Faults that are listed.
const MAX_LISTED: usize = 20;

/// Flags of `verify`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Exit codes: 0 nothing wrong; 1 the file was changed or does not fit the log; \
                        2 something could not be read, or a bad flag")]
pub(super) struct VerifyArgs {
    /// The evidence file.
    file: PathBuf,
    #[command(flatten)]
    logs: LogArgs,
    /// Folder of the dashboard that a page is compared with [default: the one inside this program].
    #[arg(long, value_name = "DIR")]
    bundle: Option<PathBuf>,
}

pub(super) fn run(args: &VerifyArgs) -> anyhow::Result<ExitCode> {
    let (text, code) = match checked(args) {
        Ok(checked) => checked,
        Err(error) => {
            eprintln!("task-monitor: {error:#}");
            return Ok(ExitCode::from(UNREADABLE));
        }
    };
    io::stdout().write_all(text.as_bytes())?;
    Ok(ExitCode::from(code))
}

/// What is printed, and the exit code.
fn checked(args: &VerifyArgs) -> anyhow::Result<(String, u8)> {
    let bytes = std::fs::read(&args.file).with_context(|| format!("cannot read {}", args.file.display()))?;
    let file = match EvidenceFile::read(&bytes) {
        Ok(file) => file,
        Err(faults) => return Ok((report(&faults), FAULTS)),
    };
    let mut text = summary(&file);
    text.push_str("The file is as it was written: the hash of all bytes fits.\n");
    if !file.header.notes.is_empty() {
        let count = file.header.notes.len();
        text.push_str(&format!("It has {count} notes and resolved marks of the dashboard. No log confirms these.\n"));
    }
    if let Some(page) = std::str::from_utf8(&bytes).ok().and_then(PageParts::of) {
        text.push_str(match page_around_evidence(args.bundle.as_deref()) {
            Ok(own) if own == page => "The page around the lines is the one that this program makes.\n",
            _ => {
                "Only the lines were checked. The page around them is not the one that this program makes: what it shows \
                 may be something else. Open the file on a dashboard of your own.\n"
            }
        });
    }
    if args.logs.home.is_none() && args.logs.log.is_empty() {
        text.push_str("Not compared with a log: name one with --home or --log.\n");
        return Ok((text, 0));
    }
    let logs = ReadLogs::read(&args.logs)?;
    text.push_str(&names_note(&file, args.logs.roster()));
    let faults = file.compare(&logs.hub(), &logs.bytes(), mask);
    if faults.is_empty() {
        text.push_str("The log has every line of it at the same place, and no other line that belongs to it.\n");
        return Ok((text, 0));
    }
    text.push_str(&report(&faults));
    Ok((text, FAULTS))
}

/// What to know of the names in the file. They are no lines of the log, and an agent may be renamed: no fault.
fn names_note(file: &EvidenceFile, roster: anyhow::Result<Option<Roster>>) -> String {
    if file.header.agents.is_empty() {
        return String::new();
    }
    let roster = match roster {
        Ok(Some(roster)) => roster,
        Ok(None) => return "Names of agents were not compared: log files have none.\n".to_owned(),
        Err(error) => return format!("Names of agents were not compared: {error:#}.\n"),
    };
    let written = |agent: &EvidenceAgent| {
        let texts = [agent.name.as_deref(), agent.emoji.as_deref()].into_iter().flatten();
        format!("“{}”", plain(&texts.collect::<Vec<_>>().join(" ")))
    };
    let line = |(agent, now): (EvidenceAgent, Option<EvidenceAgent>)| {
        let now = now.as_ref().map_or_else(|| "no name".to_owned(), &written);
        format!(
            "Note: agent {} is {} in the file and has {now} in the home.\n",
            plain(agent.id.as_str()),
            written(&agent)
        )
    };
    let renamed = file.renamed_agents(&roster, mask);
    let more = renamed.len().saturating_sub(MAX_LISTED);
    let mut text: String = renamed.into_iter().take(MAX_LISTED).map(line).collect();
    if more > 0 {
        text.push_str(&format!("and {more} more\n"));
    }
    text
}

/// A text of the file: a file of somebody else must neither control the terminal nor write lines of its own.
fn plain(text: &str) -> String {
    hidden::marked(text).chars().map(|c| if c.is_control() { '\u{FFFD}' } else { c }).collect()
}

fn summary(file: &EvidenceFile) -> String {
    let header = &file.header;
    let EvidenceScope { session, thread, q, since, until } = &header.scope;
    let session = session.as_ref().map(|session| format!("session {}", plain(session.as_str())));
    let of = session.unwrap_or_else(|| "all sessions".to_owned());
    let thread = thread.as_ref().map(|thread| format!(", thread {}", plain(thread.as_str()))).unwrap_or_default();
    let found = q.as_ref().map(|q| format!(" that hold “{}”", plain(q))).unwrap_or_default();
    let time = |name: &str, at: &Option<i64>| at.map(|at| format!(" {name} {}", to_iso(at))).unwrap_or_default();
    let by = header.made_by.as_ref().map(|by| format!(" by {}", plain(by))).unwrap_or_default();
    let note = header.note.as_ref().map(|note| format!("\nNote: {}", plain(note))).unwrap_or_default();
    format!(
        "{} lines of {of}{thread}{found}{}{}, {} with masked texts, made {}{by} with {}.{note}\n",
        header.lines,
        time("from", since),
        time("to", until),
        header.masked,
        to_iso(header.made_at),
        plain(&header.program),
    )
}

fn report(faults: &[EvidenceFault]) -> String {
    let mut text: String = faults.iter().take(MAX_LISTED).map(|fault| format!("{fault}\n")).collect();
    if faults.len() > MAX_LISTED {
        text.push_str(&format!("and {} more\n", faults.len() - MAX_LISTED));
    }
    text
}
