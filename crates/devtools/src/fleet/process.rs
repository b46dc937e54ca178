//! Child process of the fleet lane: it writes into a log file, can be paused and killed, and is killed when dropped.

use std::fs::OpenOptions;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};

/// Between two attempts of [`retry`].
const PAUSE: Duration = Duration::from_millis(100);

pub(super) struct Process(Child);

impl Process {
    /// Starts a program. What it says is appended to `log`.
    pub(super) fn start(command: &mut Command, log: &Path) -> Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(log);
        let file = file.with_context(|| format!("cannot open {}", log.display()))?;
        command.stdin(Stdio::null()).stdout(file.try_clone()?).stderr(file);
        let child = command.spawn().with_context(|| format!("cannot start {:?}", command.get_program()))?;
        Ok(Self(child))
    }

    /// Its id in the system.
    pub(super) fn id(&self) -> u32 {
        self.0.id()
    }

    /// SIGSTOP.
    pub(super) fn pause(&self) -> Result<()> {
        self.signal("STOP")
    }

    /// SIGCONT.
    pub(super) fn resume(&self) -> Result<()> {
        self.signal("CONT")
    }

    /// SIGKILL.
    pub(super) fn kill(mut self) -> Result<()> {
        self.0.kill()?;
        self.0.wait()?;
        Ok(())
    }

    /// SIGTERM, and waits for its end.
    pub(super) fn end(mut self) -> Result<()> {
        self.signal("TERM")?;
        let status = self.0.wait()?;
        ensure!(status.success(), "process {} ended with {status}", self.0.id());
        Ok(())
    }

    /// How it ended, if it did.
    pub(super) fn exit_status(&mut self) -> Result<Option<ExitStatus>> {
        Ok(self.0.try_wait()?)
    }

    /// Any signal.
    pub(super) fn signal(&self, name: &str) -> Result<()> {
        let sent = Command::new("kill").args(["-s", name, &self.id().to_string()]).status()?.success();
        ensure!(sent, "SIG{name} cannot be sent to process {}", self.id());
        Ok(())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.0.kill().ok();
        self.0.wait().ok();
    }
}

/// Repeats an attempt until it succeeds. As long as `progress` grows there is no limit: a machine with other work is slow.
///
/// # Errors
/// The error of the last attempt, once nothing moved for `limit`.
pub(super) fn retry_while_moving<T>(
    what: &str,
    limit: Duration,
    mut progress: impl FnMut() -> u64,
    mut attempt: impl FnMut() -> Result<T>,
) -> Result<T> {
    let (mut start, mut seen) = (Instant::now(), progress());
    loop {
        let error = match attempt() {
            Ok(value) => return Ok(value),
            Err(error) => error,
        };
        let now = progress();
        if now > seen {
            (start, seen) = (Instant::now(), now);
        }
        if start.elapsed() > limit {
            return Err(error.context(format!("{what}: no progress for {} s", limit.as_secs())));
        }
        std::thread::sleep(PAUSE);
    }
}

/// Repeats an attempt until it succeeds.
///
/// # Errors
/// The error of the last attempt within `limit`.
pub(super) fn retry<T>(what: &str, limit: Duration, mut attempt: impl FnMut() -> Result<T>) -> Result<T> {
    let start = Instant::now();
    loop {
        match attempt() {
            Ok(value) => return Ok(value),
            Err(error) if start.elapsed() > limit => {
                return Err(error.context(format!("{what}: not within {} s", limit.as_secs())));
            }
            Err(_) => std::thread::sleep(PAUSE),
        }
    }
}
