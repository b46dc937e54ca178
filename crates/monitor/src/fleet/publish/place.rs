//! Place of a publisher: the running system and the folder. By it a copy of a home on another machine does not take the
//! place of its original.

use std::os::unix::fs::MetadataExt as _;
use std::time::Duration;

use async_nats::jetstream::message::StreamMessage;
use async_nats::jetstream::stream::Stream;
use tokio::time::{Instant, sleep};

use super::{HELLO_INTERVAL, PublishFault, stored};
use crate::fleet::messages::Hello;
use crate::home::HomeDir;

/// A publisher that runs says hello within this time, over a slow connection as well.
const HELLO_WITHIN: Duration = HELLO_INTERVAL.saturating_mul(2);
/// Between two looks for its next hello.
const LOOK_INTERVAL: Duration = Duration::from_millis(500);
/// Random name of this start of the system: a clone of a whole machine has another one.
const SYSTEM_START: &str = "/proc/sys/kernel/random/boot_id";

/// Digest of the running system and the folder of a home. Processes of one place read the same files, so that the later one may
/// go on for the earlier.
///
/// # Errors
/// When the folder cannot be looked at.
pub(super) fn place_of(home: &HomeDir) -> std::io::Result<String> {
    let root = std::fs::canonicalize(home.root())?;
    let folder = std::fs::metadata(&root)?;
    // Elsewhere than on Linux the name of the machine has to do.
    let system = std::fs::read_to_string(SYSTEM_START)
        .unwrap_or_else(|_| rustix::system::uname().nodename().to_string_lossy().into_owned());
    let text = format!("{}\n{}:{}\n{}", system.trim(), folder.dev(), folder.ino(), root.display());
    Ok(coordination::digest::digest_hex(&text, 16))
}

/// Waits until it is clear whether the publisher of the newest hello runs at another place, where there is one.
///
/// # Errors
/// [`PublishFault::Conflict`] when it does: it says hello again.
pub(super) async fn ensure_no_other(
    stream: &Stream,
    subject: &str,
    newest: Option<&StreamMessage>,
    place: &str,
) -> Result<(), PublishFault> {
    let elsewhere = |message: &StreamMessage| {
        Hello::read(&message.payload).filter(|hello| hello.is_of_other_place(place)).map(|hello| hello.publisher)
    };
    let Some((known, publisher)) = newest.and_then(|message| Some((message.sequence, elsewhere(message)?))) else {
        return Ok(());
    };
    tracing::info!("fleet: a process at another place published as this machine; looking whether it still does");
    let start = Instant::now();
    while start.elapsed() < HELLO_WITHIN {
        sleep(LOOK_INTERVAL).await;
        let Some(last) = stored::last(stream, subject).await? else { return Ok(()) };
        match elsewhere(&last) {
            Some(author) if author == publisher && last.sequence == known => {}
            Some(_) => return Err(PublishFault::Conflict),
            // It was ended, or the machine was removed.
            None => return Ok(()),
        }
    }
    Ok(())
}
