//! Content of the data panel, without its components: a summary sentence, and sections of labelled texts (unread lines
//! and files, findings, connection, log, overrides). A text about a file names the file, and the position if there is
//! one.

use std::sync::Arc;

use coordination::api::{
    ConfigState, FindingLevel, FindingSample, FleetLink, FleetMachine, Following, Health, SourceInfo, SourceState,
    StoreInfo, StoreState, Writes,
};
use coordination::text::hidden;

use crate::app::notices::clock_trouble;
use crate::components::machine_state::{machine_notice, state_style};
use crate::i18n::messages::{DataMessages, Messages};
use crate::i18n::{Locale, number, time};
use crate::state::{Connection, Transport};
use crate::ui::{Icon, Tone};

/// Version of the page.
const PAGE_VERSION: &str = env!("CARGO_PKG_VERSION");

/// State of the data when the panel is drawn.
pub(super) struct DataPanelState {
    pub(super) link: Connection,
    /// When the last message was received.
    pub(super) last_received: Option<i64>,
    /// The monitor speaks only 1.x.
    pub(super) compat: bool,
    /// The newest answer, which may be old.
    pub(super) health: Option<Arc<Health>>,
    /// File status of the newest live frame.
    pub(super) source: Option<SourceInfo>,
    /// The newest request failed.
    pub(super) failed: bool,
    pub(super) now: i64,
}

/// One heading and its facts.
pub(super) struct FactSection {
    pub(super) title: &'static str,
    pub(super) facts: Vec<Fact>,
}

/// One line of the panel.
pub(super) struct Fact {
    pub(super) label: String,
    pub(super) value: String,
    /// Rest for what is in order.
    pub(super) tone: Tone,
    /// Place and what it holds.
    pub(super) places: Vec<(String, String)>,
}

fn fact(label: &str, value: impl Into<String>) -> Fact {
    Fact { label: label.to_owned(), value: value.into(), tone: Tone::Neutral, places: Vec::new() }
}

fn marked(label: &str, value: impl Into<String>, tone: Option<Tone>) -> Fact {
    Fact { tone: tone.unwrap_or(Tone::Neutral), ..fact(label, value) }
}

/// The one sentence above all.
pub(super) fn verdict(words: &Messages, locale: Locale, panel: &DataPanelState) -> (Tone, Icon, String) {
    let data = words.data();
    let down = !matches!(panel.link, Connection::Live { .. } | Connection::Connecting | Connection::Files);
    if down || (panel.failed && !panel.compat) {
        let at = panel.last_received.map_or_else(|| words.shell.never_seen.to_owned(), |at| time::exact(locale, at));
        return (Tone::Danger, Icon::Offline, (data.as_of)(&at));
    }
    if panel.compat {
        return (Tone::Info, Icon::Help, data.not_reported_here.to_owned());
    }
    let Some(health) = &panel.health else { return (Tone::Neutral, Icon::Clock, data.asking.to_owned()) };
    if let Some(machine) = health.machine.as_ref().filter(|machine| !machine.is_current()) {
        let style = state_style(machine.state);
        return (style.tone, style.icon, machine_notice(machine, panel.now, words));
    }
    match health.source.state {
        SourceState::Ok => {}
        state => return (Tone::Warning, Icon::Warn, (data.source_state)(state).to_owned()),
    }
    // A wrong clock makes every status doubtful; bad lines and unread files are listed below as well.
    if let Some(ahead) = health.source.events_ahead_ms(panel.now) {
        return (Tone::Warning, Icon::Clock, clock_trouble(&words.shell, locale, ahead));
    }
    if health.bad_lines > 0 {
        let count = (data.lines)(&time::count(locale, health.bad_lines));
        return (Tone::Warning, Icon::Warn, format!("{}: {count}", data.unread_lines));
    }
    let failing = health.alerts.iter().flat_map(|alerts| &alerts.failing);
    let failing: Vec<&str> = failing.map(String::as_str).collect();
    if !failing.is_empty() && health.unreadable.is_empty() {
        return (Tone::Warning, Icon::Warn, (data.alerts_failing)(&hidden::marked(&failing.join(", "))));
    }
    if health.unreadable.is_empty() {
        (Tone::Success, Icon::Ok, data.all_well.to_owned())
    } else {
        (Tone::Warning, Icon::Warn, format!("{}: {}", data.unread_files, health.unreadable.len()))
    }
}

/// Everything else.
pub(super) fn sections(words: &Messages, locale: Locale, panel: &DataPanelState) -> Vec<FactSection> {
    let data = words.data();
    let health = panel.health.as_deref();
    let mut sections = Vec::new();
    if let Some(machine) = health.and_then(|health| health.machine.as_ref()) {
        sections.push(FactSection { title: words.common.machine, facts: of_machine(words, locale, panel, machine) });
    }
    // What somebody may have to do something about comes first.
    if let Some(health) = health {
        sections.push(FactSection { title: data.unread, facts: unread(data, locale, health) });
        sections.push(FactSection { title: data.check, facts: check(data, locale, health) });
    }
    sections.push(FactSection { title: data.link, facts: link(words, locale, panel) });
    if let Some(source) = health.map(|health| &health.source).or(panel.source.as_ref()).filter(|_| !panel.compat) {
        sections.push(FactSection { title: data.log, facts: log(words, locale, panel, source) });
    }
    if let Some(health) = health {
        sections.push(FactSection { title: data.overrides, facts: overrides(data, locale, health.overrides.as_ref()) });
    }
    sections
}

fn when(locale: Locale, panel: &DataPanelState, at: Option<i64>, never: &str) -> String {
    at.map_or_else(
        || never.to_owned(),
        |at| format!("{} ({})", time::relative(locale, panel.now, at), time::exact(locale, at)),
    )
}

/// State of the machine whose mirror this is.
fn of_machine(words: &Messages, locale: Locale, panel: &DataPanelState, machine: &FleetMachine) -> Vec<Fact> {
    let (data, fleet) = (words.data(), words.fleet());
    let trouble = (!machine.is_current()).then_some(Tone::Warning);
    let state = match machine.link {
        FleetLink::Connected => (fleet.state_hint)(machine.state),
        FleetLink::Connecting => fleet.connecting,
        FleetLink::Lost => fleet.lost,
    };
    let mut facts = vec![
        fact(words.common.machine, hidden::marked(&machine.name)),
        marked(data.state, state, trouble),
        fact(fleet.last_seen, when(locale, panel, machine.last_seen, fleet.not_yet)),
    ];
    let numbers = [
        (fleet.size_behind, machine.bytes_behind, number::bytes(machine.bytes_behind)),
        (fleet.holes, machine.bytes_missing, number::bytes(machine.bytes_missing)),
        (fleet.refused_messages, machine.refused, time::count(locale, machine.refused)),
    ];
    let present = numbers.into_iter().filter(|(_, number, _)| *number > 0);
    facts.extend(present.map(|(label, _, text)| marked(label, text, Some(Tone::Warning))));
    facts
}

fn link(words: &Messages, locale: Locale, panel: &DataPanelState) -> Vec<Fact> {
    let data = words.data();
    let (way, tone) = match panel.link {
        Connection::Live { transport: Transport::Socket } => (data.via_socket, None),
        Connection::Live { transport: Transport::Events } => (data.via_events, None),
        Connection::Live { transport: Transport::Poll } => (data.via_poll, None),
        Connection::Files => (words.shell.files, None),
        Connection::Connecting => (words.shell.connecting, None),
        Connection::Stale { .. } => (words.shell.stale, Some(Tone::Warning)),
        Connection::Offline { .. } => (data.no_link, Some(Tone::Danger)),
    };
    let (version, version_tone) = match &panel.health {
        Some(health) if health.version != PAGE_VERSION => {
            ((data.other_version)(PAGE_VERSION, &health.version), Some(Tone::Warning))
        }
        Some(health) => ((data.version)(&health.version), None),
        None if panel.compat => (data.old_monitor.to_owned(), None),
        None => (data.not_reported.to_owned(), None),
    };
    let mut facts = vec![
        marked(data.via, way, tone),
        fact(data.last_received, when(locale, panel, panel.last_received, words.shell.never_seen)),
        marked(data.monitor, version, version_tone),
    ];
    if let Some(live) = panel.health.as_ref().and_then(|health| health.live) {
        let clients = time::count(locale, live.clients);
        facts.push(fact(data.listeners, (data.listening)(&clients, live.cut)));
    }
    if let Some(health) = &panel.health {
        facts.extend(health.user.as_deref().map(|user| fact(data.user, user)));
        let writes = health.writes.filter(|writes| *writes != Writes::Unknown);
        facts.extend(writes.map(|writes| fact(data.changes, (data.writes)(writes))));
    }
    facts
}

fn log(words: &Messages, locale: Locale, panel: &DataPanelState, source: &SourceInfo) -> Vec<Fact> {
    let data = words.data();
    let bytes = |n: u64| (data.bytes)(&time::count(locale, n));
    let trouble = (source.state != SourceState::Ok).then_some(Tone::Warning);
    let mut facts = vec![
        fact(data.home, source.home.clone()),
        fact(data.path, source.log_path.clone()),
        marked(data.state, (data.source_state)(source.state), trouble),
        fact(data.newest, when(locale, panel, source.newest_event, words.shell.no_event_yet)),
    ];
    if let Some(health) = &panel.health {
        let (events, sessions) = (time::count(locale, health.events), time::count(locale, health.sessions));
        facts.push(fact(data.held, (data.events_sessions)(&events, &sessions)));
        let behind = if health.lag_bytes == 0 { data.nothing.to_owned() } else { bytes(health.lag_bytes) };
        facts.push(fact(data.behind, behind));
        facts.push(pending(data, locale, panel, health));
    }
    let files = source.files.iter().map(|file| (format!("{} · {}", file.name, bytes(file.bytes)), String::new()));
    facts.push(Fact { places: files.collect(), ..fact(data.files, time::count(locale, source.files.len() as u64)) });
    if let Some(following) = panel.health.as_ref().and_then(|health| health.following.as_ref()) {
        facts.extend(went_through(data, locale, following));
    }
    let config = (!matches!(source.config, ConfigState::Ok)).then_some(Tone::Warning);
    facts.push(marked(data.config, (words.common.config_state)(source.config), config));
    facts
}

fn pending(data: &DataMessages, locale: Locale, panel: &DataPanelState, health: &Health) -> Fact {
    let bytes = |n: u64| (data.bytes)(&time::count(locale, n));
    if health.pending_bytes == 0 {
        return fact(data.pending, data.nothing);
    }
    let lines = health.following.iter().flat_map(|following| &following.pending);
    let places = lines.map(|line| {
        (
            format!("{} · {} · {}", line.file, bytes(line.bytes), time::since(locale, panel.now, line.since)),
            String::new(),
        )
    });
    Fact { places: places.collect(), ..fact(data.pending, bytes(health.pending_bytes)) }
}

fn went_through(data: &DataMessages, locale: Locale, following: &Following) -> Vec<Fact> {
    let times = |n: u64| if n == 0 { data.nothing.to_owned() } else { (data.times)(&time::count(locale, n)) };
    let replaced = following.replaced_files.iter();
    let replaced = replaced.map(|file| (format!("{} · {}", file.file, time::exact(locale, file.at)), String::new()));
    let mut facts = vec![
        fact(data.rotations, times(following.rotations)),
        Fact {
            places: replaced.collect(),
            ..marked(data.replaced, times(following.replaced), (following.replaced > 0).then_some(Tone::Warning))
        },
    ];
    if following.truncated_unread > 0 {
        let bytes = (data.bytes)(&time::count(locale, following.truncated_unread));
        facts.push(marked(data.cut_off, bytes, Some(Tone::Danger)));
    }
    if !following.copies.is_empty() {
        let places = following.copies.iter().map(|name| (name.clone(), String::new())).collect();
        facts.push(Fact { places, ..fact(data.copies, time::count(locale, following.copies.len() as u64)) });
    }
    facts.push(fact(data.watcher, (data.watcher_mode)(following.watcher)));
    facts
}

fn unread(data: &DataMessages, locale: Locale, health: &Health) -> Vec<Fact> {
    let lines = health.bad_line_samples.iter().rev().map(|line| {
        let offset = (data.byte)(&time::count(locale, line.offset));
        (format!("{} · {offset} · {}", line.file, (data.reason)(&line.reason)), line.sample.clone())
    });
    let files = health.unreadable.iter().map(|file| (file.path.clone(), file.cause.clone()));
    let count = |n: u64| if n == 0 { data.nothing.to_owned() } else { (data.lines)(&time::count(locale, n)) };
    let broken = |n: u64| (n > 0).then_some(Tone::Danger);
    let unreadable = health.unreadable.len() as u64;
    vec![
        Fact { places: lines.collect(), ..marked(data.bad_lines, count(health.bad_lines), broken(health.bad_lines)) },
        Fact {
            places: files.collect(),
            ..marked(
                data.unread_files,
                if unreadable == 0 { data.nothing.to_owned() } else { time::count(locale, unreadable) },
                broken(unreadable),
            )
        },
    ]
}

fn overrides(data: &DataMessages, locale: Locale, store: Option<&StoreInfo>) -> Vec<Fact> {
    let Some(store) = store else { return vec![fact(data.state, data.not_reported)] };
    let trouble = (!matches!(store.state, StoreState::Ok | StoreState::Unknown)).then_some(Tone::Danger);
    let cause = store.cause.iter().map(|cause| (store.path.clone(), cause.clone()));
    let mut facts = vec![
        Fact { places: cause.collect(), ..marked(data.state, (data.store_state)(store.state), trouble) },
        fact(data.entries, time::count(locale, store.entries)),
    ];
    facts.extend(store.kept_aside.as_ref().map(|path| fact(data.set_aside, path.clone())));
    facts.extend(store.last_error.as_ref().map(|failure| Fact {
        places: vec![(time::exact(locale, failure.at), failure.cause.clone())],
        ..fact(data.last_error, "")
    }));
    if store.bad_audit_lines > 0 {
        let lines = (data.lines)(&time::count(locale, store.bad_audit_lines));
        facts.push(marked(data.bad_audit_lines, lines, Some(Tone::Warning)));
    }
    facts
}

fn check(data: &DataMessages, locale: Locale, health: &Health) -> Vec<Fact> {
    let Some(check) = &health.check else { return vec![fact(data.state, data.not_reported)] };
    if check.findings.is_empty() {
        return vec![fact(data.state, data.check_clean)];
    }
    let findings = check.findings.iter().map(|finding| {
        let tone = match finding.level {
            FindingLevel::Problem => Tone::Danger,
            FindingLevel::Warning => Tone::Warning,
            FindingLevel::Note => Tone::Neutral,
        };
        let place = |sample: &FindingSample| {
            let offset = (data.byte)(&time::count(locale, sample.offset));
            (format!("{} · {offset}", sample.file), sample.detail.clone())
        };
        let mut details: Vec<&str> = finding.samples.iter().map(|sample| sample.detail.as_str()).collect();
        details.dedup();
        Fact {
            // A note is about many lines: their kind matters more than the position of the first one.
            places: match finding.level {
                FindingLevel::Note => vec![(String::new(), details.join(", "))],
                FindingLevel::Problem | FindingLevel::Warning => {
                    finding.samples.first().map(place).into_iter().collect()
                }
            },
            ..marked(
                (data.level)(finding.level),
                format!("{} · {}", (data.finding)(finding.kind), time::count(locale, finding.count)),
                Some(tone),
            )
        }
    });
    findings.collect()
}
