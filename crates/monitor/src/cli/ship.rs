//! Command `task-monitor ship`: publishes a home to the streams of a fleet, without a server of its own.

use anyhow::Context as _;
use tokio::sync::watch;

use super::serve::log_to_stderr;
use crate::config::{ServeArgs, Settings};
use crate::fleet;
use crate::sources::transcripts::TranscriptFeed;
use crate::web::signal;

/// Publishes until a signal comes.
///
/// # Errors
/// When no fleet is set, or another process publishes as the same source.
pub(super) fn run(args: &ServeArgs) -> anyhow::Result<()> {
    let settings = Settings::from_args(args)?;
    let published = settings.fleet.clone().context("ship needs a fleet: --fleet NAME --nats URL")?;
    log_to_stderr(&settings.log)?;
    let home = settings.home.display(settings.home.root());
    let (machine, name) = (&published.machine, &published.name);
    tracing::info!("publishing {home} as {machine} to the fleet {name} at {}", published.shown_servers());
    let (stop, stopped) = watch::channel(false);
    // The publisher waits for one thing at a time: with one thread nothing is handed from thread to thread for each batch.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async move {
        tokio::spawn(async move {
            signal().await;
            stop.send_replace(true);
        });
        let feed = TranscriptFeed::start(&settings.home, settings.watcher)?;
        fleet::publish(published, (settings.home, feed), (settings.clock, settings.watcher), (stopped, None))
            .await
            .map_err(anyhow::Error::from)
    })?;
    Ok(())
}
