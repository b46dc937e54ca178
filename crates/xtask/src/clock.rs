//! Formatter of durations for people, such as `12 min 3 s`.

use std::time::Duration;

/// `12 min 3 s`, `4.2 s`.
pub fn words(duration: Duration) -> String {
    let secs = duration.as_secs();
    if secs >= 60 { format!("{} min {} s", secs / 60, secs % 60) } else { format!("{:.1} s", duration.as_secs_f64()) }
}
