//! Rate-limited log of denied requests. It writes a few lines a minute, a count of the others, and no payload. Clients
//! can neither fill the disk nor forge lines.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// Lines a minute.
const MAX_LINES_PER_MINUTE: u32 = 20;
const MINUTE: Duration = Duration::from_secs(60);
/// Longest path shown, in characters.
const MAX_LOGGED_PATH_CHARS: usize = 120;

/// Lines of the current minute.
#[derive(Debug, Default)]
pub(super) struct DeniedLog(Mutex<Option<Minute>>);

#[derive(Debug, Clone, Copy)]
struct Minute {
    since: Instant,
    lines: u32,
    suppressed: u64,
}

/// Whether one more line may be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LogDecision {
    /// This one; before it, if not 0, how many were suppressed in the last minute.
    Line(u64),
    /// It is counted.
    Nothing,
}

impl DeniedLog {
    /// One more refusal.
    pub(super) fn note(&self) -> LogDecision {
        let mut minute = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = Minute { since: Instant::now(), lines: 0, suppressed: 0 };
        let now = minute.get_or_insert(fresh);
        let mut missed = 0;
        if now.since.elapsed() >= MINUTE {
            missed = now.suppressed;
            *now = fresh;
        }
        if now.lines < MAX_LINES_PER_MINUTE {
            now.lines += 1;
            LogDecision::Line(missed)
        } else {
            now.suppressed += 1;
            LogDecision::Nothing
        }
    }
}

/// A path in the form for a log: on one line, escaped, cut.
pub(in crate::web) fn for_log(path: &str) -> String {
    let mut text: String = path.chars().take(MAX_LOGGED_PATH_CHARS).flat_map(char::escape_default).collect();
    if path.chars().nth(MAX_LOGGED_PATH_CHARS).is_some() {
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn flood_logs_few_lines_and_a_count() {
        let denied_log = DeniedLog::default();
        let lines = (0..100_000).filter(|_| denied_log.note() != LogDecision::Nothing).count();
        assert_eq!(lines, 20);
        tokio::time::advance(MINUTE).await;
        assert_eq!(denied_log.note(), LogDecision::Line(99_980));
        assert_eq!(denied_log.note(), LogDecision::Line(0));
    }

    #[test]
    fn a_path_stays_on_its_line() {
        assert_eq!(for_log("/a\r\nforged \u{1b}[2J\"한"), "/a\\r\\nforged \\u{1b}[2J\\\"\\u{d55c}");
        assert_eq!(for_log(&"x".repeat(9000)).chars().count(), MAX_LOGGED_PATH_CHARS + 1);
    }
}
