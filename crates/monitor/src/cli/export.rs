//! Command `task-monitor export`: writes an evidence file, the lines of the log that a session, thread, search or period consists
//! of, with their places and hashes. `verify` checks it.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;
use coordination::api::{EvidenceFormat, SharedRecord};
use coordination::event::parse_lines;
use coordination::evidence::{self, EvidenceFile, EvidenceHeader, EvidenceScope, LogBytes};
use coordination::hub::Hub;
use coordination::ids::{SessionId, ThreadId};
use coordination::roster::Roster;
use coordination::time::parse_iso;
use coordination::transcript::mask;

use super::sessions::{log_names, roster_of};
use crate::clock::ServerClock;
use crate::core::overrides::read_shared_records;
use crate::home::HomeDir;
use crate::web::bundle::page_around_evidence;

/// Where logs are read.
#[derive(Debug, Clone, Args)]
pub(super) struct LogArgs {
    /// A home: all its archives and the live log [default: as for serve].
    #[arg(long, value_name = "DIR", conflicts_with = "log")]
    pub(super) home: Option<PathBuf>,
    /// Log files instead of a home.
    #[arg(long, value_name = "FILE")]
    pub(super) log: Vec<PathBuf>,
}

impl LogArgs {
    /// Agents of the home; none of log files alone.
    ///
    /// # Errors
    /// When its configuration is not usable.
    pub(super) fn roster(&self) -> anyhow::Result<Option<Roster>> {
        match self.log.is_empty() {
            true => roster_of(&HomeDir::resolve(self.home.as_deref())).map(Some),
            false => Ok(None),
        }
    }
}

/// Flags of `export`.
#[derive(Debug, Clone, Args)]
pub(super) struct ExportArgs {
    #[command(flatten)]
    logs: LogArgs,
    /// A work session; without it lines of all sessions.
    #[arg(long, value_name = "ID", required_unless_present_any = ["search", "since", "until"])]
    session: Option<String>,
    /// A thread of the session.
    #[arg(long, value_name = "ID", requires = "session")]
    thread: Option<String>,
    /// Lines of events that hold all these words.
    #[arg(long, value_name = "WORDS", value_parser = words)]
    search: Option<String>,
    /// From this time on: an ISO time or epoch milliseconds.
    #[arg(long, value_name = "TIME", value_parser = time)]
    since: Option<i64>,
    /// Up to this time.
    #[arg(long, value_name = "TIME", value_parser = time)]
    until: Option<i64>,
    /// Mask tokens, e-mail addresses, phone numbers and addresses of private hosts.
    #[arg(long)]
    mask: bool,
    /// Add the notes and resolved marks about the session, its threads and the messages in the file.
    #[arg(long, conflicts_with = "log")]
    notes: bool,
    /// Who makes the file.
    #[arg(long, value_name = "NAME")]
    by: Option<String>,
    /// A note for its readers.
    #[arg(long, value_name = "TEXT")]
    note: Option<String>,
    /// How the file is written: as lines of JSON, or as a page that shows them without a monitor.
    #[arg(long, value_name = "FORMAT", default_value = "ndjson", value_parser = format)]
    format: EvidenceFormat,
    /// Folder of the dashboard for `--format html` [default: the one inside this program].
    #[arg(long, value_name = "DIR")]
    bundle: Option<PathBuf>,
    /// File to write [default: standard output].
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// The time at which the file is made.
    #[arg(long, value_name = "EPOCH_MS")]
    clock: Option<i64>,
}

fn format(text: &str) -> Result<EvidenceFormat, String> {
    text.parse().map_err(|()| format!("there are {}", EvidenceFormat::ALL.map(EvidenceFormat::as_str).join(" and ")))
}

fn words(text: &str) -> Result<String, String> {
    if text.trim().is_empty() { Err("no words".to_owned()) } else { Ok(text.to_owned()) }
}

fn time(text: &str) -> Result<i64, String> {
    let at = text.parse().ok().or_else(|| parse_iso(text));
    at.ok_or_else(|| "not an ISO time and not epoch milliseconds".to_owned())
}

pub(super) fn run(args: &ExportArgs) -> anyhow::Result<()> {
    let logs = ReadLogs::read(&args.logs)?;
    let session = args.session.clone().map(SessionId::from);
    let scope = EvidenceScope {
        session: session.clone(),
        thread: args.thread.clone().map(ThreadId::from),
        q: args.search.clone(),
        since: args.since,
        until: args.until,
    };
    let made_at = ServerClock::from_option(args.clock).now_ms();
    let header = EvidenceHeader {
        made_by: args.by.clone(),
        note: args.note.clone(),
        ..EvidenceHeader::new(scope, made_at, format!("task-monitor {}", crate::version::VERSION))
    };
    let events = evidence::events(&logs.hub(), &header.scope);
    let events = events
        .with_context(|| format!("no such session or thread in the log: {}", session.clone().unwrap_or_default()))?;
    let mask = args.mask.then_some(mask as fn(&str) -> String);
    let file = EvidenceFile::collect(&events, &logs.bytes(), header, mask);
    let mut file = file.map_err(|place| anyhow::anyhow!("{place}: the log was changed while it was read"))?;
    anyhow::ensure!(!file.lines.is_empty(), "no line of the log belongs to that");
    match args.logs.roster() {
        Ok(roster) => file.name_agents(&roster.unwrap_or_default(), mask),
        // The lines are what the file is for.
        Err(error) => eprintln!("the agents are not named: {error:#}"),
    }
    if args.notes {
        file.add_notes(notes(&args.logs, session.as_ref())?, &logs.bytes(), mask);
    }
    let text = match args.format {
        EvidenceFormat::Html => file.to_html(&page_around_evidence(args.bundle.as_deref())?),
        EvidenceFormat::Ndjson => file.to_text(),
    };
    match &args.output {
        None => std::io::stdout().write_all(text.as_bytes())?,
        Some(path) => {
            std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
            let EvidenceHeader { lines, masked, notes, .. } = &file.header;
            let notes = if notes.is_empty() { String::new() } else { format!(", {} notes", notes.len()) };
            eprintln!("{}: {lines} lines, {masked} masked{notes}", path.display());
        }
    }
    Ok(())
}

/// Notes and resolved marks of a session of the home, or of all.
fn notes(args: &LogArgs, session: Option<&SessionId>) -> anyhow::Result<Vec<SharedRecord>> {
    let home = HomeDir::resolve(args.home.as_deref());
    let path = home.shared_records();
    let (records, bad) = read_shared_records(&home).with_context(|| format!("cannot read {}", path.display()))?;
    if bad > 0 {
        eprintln!("{bad} lines of {} cannot be read", path.display());
    }
    let is_of = |record: &SharedRecord| {
        record.content.place().is_some_and(|place| session.is_none_or(|session| place.work_session_id == *session))
    };
    Ok(records.all().into_iter().filter(is_of).collect())
}

/// Log files, read whole.
pub(super) struct ReadLogs(Vec<(String, Vec<u8>)>);

impl ReadLogs {
    /// Reads the files, or those of a home: archives first, in order of their names.
    ///
    /// # Errors
    /// When one of them cannot be read, or the home has no log.
    pub(super) fn read(args: &LogArgs) -> anyhow::Result<Self> {
        let mut logs = Vec::new();
        for path in &args.log {
            let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
            logs.push((name, std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))?));
        }
        if logs.is_empty() {
            let home = HomeDir::resolve(args.home.as_deref());
            let (folder, mut names) = log_names(&home)?;
            let live = home.live_log();
            names.sort_by(|a, b| (live.ends_with(a), a).cmp(&(live.ends_with(b), b)));
            for name in names {
                let path = home.logs().join(&name);
                let bytes = folder.read(&name, u64::MAX).with_context(|| format!("cannot read {}", path.display()))?;
                logs.push((name, bytes));
            }
            anyhow::ensure!(!logs.is_empty(), "there is no log in {}", home.logs().display());
        }
        Ok(Self(logs))
    }

    /// The state that follows from them, each file under its name.
    pub(super) fn hub(&self) -> Hub {
        let mut hub = Hub::new();
        for (name, bytes) in &self.0 {
            hub.load(parse_lines(bytes, name, 0).0);
        }
        hub
    }

    pub(super) fn bytes(&self) -> Vec<LogBytes<'_>> {
        self.0.iter().map(|(name, bytes)| LogBytes { token: name, name, bytes }).collect()
    }
}
