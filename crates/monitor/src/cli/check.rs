//! Command `task-monitor check`: runs the event doctor, which finds damage and contradictions in log lines, over files,
//! a home's logs or standard input. It prints a report as text or JSON.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use clap::Args;
use coordination::api::{CheckReport, FileCheck, Finding, FindingKind, FindingLevel};
use coordination::doctor::{Doctor, Feed};

use crate::clock::ServerClock;
use crate::fs::sandbox::Dir;
use crate::home::HomeDir;

/// Something was found.
const FINDINGS: u8 = 1;
/// Something could not be read.
const UNREADABLE: u8 = 2;

/// Flags of `check`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Exit codes: 0 nothing wrong; 1 problems or warnings (with --strict also notes); \
                        2 something could not be read, or a bad flag")]
pub(super) struct CheckArgs {
    /// Log files, `-` for standard input [default: every log of the home, archives first].
    #[arg(conflicts_with = "home")]
    files: Vec<PathBuf>,
    /// A home: all its archives and the live log [default: as for serve].
    #[arg(long, value_name = "DIR")]
    home: Option<PathBuf>,
    /// Print the report as JSON.
    #[arg(long)]
    json: bool,
    /// Let notes count as findings too.
    #[arg(long)]
    strict: bool,
    /// The time after which a time lies in the future.
    #[arg(long, value_name = "EPOCH_MS")]
    clock: Option<i64>,
}

/// Findings of the readable files, and why the others could not be read.
struct CheckOutcome {
    report: CheckReport,
    unreadable: Vec<anyhow::Error>,
}

pub(super) fn run(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let now = ServerClock::from_option(args.clock).now_ms();
    let inputs: Vec<(String, CheckInput)> = if args.files.is_empty() {
        match logs(&HomeDir::resolve(args.home.as_deref())) {
            Ok(inputs) => inputs,
            Err(error) => {
                eprintln!("task-monitor: {error:#}");
                return Ok(ExitCode::from(UNREADABLE));
            }
        }
    } else {
        args.files.iter().map(|path| named(path)).collect()
    };
    let outcome = examine(&inputs, now, &mut io::stdin().lock());
    let mut out = io::stdout().lock();
    if args.json {
        serde_json::to_writer_pretty(&mut out, &outcome.report)?;
        writeln!(out)?;
    } else {
        write!(out, "{}", page(&outcome.report))?;
    }
    for error in &outcome.unreadable {
        eprintln!("task-monitor: {error:#}");
    }
    Ok(ExitCode::from(code(&outcome, args.strict)))
}

/// Where lines come from.
#[derive(Debug, Clone)]
enum CheckInput {
    Standard,
    /// A file by its name; it may be a pipe.
    Named(PathBuf),
    /// A log of a home: its open folder, and the path people know it by.
    Of(Arc<Dir>, PathBuf),
}

/// The input of a path on the command line and the name it is reported by; `-` is standard input.
fn named(path: &Path) -> (String, CheckInput) {
    if path == Path::new("-") {
        ("standard input".to_owned(), CheckInput::Standard)
    } else {
        (path.display().to_string(), CheckInput::Named(path.to_path_buf()))
    }
}

/// Inputs by the name they are reported by.
fn examine(inputs: &[(String, CheckInput)], now: i64, stdin: &mut impl Read) -> CheckOutcome {
    let mut doctor = Doctor::default();
    let mut unreadable = Vec::new();
    for (name, input) in inputs {
        let read = match input {
            CheckInput::Standard => feed(&mut doctor, name, stdin, now),
            CheckInput::Named(path) => File::open(path).and_then(|mut file| feed(&mut doctor, name, &mut file, now)),
            CheckInput::Of(folder, path) => {
                let opened = folder.open(path.file_name().unwrap_or_default());
                opened.and_then(|(mut file, _)| feed(&mut doctor, name, &mut file, now))
            }
        };
        if let Err(error) = read {
            let shown = if let CheckInput::Of(_, path) = input { path.display().to_string() } else { name.clone() };
            unreadable.push(anyhow::Error::new(error).context(format!("cannot read {shown}")));
        }
    }
    CheckOutcome { report: doctor.report(), unreadable }
}

fn feed(doctor: &mut Doctor, name: &str, input: &mut impl Read, now: i64) -> io::Result<()> {
    let mut feed = Feed::new(doctor.file(name, name));
    let mut buffer = vec![0; 256 * 1024];
    loop {
        match input.read(&mut buffer) {
            Ok(0) => break,
            Ok(filled) => feed.push(doctor, &buffer[..filled], now),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    feed.finish(doctor);
    Ok(())
}

fn code(outcome: &CheckOutcome, strict: bool) -> u8 {
    let counts = |finding: &Finding| strict || finding.level != FindingLevel::Note;
    match outcome {
        CheckOutcome { unreadable, .. } if !unreadable.is_empty() => UNREADABLE,
        CheckOutcome { report, .. } if report.all.findings.iter().any(counts) => FINDINGS,
        _ => 0,
    }
}

/// Every log of a home, archives first.
fn logs(home: &HomeDir) -> anyhow::Result<Vec<(String, CheckInput)>> {
    let (folder, mut names) = super::sessions::log_names(home)?;
    anyhow::ensure!(!names.is_empty(), "there is no log in {}", home.logs().display());
    let (folder, live) = (Arc::new(folder), home.live_log());
    names.sort_by(|a, b| (live.ends_with(a), a).cmp(&(live.ends_with(b), b)));
    let input = |name: String| (name.clone(), CheckInput::Of(Arc::clone(&folder), home.logs().join(name)));
    Ok(names.into_iter().map(input).collect())
}

/// The report for people: the findings, then the table.
fn page(report: &CheckReport) -> String {
    let mut page = String::new();
    for finding in &report.all.findings {
        page.push_str(&format!("{:<8} {:>6}  {}\n", word(finding.level), finding.count, phrase(finding.kind)));
        for sample in &finding.samples {
            page.push_str(&format!("                 {}, byte {}", sample.file, sample.offset));
            // The detail explains the note; the line itself would only push the rest out of sight.
            let room = if finding.level == FindingLevel::Note { 0 } else { 80 };
            let text: String = sample.text.chars().take(room).collect();
            for part in [&sample.detail, &text].into_iter().filter(|part| !part.is_empty()) {
                page.push_str(&format!("  {part}"));
            }
            page.push('\n');
        }
        let more = finding.count.saturating_sub(finding.samples.len() as u64);
        if more > 0 {
            page.push_str(&format!("                 and {more} more\n"));
        }
    }
    if !page.is_empty() {
        page.push('\n');
    }
    page + &table(report)
}

fn table(report: &CheckReport) -> String {
    let rows = || report.files.iter();
    let width = rows().map(|file| file.name.chars().count()).max().unwrap_or(0).max("in all".len());
    let row = |name: &str, cells: [String; 4]| {
        let [events, problems, warnings, notes] = cells;
        format!("{name:width$}  {events:>9}  {problems:>8}  {warnings:>8}  {notes:>8}\n")
    };
    let cells = |file: &FileCheck| [file.events, file.problems, file.warnings, file.notes].map(|n| n.to_string());
    let mut table = row("file", ["events", "problems", "warnings", "notes"].map(str::to_owned));
    for file in rows() {
        table.push_str(&row(&file.name, cells(file)));
    }
    if report.files.len() != 1 {
        let sum = |pick: fn(&FileCheck) -> u64| rows().map(pick).sum();
        let all = FileCheck {
            events: report.all.events,
            problems: sum(|file| file.problems),
            warnings: sum(|file| file.warnings),
            notes: sum(|file| file.notes),
            ..FileCheck::default()
        };
        table.push_str(&row("in all", cells(&all)));
    }
    table
}

fn word(level: FindingLevel) -> &'static str {
    match level {
        FindingLevel::Problem => "problem",
        FindingLevel::Warning => "warning",
        FindingLevel::Note => "note",
    }
}

fn phrase(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Unparsable => "lines that are no event; they are skipped",
        FindingKind::Nul => "lines with NUL bytes, as a power cut leaves them",
        FindingKind::NotUtf8 => "lines with bytes that are not UTF-8; they are shown as U+FFFD",
        FindingKind::Glued => "lines with more than one record; the records are taken apart",
        FindingKind::Torn => "the last line has no end; its writer is still at it, or died",
        FindingKind::Bom => "lines that begin with a byte order mark",
        FindingKind::Crlf => "lines that end with CR LF, as an editor leaves them",
        FindingKind::ClockJump => "time goes back by more than a minute from one line to the next",
        FindingKind::SuspiciousTime => "no usable time, or one in seconds, far in the past or in the future",
        FindingKind::Truncated => "texts that the writer cut",
        FindingKind::LongId => "ids of more than 256 bytes; they are shown by their beginning and a digest",
        FindingKind::Duplicate => "possible duplicates: lines equal to an earlier one (which is legal)",
        FindingKind::UnknownType => "event types that are not in the catalogue; they are kept and shown",
        FindingKind::MissingRole => "messages without a role; it is derived",
        FindingKind::MissingSessionTypes => "messages without session types; they are derived",
        FindingKind::WorkSessionChanged => "conversations that change their work session",
        FindingKind::DepthSkipped => "delegations whose depth does not follow from what caused them",
        FindingKind::MissingWorkSession => "messages without a work session; they get one per conversation",
        FindingKind::Unknown => "findings of a kind that this build does not know",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: i64 = 1_771_651_020_000;

    fn over(text: &str) -> CheckOutcome {
        examine(&[named(Path::new("-"))], NOW, &mut text.as_bytes())
    }

    #[test]
    fn exit_code_reports_clean_findings_or_unreadable() {
        let clean = "{\"type\":\"task.started\",\"agentId\":\"eden\",\"ts\":1771640000000,\"data\":{}}\n";
        assert_eq!((code(&over(clean), false), code(&over(clean), true)), (0, 0));
        let note = clean.replace("task.started", "custom.thing");
        assert_eq!((code(&over(&note), false), code(&over(&note), true)), (0, 1));
        let warning = clean.replace("1771640000000", "1771640000");
        assert_eq!(code(&over(&warning), false), 1);
        assert_eq!(code(&over("nonsense\n"), false), 1);
        let missing = ["-", "/nowhere/at/all"].map(|name| named(Path::new(name)));
        let outcome = examine(&missing, NOW, &mut "nonsense\n".as_bytes());
        assert_eq!(
            (code(&outcome, false), outcome.report.all.findings.len()),
            (2, 1),
            "the others are read all the same"
        );
    }

    #[test]
    fn the_page_names_places_and_adds_up() {
        let text =
            "{\"type\":\"task.started\",\"ts\":1771640000000}\nnonsense\n{\"type\":\"custom.thing\",\"ts\":17}\n";
        expect_test::expect![[r#"
            problem       1  lines that are no event; they are skipped
                             standard input, byte 43  notJson  nonsense
            warning       1  no usable time, or one in seconds, far in the past or in the future
                             standard input, byte 52  seconds: 17  {"type":"custom.thing","ts":17}
            note          1  event types that are not in the catalogue; they are kept and shown
                             standard input, byte 52  custom.thing

            file               events  problems  warnings     notes
            standard input          2         1         1         1
        "#]]
        .assert_eq(&page(&over(text).report));
    }
}
