//! English texts of opened files.

use local_monitor::{FileContentKind, TranscriptUse};

use crate::i18n::messages::{EvidenceExtent, FilesFailure, FilesMessages};

pub(in crate::i18n) static FILES: FilesMessages = FilesMessages {
    title: "Opened files",
    shown: |name| format!("You are looking at {name}. Its content does not leave this browser."),
    failed: |failure| match failure {
        FilesFailure::Stopped => {
            "The files cannot be read any further. They may be too large, or the browser may be out of memory."
        }
        FilesFailure::NotLoaded => {
            "The program that reads files could not be loaded. Check the connection and open them again."
        }
        FilesFailure::NotFetched => "The files that this site shows could not be fetched. Load the page again.",
        FilesFailure::UnreadableEvidence => {
            "This evidence file is not whole, or of a version that this program does not know. Nothing of it is shown."
        }
        FilesFailure::NoExchanges => {
            "This is a transcript of OpenClaw without messages or delegations between agents, so there is nothing to \
             show. A monitor shows the session itself, among its OpenClaw sessions."
        }
        FilesFailure::CodingAgentTranscript => {
            "Transcripts of Claude Code and Codex are not read. What these agents do is in files that their hooks \
             write, or on a monitor."
        }
    },
    unread: "Not read: the browser could not open it.",
    unread_files: |n| if n == 1 { "1 file not opened".to_owned() } else { format!("{n} files not opened") },
    reading: "Reading the files",
    read: |percent| format!("{percent}% read"),
    events: |n| if n == 1 { "1 event".to_owned() } else { format!("{n} events") },
    bad_lines: |n| if n == 1 { "1 unreadable line".to_owned() } else { format!("{n} unreadable lines") },
    memory: |size| format!("{size} of memory"),
    last_moment: "Look at the last event",
    details: "File list",
    close: "Close files",
    choose_files: "Open files",
    choose_folder: "Open folder",
    offer_title: "Look at log files without a monitor",
    offer_text: "Drop a coordination log, a transcript of OpenClaw, a zipped home folder or an evidence file here, or \
                 choose one. gzip, zstd, zip and tar are unpacked.",
    recent: "Opened before",
    private: "Files are read in this browser alone and sent nowhere. Categories that you change are gone when you \
              close the files.",
    kind: |kind| match kind {
        FileContentKind::Log => "Coordination log",
        FileContentKind::AgentEvents => "Agent events",
        FileContentKind::Evidence => "Evidence file",
        FileContentKind::Home => "File of a home folder",
        FileContentKind::Sessions => "List of sessions",
        FileContentKind::Transcript => "OpenClaw transcript",
        FileContentKind::CodingAgentTranscript => "Claude Code or Codex transcript",
        FileContentKind::Database => "Database",
        FileContentKind::Unknown => "Unknown file",
    },
    not_read: |kind| match kind {
        FileContentKind::Database => "Not read: only a monitor shows these.",
        FileContentKind::CodingAgentTranscript => {
            "Not read: what these agents do is in files that their hooks write, or on a monitor."
        }
        FileContentKind::Unknown => "Not read: it has no record to show.",
        _ => "",
    },
    torn: |bytes| format!("unfinished last line of {bytes} bytes"),
    transcript: |used, events| match used {
        TranscriptUse::Read { agent, is_assumed } => {
            let agent = match is_assumed {
                true => format!("Read as a transcript of {agent}."),
                false => format!("A transcript of {agent}."),
            };
            match events {
                0 => format!("{agent} It has no messages or delegations between agents."),
                _ => agent,
            }
        }
        TranscriptUse::Superseded { by } => format!("Not read: another file of the same session is read: {by}"),
        TranscriptUse::Copy => "Not read: a backup or a copy. A monitor reads none of these.".to_owned(),
    },
    evidence: |header, made| {
        let extent = EvidenceExtent::of(&header.scope);
        let of = match extent {
            EvidenceExtent::Session => "one session",
            EvidenceExtent::Thread => "one thread",
            EvidenceExtent::Events => "found events",
        };
        let mut facts = vec!["Whole in itself (not compared with the log)".to_owned()];
        facts.push(format!("log lines of {of}: {}, {} of them masked", header.lines, header.masked));
        facts.extend(header.scope.q.iter().map(|q| format!("search “{q}”")));
        if extent != EvidenceExtent::Session {
            facts.push("only a part: statuses may differ from the real ones".to_owned());
        }
        facts.push(format!("as of {made}, when it was made"));
        facts.extend(header.made_by.iter().map(|by| format!("by {by}")));
        facts.push(header.program.clone());
        facts
    },
    evidence_period: |since, until| match (since, until) {
        (Some(since), Some(until)) => format!("from {since} to {until}"),
        (Some(since), None) => format!("from {since}"),
        (None, Some(until)) => format!("up to {until}"),
        (None, None) => String::new(),
    },
    masked_lines: "Masked lines and their places",
    more_masked: |n| if n == 1 { "1 more masked line".to_owned() } else { format!("{n} more masked lines") },
    evidence_title: "Evidence file",
    evidence_text: "One file with all lines of this session as they were written, with their places and hashes.",
    evidence_save: "Save evidence file",
    evidence_extent: "Content",
    evidence_whole: "The whole session",
    evidence_thread: "Only the open thread",
    evidence_format: "Format",
    evidence_html: "HTML: opens in a browser, without a monitor",
    evidence_ndjson: "NDJSON: any change of it can be found",
    evidence_markdown: "Markdown: to read and to print",
    evidence_mask: "Mask tokens, e-mail addresses, phone numbers and private addresses",
    evidence_note: "Note for its readers",
    evidence_with_notes: "Add notes and resolved marks of the dashboard",
    evidence_notes: |n| format!("{n} {}", if n == 1 { "note or resolved mark" } else { "notes and resolved marks" }),
    evidence_holds: |extent, lines, masked| {
        let of = match extent {
            EvidenceExtent::Session => "All log lines of the session",
            EvidenceExtent::Thread => "All log lines of the thread",
            EvidenceExtent::Events => "All log lines of the events found",
        };
        let lines = if lines == 1 { "1 line".to_owned() } else { format!("{lines} lines") };
        match masked {
            0 => format!("{of}: {lines}, no byte left out"),
            masked => format!("{of}: {lines}, {masked} with masked texts"),
        }
    },
    evidence_saved: "Evidence file saved",
    evidence_failed: "The file was not saved",
    evidence_no_page: "This dashboard lacks the file that HTML needs. Save as NDJSON instead.",
    evidence_too_large: |mib| {
        format!("The logs are larger than {mib} MiB, so this page cannot make an evidence file of them. A monitor can.")
    },
    evidence_session: "Session",
    evidence_of_thread: "Thread",
    evidence_query: "Search",
    evidence_time: "Period",
    evidence_lines: "Content",
    evidence_files: "Log files",
    evidence_made: "Made",
    evidence_by: "Made by",
    evidence_own_note: "Note",
    evidence_mark: "Resolved",
    evidence_maker: "Name (optional)",
    evidence_maker_hint: "Stays in the file as its maker",
    more: |n| if n == 1 { "1 more file".to_owned() } else { format!("{n} more files") },
    command: "Open log files",
    folder_command: "Open a log folder",
    also: "file drop upload evidence transcript zip ndjson jsonl",
};
