//! Task that reads the two streams of a fleet and applies their messages to the mirrors. It ends with the last clone of the
//! fleet.

use std::sync::{Arc, PoisonError, Weak};
use std::time::{Duration, Instant};

use async_nats::connection::State;
use async_nats::jetstream::consumer::DeliverPolicy;
use async_nats::jetstream::consumer::pull::{Ordered, OrderedConfig};
use async_nats::jetstream::stream::Stream;
use async_nats::jetstream::{self, Message};
use coordination::api::FleetLink;
use futures::StreamExt as _;

use super::{Fleet, FleetShared};
use crate::fleet::{cause_text, streams};
use crate::inputs::InputPosition;

/// Between two looks at the servers and two saves.
const TICK: Duration = Duration::from_secs(1);
/// Before the servers are tried again.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// Before a lost connection is given up for a new one. Only a new one reads the credentials again, and gets the cause that the
/// servers give.
const MAX_LOST: Duration = Duration::from_secs(5);

const NO_ANSWER: &str = "the servers do not answer";

/// Starts the task.
pub(in crate::fleet) fn spawn(fleet: &Fleet) {
    let weak = Arc::downgrade(&fleet.0);
    tokio::spawn(async move {
        // Mirrors are shown as they were saved until the servers answer.
        if let Some(fleet) = upgrade(&weak) {
            tokio::task::block_in_place(|| fleet.start_monitors());
            fleet.refresh_view();
        }
        while let Some(fleet) = upgrade(&weak) {
            let outcome = connect(&fleet).await;
            drop(fleet);
            let cause = match outcome {
                Ok(link) => match follow(&weak, link).await {
                    Ok(()) => return,
                    Err(cause) => cause,
                },
                Err(cause) => cause,
            };
            if let Some(fleet) = upgrade(&weak) {
                fleet.note_lost(cause_text(&cause));
            }
            tokio::time::sleep(RETRY_AFTER).await;
        }
    });
}

fn upgrade(weak: &Weak<FleetShared>) -> Option<Fleet> {
    weak.upgrade().map(Fleet)
}

/// Connection with its two consumers.
struct FleetConnection {
    client: async_nats::Client,
    log: Stream,
    state: Stream,
    log_messages: Ordered,
    state_messages: Ordered,
}

async fn connect(fleet: &Fleet) -> anyhow::Result<FleetConnection> {
    let settings = &fleet.0.fleet;
    let client = streams::connect(settings).await?;
    let mut context = jetstream::new(client.clone());
    context.set_timeout(Duration::from_secs(5));
    let log = streams::existing(&context, &streams::log_stream(&settings.name)).await?;
    let state = streams::existing(&context, &streams::state_stream(&settings.name)).await?;
    let subjects = streams::all_subjects(&settings.name);
    let newest = OrderedConfig {
        filter_subject: subjects.clone(),
        deliver_policy: DeliverPolicy::LastPerSubject,
        ..OrderedConfig::default()
    };
    let newest = state.create_consumer(newest).await?;
    if newest.cached_info().num_pending == 0 {
        fleet.state().is_listed = true;
    }
    let state_messages = newest.messages().await?;
    let info = log.cached_info();
    let sequence = fleet.resume_at(&info.created.to_string(), info.state.last_sequence);
    let files = state.cached_info();
    let made = [info.created, files.created].map(|at| at.unix_timestamp_nanos() / 1_000_000);
    let mut done = InputPosition::start(&format!("{}-{}", made[0], made[1]));
    done.pass_log(sequence);
    let mut end = done.clone();
    end.pass_log(info.state.last_sequence);
    end.pass_state(files.state.last_sequence);
    fleet.0.written.restart(done, end);
    let from = match sequence {
        0 => DeliverPolicy::All,
        sequence => DeliverPolicy::ByStartSequence { start_sequence: sequence + 1 },
    };
    let ordered = OrderedConfig { filter_subject: subjects, deliver_policy: from, ..OrderedConfig::default() };
    let log_messages = log.create_consumer(ordered).await?.messages().await?;
    *fleet.0.client.lock().unwrap_or_else(PoisonError::into_inner) = Some(client.clone());
    Ok(FleetConnection { client, log, state, log_messages, state_messages })
}

/// Reads until the fleet is gone.
async fn follow(weak: &Weak<FleetShared>, mut link: FleetConnection) -> anyhow::Result<()> {
    let mut tick = tokio::time::interval(TICK);
    tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut lost_since = None;
    loop {
        let (message, is_state) = tokio::select! {
            message = link.state_messages.next() => (message, true),
            message = link.log_messages.next() => (message, false),
            _ = tick.tick() => {
                let Some(fleet) = upgrade(weak) else { return Ok(()) };
                poll_streams(&fleet, (&link.client, &link.log, &link.state), &mut lost_since).await?;
                continue;
            }
        };
        let message = message.ok_or_else(|| anyhow::anyhow!("the servers ended a stream"))??;
        let Some(fleet) = upgrade(weak) else { return Ok(()) };
        tokio::task::block_in_place(|| fleet.apply_message(&message))?;
        // With the last of the files that there are, machines are known: their monitors read lines while these arrive.
        if is_state && message.info().is_ok_and(|info| info.pending == 0) {
            fleet.state().is_listed = true;
            if tokio::task::block_in_place(|| fleet.start_monitors()) {
                fleet.refresh_view();
            }
        }
    }
}

/// Once a second: whether the streams are still the same, how far it is read, machines that are new, and a save.
async fn poll_streams(
    fleet: &Fleet,
    (client, log, state): (&async_nats::Client, &Stream, &Stream),
    lost_since: &mut Option<Instant>,
) -> anyhow::Result<()> {
    if client.connection_state() != State::Connected {
        let lost_since = lost_since.get_or_insert_with(Instant::now);
        anyhow::ensure!(lost_since.elapsed() < MAX_LOST, NO_ANSWER);
        fleet.note_lost(NO_ANSWER.to_owned());
        return Ok(());
    }
    *lost_since = None;
    let info = log.get_info().await?;
    let created = info.created.to_string();
    // Nothing is left to read of a stream whose messages have expired.
    let last = if info.state.messages == 0 { 0 } else { info.state.last_sequence };
    let Some(stuck_at) = fleet.note_connected(&created, last) else {
        anyhow::bail!("the stream is another one than before");
    };
    let files = state.get_info().await?.created;
    anyhow::ensure!(files == state.cached_info().created, "the stream of files is another one than before");
    fleet.state().retention = Some(streams::retention(&info));
    if let Some(sequence) = stuck_at
        && is_empty_behind(log, sequence, &streams::all_subjects(fleet.name())).await?
    {
        fleet.pass_log(last);
    }
    let fleet = fleet.clone();
    tokio::task::block_in_place(|| {
        fleet.start_monitors();
        fleet.save();
    });
    fleet.refresh_view();
    Ok(())
}

/// Whether the stream has no message behind one of them, whatever its last sequence is: the last ones were purged.
async fn is_empty_behind(log: &Stream, sequence: u64, subjects: &str) -> anyhow::Result<bool> {
    let config = OrderedConfig {
        filter_subject: subjects.to_owned(),
        deliver_policy: DeliverPolicy::ByStartSequence { start_sequence: sequence + 1 },
        ..OrderedConfig::default()
    };
    Ok(log.create_consumer(config).await?.cached_info().num_pending == 0)
}

impl Fleet {
    /// The message of the stream of logs after which to go on; 0 for the beginning.
    fn resume_at(&self, created: &str, last_sequence: u64) -> u64 {
        let mut state = self.state();
        state.passed_sequence = 0;
        if state.log_created != created || state.log_sequence > last_sequence {
            // The mirrors stay: messages that they have are recognised.
            state.log_sequence = 0;
            created.clone_into(&mut state.log_created);
            state.unsaved = true;
        }
        state.log_sequence
    }

    fn note_lost(&self, cause: String) {
        let mut state = self.state();
        if state.link != FleetLink::Connecting {
            state.link = FleetLink::Lost;
        }
        if state.cause.as_ref() != Some(&cause) {
            tracing::warn!("fleet: the streams cannot be read: {cause}");
            state.cause = Some(cause);
        }
        drop(state);
        self.refresh_view();
    }

    /// `None` when this is another stream than the one that is read; else the message after which none came for a second,
    /// though the stream seems to have more.
    fn note_connected(&self, created: &str, last_sequence: u64) -> Option<Option<u64>> {
        let mut state = self.state();
        if state.log_created != created {
            return None;
        }
        // Until its machines are known, the fleet would look empty.
        let link = if state.is_listed { FleetLink::Connected } else { FleetLink::Connecting };
        if state.link != link && link == FleetLink::Connected {
            tracing::info!("fleet: the streams of {} are read", self.0.fleet.name);
        }
        (state.link, state.cause) = (link, None);
        state.behind = last_sequence.saturating_sub(state.log_sequence.max(state.passed_sequence));
        let is_stuck = state.behind > 0 && state.polled_sequence == state.log_sequence;
        state.polled_sequence = state.log_sequence;
        Some(is_stuck.then_some(state.log_sequence))
    }

    /// Notes that the stream of logs has no messages up to here that are still to be read. It is not saved: a server that lags
    /// may have said so.
    fn pass_log(&self, sequence: u64) {
        let mut state = self.state();
        (state.passed_sequence, state.behind) = (sequence, 0);
    }

    /// Applies a message and notes that it is read.
    fn apply_message(&self, message: &Message) -> anyhow::Result<()> {
        let none = async_nats::HeaderMap::new();
        let headers = message.headers.as_ref().unwrap_or(&none);
        let info = message.info().map_err(|error| anyhow::anyhow!("{error}"))?;
        let published_at = i64::try_from(info.published.unix_timestamp_nanos() / 1_000_000).unwrap_or(i64::MAX);
        let is_log = info.stream == streams::log_stream(&self.0.fleet.name);
        let sequence = info.stream_sequence;
        let pass = |position: &mut InputPosition| {
            if is_log { position.pass_log(sequence) } else { position.pass_state(sequence) }
        };
        self.0.written.begin(pass);
        self.apply(message.subject.as_str(), (headers, &message.payload), (sequence, published_at))?;
        self.0.written.finish(pass);
        if is_log {
            self.state().log_sequence = sequence;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use coordination::api::FleetSource;

    use super::*;
    use crate::app::AppState;
    use crate::config::Settings;
    use crate::home::HomeDir;

    #[tokio::test(flavor = "multi_thread")]
    async fn link_is_connecting_until_machines_are_known() {
        let folder = tempfile::tempdir().expect("folder");
        let own = AppState::start(Settings::for_home(HomeDir::new(folder.path().join(".openclaw")))).expect("started");
        let fleet = Fleet::of_monitors(&folder.path().join("mirrors"), vec![(FleetSource::default(), own)]);
        fleet.state().link = FleetLink::Connecting;
        assert!(fleet.note_connected("", 0).is_some());
        assert_eq!(fleet.state().link, FleetLink::Connecting);
        fleet.state().is_listed = true;
        assert!(fleet.note_connected("", 0).is_some());
        assert_eq!(fleet.state().link, FleetLink::Connected);
    }
}
