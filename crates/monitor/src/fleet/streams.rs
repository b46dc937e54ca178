//! Streams and subjects of a fleet on NATS JetStream, and the connection to its servers.
//!
//! A fleet has two streams. `TH_LOG_<fleet>` holds batches of lines and keeps them for a time; its subjects are
//! `th.v1.<fleet>.<source>.log.<generation>`. `TH_STATE_<fleet>` keeps the newest message of each subject: `….file.<hash>` for a
//! file that is replaced as a whole, `….layout` for the names of the logs, `….hello` for the source itself, and `….conflict`.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use async_nats::AuthError;
use async_nats::jetstream::{self, stream};
use coordination::api::FleetRetention;
use coordination::digest::digest_hex;
use nkeys::KeyPair;

use crate::config::FleetSettings;

/// First words of every subject: the program and the version of what travels.
const PREFIX: &str = "th.v1";
/// How long a request to a server waits.
pub(super) const REQUEST_TIMEOUT: Duration = Duration::from_secs(5);
/// Letters of the hash of a path in a subject.
const PATH_HASH_LETTERS: usize = 24;

/// Subjects of one source.
#[derive(Debug, Clone)]
pub(super) struct SourceSubjects(String);

impl SourceSubjects {
    pub(super) fn new(fleet: &str, source: &str) -> Self {
        Self(format!("{PREFIX}.{fleet}.{source}"))
    }

    /// Of the batches of a log.
    pub(super) fn log(&self, generation: &str) -> String {
        format!("{}.log.{generation}", self.0)
    }

    /// Of the batches of all logs.
    pub(super) fn logs(&self) -> String {
        format!("{}.log.*", self.0)
    }

    /// All that there are.
    pub(super) fn all(&self) -> String {
        format!("{}.>", self.0)
    }

    /// Of a file that is replaced as a whole.
    pub(super) fn file(&self, path: &str) -> String {
        format!("{}.file.{}", self.0, digest_hex(path, PATH_HASH_LETTERS))
    }

    /// Of the names of the logs.
    pub(super) fn layout(&self) -> String {
        format!("{}.layout", self.0)
    }

    /// Of the source itself.
    pub(super) fn hello(&self) -> String {
        format!("{}.hello", self.0)
    }

    /// Of commands; they are in no stream.
    pub(super) fn commands(&self) -> String {
        format!("{}.cmd", self.0)
    }

    /// Of a publisher that another one replaced.
    pub(super) fn conflict(&self) -> String {
        format!("{}.conflict", self.0)
    }
}

/// Part of a message that its subject names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Topic {
    Log,
    File,
    Layout,
    Hello,
    Conflict,
}

/// All subjects of a fleet.
pub(super) fn all_subjects(fleet: &str) -> String {
    format!("{PREFIX}.{fleet}.>")
}

/// Source and topic of a subject of this fleet; `None` for any other.
pub(super) fn topic<'a>(fleet: &str, subject: &'a str) -> Option<(&'a str, Topic)> {
    let rest = subject.strip_prefix(PREFIX)?.strip_prefix('.')?.strip_prefix(fleet)?.strip_prefix('.')?;
    let (source, rest) = rest.split_once('.')?;
    let topic = match rest.split_once('.').map_or(rest, |(word, _)| word) {
        "log" => Topic::Log,
        "file" => Topic::File,
        "layout" => Topic::Layout,
        "hello" => Topic::Hello,
        "conflict" => Topic::Conflict,
        _ => return None,
    };
    Some((source, topic))
}

/// Name of the stream with the batches of logs.
pub(super) fn log_stream(fleet: &str) -> String {
    format!("TH_LOG_{fleet}")
}

/// Name of the stream with the newest versions.
pub(super) fn state_stream(fleet: &str) -> String {
    format!("TH_STATE_{fleet}")
}

/// How long and how much the stream of logs keeps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Retention {
    pub(crate) age: Duration,
    pub(crate) bytes: i64,
    pub(crate) replicas: usize,
}

/// Makes the two streams of a fleet, or gives existing ones this retention.
pub(crate) async fn make_streams(settings: &FleetSettings, retention: Retention) -> anyhow::Result<()> {
    let context = jetstream::new(connect(settings).await?);
    let fleet = &settings.name;
    let log = stream::Config {
        name: log_stream(fleet),
        subjects: vec![format!("{PREFIX}.{fleet}.*.log.*")],
        max_age: retention.age,
        max_bytes: retention.bytes,
        num_replicas: retention.replicas,
        ..stream::Config::default()
    };
    let state = stream::Config {
        name: state_stream(fleet),
        subjects: ["file.*", "layout", "hello", "conflict"].map(|topic| format!("{PREFIX}.{fleet}.*.{topic}")).into(),
        max_messages_per_subject: 1,
        num_replicas: retention.replicas,
        ..stream::Config::default()
    };
    for config in [log, state] {
        let name = config.name.clone();
        context.create_or_update_stream(config).await.map_err(|error| {
            // Its own text is repeated by its causes.
            anyhow::anyhow!(
                "cannot make the stream {name}: {error}. The servers must have JetStream and the room asked for"
            )
        })?;
    }
    Ok(())
}

/// Limits of the stream of logs, and what it holds.
pub(super) fn retention(log: &stream::Info) -> FleetRetention {
    let millis = |nanos: i128| i64::try_from(nanos / 1_000_000).unwrap_or(i64::MAX);
    FleetRetention {
        max_age_ms: i64::try_from(log.config.max_age.as_millis()).ok().filter(|age| *age > 0),
        max_bytes: u64::try_from(log.config.max_bytes).ok().filter(|bytes| *bytes > 0),
        bytes: log.state.bytes,
        // Of an empty stream the servers give a time without meaning.
        first_time: (log.state.messages > 0).then(|| millis(log.state.first_timestamp.unix_timestamp_nanos())),
    }
}

/// A stream that `task-monitor fleet init` made.
pub(super) async fn existing(context: &jetstream::Context, name: &str) -> anyhow::Result<stream::Stream> {
    context.get_stream(name).await.with_context(|| {
        format!(
            "the servers do not answer for the stream {name} (`task-monitor fleet init` makes the streams of a fleet)"
        )
    })
}

/// A connection to the servers. It is tried again without end once it was made.
pub(super) async fn connect(settings: &FleetSettings) -> anyhow::Result<async_nats::Client> {
    let mut options = async_nats::ConnectOptions::new()
        .name(format!("task-monitor {}", env!("CARGO_PKG_VERSION")))
        .request_timeout(Some(REQUEST_TIMEOUT))
        .connection_timeout(REQUEST_TIMEOUT)
        .ping_interval(Duration::from_secs(10))
        .reconnect_delay_callback(|attempts| Duration::from_millis(100 * (attempts as u64).clamp(1, 20)));
    if let Some(credentials) = settings.credentials().context("cannot read fleet.creds_file")? {
        options = match credentials.split_once(':') {
            Some((user, password)) if !credentials.contains('\n') => {
                options.user_and_password(user.to_owned(), password.to_owned())
            }
            _ => {
                let (jwt, key) = jwt_and_key(&credentials)
                    .context("fleet.creds_file holds neither user:password nor NATS credentials (JWT and seed)")?;
                let key = Arc::new(key);
                options.jwt(jwt.to_owned(), move |nonce| {
                    let key = Arc::clone(&key);
                    async move { key.sign(&nonce).map_err(AuthError::new) }
                })
            }
        };
    }
    if let Some(file) = &settings.ca_file {
        options = options.add_root_certificates(file.clone()).require_tls(true);
    }
    // A password does not go over a network in clear text, whatever a server offers.
    if settings.creds_file.is_some() && !settings.is_loopback() {
        options = options.require_tls(true);
    }
    let servers: Vec<&str> = settings.servers.iter().map(String::as_str).collect();
    options.connect(servers).await.with_context(|| format!("cannot connect to NATS at {}", settings.shown_servers()))
}

/// JWT and key of a `.creds` file. The client's own reader brings a crate of regular expressions that nothing else uses: half a
/// megabyte of the program.
fn jwt_and_key(credentials: &str) -> Option<(&str, KeyPair)> {
    let mut lines = credentials.lines().map(str::trim);
    let mut line_after = |title: &str| {
        lines.find(|line| line.starts_with("---") && line.contains(title))?;
        lines.next().filter(|line| !line.is_empty())
    };
    let (jwt, seed) = (line_after("BEGIN NATS USER JWT")?, line_after("BEGIN USER NKEY SEED")?);
    Some((jwt, KeyPair::from_seed(seed).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_hold_a_jwt_and_a_key_that_signs() {
        let key = KeyPair::new_user();
        let seed = key.seed().expect("a seed");
        let file = format!(
            "-----BEGIN NATS USER JWT-----\r\neyJ0.eyJq-_.c2ln\r\n------END NATS USER JWT------\r\n\r\n\
             *** IMPORTANT ***\n\n-----BEGIN USER NKEY SEED-----\n{seed}\n------END USER NKEY SEED------\n"
        );
        let (jwt, read) = jwt_and_key(&file).expect("credentials");
        assert_eq!((jwt, read.public_key()), ("eyJ0.eyJq-_.c2ln", key.public_key()));
        let signature = read.sign(b"nonce").expect("signed");
        assert!(key.verify(b"nonce", &signature).is_ok());
        for damaged in
            [String::new(), seed.clone(), file.replace(&seed, "SUx"), file.replace("JWT", "jwt"), file[..60].to_owned()]
        {
            assert!(jwt_and_key(&damaged).is_none(), "{damaged:?}");
        }
    }

    #[test]
    fn retention_of_a_stream_leaves_out_what_it_does_not_have() {
        let info = |max_age: u64, max_bytes: i64, messages: u64| -> stream::Info {
            let info = serde_json::json!({
                "config": {
                    "name": "TH_LOG_studio", "max_age": max_age, "max_bytes": max_bytes, "max_msgs": -1, "max_consumers": -1,
                    "max_msgs_per_subject": -1, "retention": "limits", "discard": "old", "storage": "file",
                    "num_replicas": 1, "duplicate_window": 0, "max_msg_size": -1,
                },
                "created": "2026-02-01T00:00:00Z",
                "state": {
                    "messages": messages, "bytes": 70, "first_seq": 3, "first_ts": "2026-02-20T00:00:00.5Z",
                    "last_seq": 3, "last_ts": "0001-01-01T00:00:00Z", "consumer_count": 0,
                },
            });
            serde_json::from_value(info).expect("an answer of a server")
        };
        let first_time = coordination::time::parse_iso("2026-02-20T00:00:00.500Z");
        assert_eq!(
            retention(&info(86_400_000_000_000, 10_000, 1)),
            FleetRetention { max_age_ms: Some(86_400_000), max_bytes: Some(10_000), bytes: 70, first_time }
        );
        assert_eq!(retention(&info(0, -1, 0)), FleetRetention { bytes: 70, ..FleetRetention::default() });
    }

    #[test]
    fn topics_are_those_of_the_subjects_of_a_source() {
        let subjects = SourceSubjects::new("studio", "a1");
        let read = |subject: &str| topic("studio", subject).map(|(source, topic)| (source.to_owned(), topic));
        for (subject, wanted) in [
            (subjects.log("0123"), Topic::Log),
            (subjects.file("workspace/tasks/task_1.md"), Topic::File),
            (subjects.layout(), Topic::Layout),
            (subjects.hello(), Topic::Hello),
            (subjects.conflict(), Topic::Conflict),
        ] {
            assert_eq!(read(&subject), Some(("a1".to_owned(), wanted)), "{subject}");
        }
        for other in ["th.v1.other.a1.hello", "th.v2.studio.a1.hello", "th.v1.studio.a1.cmd.speak", "th.v1.studio"] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
