//! Summary of the monitor's input files for the pages: state, paths and unreadable files. Also writes a log line when
//! the state or the unreadable files change.

use coordination::api::{ConfigState, HooksSetup, SourceInfo, SourceState};
use coordination::schema::AgentProgram;
use serde::{Deserialize, Serialize};

use crate::config::Settings;
use crate::core::status::ReadStatus;

/// What the writer of the hub knows of the source besides the reading status.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SourceFacts {
    /// State of `openclaw.json`.
    pub(crate) config: ConfigState,
    /// Times of the newest events.
    pub(crate) newest: NewestTimes,
    /// All log files were read to their end once.
    pub(crate) history_read: bool,
    /// Hooks of coding agents have named an agent.
    pub(crate) hooked: bool,
}

/// The newest time of an event, and the times by which clocks are compared, in epoch milliseconds. Zero means absent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct NewestTimes {
    newest: i64,
    /// Three different times: the newest of the history, then those that arrived last. So some wrong times of long ago
    /// are no fault of a clock any more once new events have right ones.
    sample: [i64; 3],
}

impl NewestTimes {
    /// Takes in the time of an event; `arrived`: after the history was read. A transcript that is read again reports its
    /// events again.
    pub(crate) fn add(&mut self, mut at: i64, arrived: bool) {
        self.newest = self.newest.max(at);
        if at <= 0 || self.sample.contains(&at) {
            return;
        }
        if arrived {
            self.sample = [at, self.sample[0], self.sample[1]];
            return;
        }
        for slot in &mut self.sample {
            if at > *slot {
                std::mem::swap(slot, &mut at);
            }
        }
    }

    fn newest(self) -> Option<i64> {
        Some(self.newest).filter(|at| *at > 0)
    }

    /// The earliest of the sample, so that one wrong time is no fault of a clock.
    fn for_clock(self) -> Option<i64> {
        self.sample.into_iter().min().filter(|at| *at > 0)
    }
}

/// The source as pages get it.
pub(crate) fn info(settings: &Settings, reading: &ReadStatus, known: SourceFacts) -> SourceInfo {
    let home = &settings.home;
    let state = match reading.log_status.state {
        _ if !known.history_read => SourceState::Starting,
        // Most homes have no log; their sessions and hooks are the whole source, and it is read.
        SourceState::LogMissing if known.hooked || reading.stores.iter().any(|store| store.sessions > 0) => {
            SourceState::Ok
        }
        state => state,
    };
    let newest_event = known.newest.newest();
    let hooks = |setup: HooksSetup| newest_event.map_or(setup, |_| HooksSetup::Absent);
    let (claude_code, codex) = (hooks(settings.claude_code), hooks(settings.codex));
    let command = |setup, program| (setup == HooksSetup::WithoutHooks).then(|| settings.hooks_command(program));
    SourceInfo {
        state,
        home: home.display(home.root()),
        log_path: home.display(&home.live_log()),
        files: reading.log_status.files.clone(),
        config: known.config,
        demo: settings.demo,
        claude_code,
        hooks_command: command(claude_code, AgentProgram::ClaudeCode),
        codex,
        codex_hooks_command: command(codex, AgentProgram::Codex),
        newest_event,
        third_newest_event: known.newest.for_clock(),
        bad_lines: reading.bad_lines,
        unreadable: reading.unreadable_outside_workspaces().cloned().collect(),
        ..SourceInfo::default()
    }
}

/// The state that was last logged to the terminal.
#[derive(Debug, Default)]
pub(crate) struct LastLogged {
    source: Option<(SourceState, Vec<String>)>,
    /// Whether the events were ahead of this machine's clock.
    clock_behind: bool,
}

impl LastLogged {
    /// Prints one line when state or unreadable files differ from the last printed ones; nothing while the history
    /// is being read.
    pub(crate) fn log_if_changed(&mut self, info: &SourceInfo, reading: &ReadStatus) {
        match self.news(info, reading) {
            Some((true, line)) => tracing::info!("{line}"),
            Some((false, line)) => tracing::warn!("{line}"),
            None => {}
        }
    }

    /// Prints one line when the events get ahead of this machine's clock, and one when they no longer are.
    pub(crate) fn log_clock_if_changed(&mut self, info: &SourceInfo, now: i64) {
        match self.clock_news(info, now) {
            Some((true, line)) => tracing::info!("{line}"),
            Some((false, line)) => tracing::warn!("{line}"),
            None => {}
        }
    }

    /// The line, and whether all is well.
    fn clock_news(&mut self, info: &SourceInfo, now: i64) -> Option<(bool, String)> {
        let ahead = info.events_ahead_ms(now);
        if ahead.is_some() == self.clock_behind {
            return None;
        }
        self.clock_behind = ahead.is_some();
        let line = match ahead {
            Some(ms) => format!(
                "clock: the newest events of {} are {} min ahead of this machine's clock; ages and statuses are wrong \
                 until the clocks agree",
                info.log_path,
                ms / 60_000
            ),
            None => "clock: the newest events are no longer ahead of this machine's clock".to_owned(),
        };
        Some((ahead.is_none(), line))
    }

    /// The line, and whether all is well.
    fn news(&mut self, info: &SourceInfo, reading: &ReadStatus) -> Option<(bool, String)> {
        if info.state == SourceState::Starting {
            return None;
        }
        // Without a home, that its files cannot be read is no further news.
        let homeless = matches!(info.state, SourceState::HomeMissing | SourceState::HomeNotFolder);
        let unread = reading.unreadable().filter(|_| !homeless);
        let unread: Vec<String> = unread.map(|it| format!("{} ({})", it.path, it.cause)).collect();
        let now = (info.state, unread);
        if self.source.as_ref() == Some(&now) {
            return None;
        }
        let line = line(info, &now.1);
        let fine = now.0 == SourceState::Ok && now.1.is_empty();
        self.source = Some(now);
        Some((fine, line))
    }
}

/// Unreadable files named on the terminal.
const MAX_NAMED: usize = 3;

fn line(info: &SourceInfo, unread: &[String]) -> String {
    let SourceInfo { home, log_path, .. } = info;
    let mut line = match info.state {
        SourceState::Ok if info.files.is_empty() => {
            format!("no log at {log_path}: following the transcripts of the agents' sessions, and hooks")
        }
        SourceState::Ok if info.files.len() == 1 => format!("following {log_path}"),
        SourceState::Ok => format!("following {log_path} and {} archives", info.files.len().saturating_sub(1)),
        SourceState::LogMissing => format!("no log at {log_path}: nothing new can be shown until it is there"),
        SourceState::HomeMissing => format!("there is no {home}: nothing can be shown until it is there"),
        SourceState::HomeNotFolder => format!("{home} is not a folder: nothing can be read from it"),
        SourceState::Unreadable => format!("{log_path} cannot be read"),
        SourceState::Starting | SourceState::Unknown => format!("{log_path} is not read yet"),
    };
    if !unread.is_empty() {
        let named = unread.iter().take(MAX_NAMED).map(String::as_str).collect::<Vec<_>>().join(", ");
        let rest = unread.len().saturating_sub(MAX_NAMED);
        let more = if rest > 0 { format!(" and {rest} more") } else { String::new() };
        line.push_str(&format!("; could not read {named}{more}"));
    }
    line
}

#[cfg(test)]
mod tests {
    use coordination::api::{StoreInfoRow, Unreadable};
    use coordination::store::PlaceState;

    use super::*;
    use crate::home::HomeDir;

    fn with_state(state: SourceState) -> SourceInfo {
        SourceInfo { state, home: "~/.openclaw".into(), log_path: "~/.openclaw/logs/x".into(), ..SourceInfo::default() }
    }

    #[test]
    fn times_for_the_clock_follow_what_arrives() {
        let mut times = NewestTimes::default();
        assert_eq!((times.newest(), times.for_clock()), (None, None));
        for at in [5, 9, 7, 9, 0, 1] {
            times.add(at, false);
        }
        assert_eq!((times.newest(), times.for_clock()), (Some(9), Some(5)));
        for (at, for_clock) in [(3, 3), (4, 3), (4, 3), (6, 3), (8, 4)] {
            times.add(at, true);
            assert_eq!((times.newest(), times.for_clock()), (Some(9), Some(for_clock)), "{at}");
        }
    }

    #[test]
    fn clock_behind_events_is_logged_once_each_way() {
        let mut logged = LastLogged::default();
        let info = SourceInfo { third_newest_event: Some(200 * 60_000), ..with_state(SourceState::Ok) };
        let (fine, line) = logged.clock_news(&info, 20 * 60_000).expect("a line");
        assert!(!fine && line.contains("180 min ahead of this machine's clock"), "{line}");
        assert_eq!(logged.clock_news(&info, 30 * 60_000), None);
        assert!(logged.clock_news(&info, 196 * 60_000).is_some_and(|(fine, _)| fine));
        assert_eq!(logged.clock_news(&info, 300 * 60_000), None);
    }

    #[test]
    fn stored_sessions_or_hooks_replace_missing_log() {
        let settings = Settings::for_home(HomeDir::new("/nowhere"));
        let state = |sessions: usize, hooked: bool| {
            let mut reading = ReadStatus::default();
            reading.log_status.state = SourceState::LogMissing;
            let (path, place_state) = ("agents".to_owned(), PlaceState::Read);
            reading.stores =
                vec![StoreInfoRow { path, agent_id: None, database: false, standing: place_state, sessions }];
            let known = SourceFacts {
                config: ConfigState::Missing,
                newest: NewestTimes::default(),
                history_read: true,
                hooked,
            };
            info(&settings, &reading, known).state
        };
        assert_eq!(state(0, false), SourceState::LogMissing);
        assert_eq!(state(1, false), SourceState::Ok);
        assert_eq!(state(0, true), SourceState::Ok);
    }

    #[test]
    fn source_states_are_logged_once_with_details() {
        let (mut last_logged, mut reading) = (LastLogged::default(), ReadStatus::default());
        assert_eq!(last_logged.news(&with_state(SourceState::Starting), &reading), None, "nothing is known yet");
        for (state, says) in [
            (SourceState::HomeMissing, "there is no ~/.openclaw:"),
            (SourceState::HomeNotFolder, "~/.openclaw is not a folder"),
            (SourceState::LogMissing, "no log at ~/.openclaw/logs/x"),
            (SourceState::Unreadable, "~/.openclaw/logs/x cannot be read"),
        ] {
            let (fine, line) = last_logged.news(&with_state(state), &reading).unwrap();
            assert!(!fine && line.starts_with(says), "{line}");
            assert_eq!(last_logged.news(&with_state(state), &reading), None, "said already");
        }
        let (fine, line) = last_logged.news(&with_state(SourceState::Ok), &reading).unwrap();
        assert!(fine && line.contains("following the transcripts"), "{line}");
        let file = |n: usize| Unreadable { path: format!("tasks/{n}.md"), cause: "EACCES".to_owned() };
        reading.workspace_trouble = (0..5).map(file).collect();
        let (fine, line) = last_logged.news(&with_state(SourceState::Ok), &reading).unwrap();
        assert!(!fine && line.ends_with("tasks/2.md (EACCES) and 2 more"), "{line}");
        assert!(
            last_logged
                .news(&with_state(SourceState::HomeNotFolder), &reading)
                .unwrap()
                .1
                .ends_with("nothing can be read from it")
        );
        reading.workspace_trouble.pop();
        assert_eq!(
            last_logged.news(&with_state(SourceState::HomeNotFolder), &reading),
            None,
            "its files are no news besides"
        );
        reading.workspace_trouble.clear();
        assert!(last_logged.news(&with_state(SourceState::Ok), &reading).unwrap().0, "and that it is well again");
    }
}
