//! Parser of file names in a sessions folder: transcripts and archives (`contract/sessions.md` §3, §7).

use protocol::time;

/// Why a transcript was archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Reason {
    /// The session was reset.
    Reset,
    /// The session was deleted.
    Deleted,
    /// A copy that was stored.
    Backup,
}

/// What a file's name says of a transcript.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArchiveFileName<'a> {
    /// The session.
    pub session_id: &'a str,
    /// The topic, still percent-encoded, of a topic's session.
    pub topic: Option<&'a str>,
    /// Why it was archived; nothing for the transcript in use.
    pub reason: Option<Reason>,
    /// When, in epoch milliseconds.
    pub at_ms: Option<i64>,
    /// It is one zstd frame of lines.
    pub packed: bool,
}

/// A transcript in a folder, in use or archived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundTranscript {
    /// The file's name.
    pub name: String,
    /// The session in its name.
    pub session_id: String,
    /// The topic in its name, for sessions of topics.
    pub topic: Option<String>,
    /// Why it was archived.
    pub reason: Option<Reason>,
    /// When it was archived, in epoch milliseconds.
    pub at_ms: Option<i64>,
    /// It is packed.
    pub packed: bool,
}

impl FoundTranscript {
    /// By its name; nothing for what is no transcript.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let archive = archive(name)?;
        Some(Self {
            name: name.to_owned(),
            session_id: archive.session_id.to_owned(),
            topic: archive.topic.map(str::to_owned),
            reason: archive.reason,
            at_ms: archive.at_ms,
            packed: archive.packed,
        })
    }

    /// Its name without its end: the session's id, of a topic with the topic.
    #[must_use]
    pub fn stem(&self) -> String {
        match &self.topic {
            Some(topic) => format!("{}-topic-{topic}", self.session_id),
            None => self.session_id.clone(),
        }
    }

    /// Whether this one is read in place of another one of the same session: the transcript in use goes before archives,
    /// the newest archive before others.
    #[must_use]
    pub fn goes_before(&self, other: &Self) -> bool {
        (self.reason.is_none(), self.at_ms) > (other.reason.is_none(), other.at_ms)
    }
}

/// Reads a name; nothing for what is no transcript: checkpoints, locks, temporary files, stores.
#[must_use]
pub fn archive(name: &str) -> Option<ArchiveFileName<'_>> {
    if name.contains(".checkpoint.") || name.ends_with(".lock") || name.ends_with(".tmp") {
        return None;
    }
    if let Some(stem) = name.strip_suffix(".jsonl") {
        let (session_id, topic) = session(stem)?;
        return Some(ArchiveFileName { session_id, topic, reason: None, at_ms: None, packed: false });
    }
    let (stem, rest) = name.split_once(".jsonl.")?;
    let (session_id, topic) = session(stem)?;
    let (word, rest) = rest.split_once('.')?;
    let reason = match word {
        "reset" => Reason::Reset,
        "deleted" => Reason::Deleted,
        "bak" => Reason::Backup,
        _ => return None,
    };
    let (rest, packed) = rest.strip_suffix(".zst").map_or((rest, false), |rest| (rest, true));
    // A packed one bears a number of its own behind the time.
    let unique = rest.rsplit_once('.').filter(|(_, unique)| unique.len() == 32 && is_hex(unique));
    let at_ms = stamp(unique.map_or(rest, |(stamp, _)| stamp))?;
    Some(ArchiveFileName { session_id, topic, reason: Some(reason), at_ms: Some(at_ms), packed })
}

/// `2026-02-17T12-34-56.789Z`; also with a dash before the milliseconds, and without any.
fn stamp(text: &str) -> Option<i64> {
    let (date, clock) = text.split_once('T')?;
    let clock = clock.strip_suffix('Z')?;
    let mut parts = clock.splitn(3, '-');
    let (hour, minute, second) = (parts.next()?, parts.next()?, parts.next()?);
    let (second, milli) = second.split_once(['.', '-']).unwrap_or((second, "000"));
    let counted = |text: &str, length: usize| text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    if ![(hour, 2), (minute, 2), (second, 2), (milli, 3)].iter().all(|(text, length)| counted(text, *length)) {
        return None;
    }
    time::parse_iso(&format!("{date}T{hour}:{minute}:{second}.{milli}Z"))
}

fn session(stem: &str) -> Option<(&str, Option<&str>)> {
    let (session_id, topic) = match stem.split_once("-topic-") {
        Some((session_id, topic)) => (session_id, Some(topic)),
        None => (stem, None),
    };
    is_session_id(session_id).then_some((session_id, topic))
}

/// `^[a-z0-9][a-z0-9._-]{0,127}$`, in any case (`contract/sessions.md` §2.1).
pub(super) fn is_session_id(text: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    text.len() <= 128
        && text.bytes().next().is_some_and(|first| first.is_ascii_alphanumeric())
        && text.bytes().all(inner)
}

fn is_hex(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
