//! Forms of session keys, such as direct, group, cron and sub-agent, and their parser (`contract/sessions.md` §1). The
//! parser reads the part of a key between the agent id and the thread suffix.

/// Purpose of a session, as far as its key shows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum KeyForm {
    /// Talk with one peer: `direct:<peer>`, `<channel>:direct:<peer>`, `<channel>:<account>:direct:<peer>`; `dm` in
    /// older keys.
    Direct {
        /// Lower-cased channel, where the key is scoped by it.
        channel: Option<String>,
        /// Account of the channel, where the key is scoped by it.
        account: Option<String>,
        /// The other side.
        peer: String,
    },
    /// Talk of many: `<channel>:group:<id>`, `<channel>:channel:<id>`, older `<channel>:room:<id>`.
    Group {
        /// Lower-cased channel.
        channel: String,
        /// Which of the three words the key has.
        word: GroupWord,
        /// The group's id; it may hold colons.
        id: String,
    },
    /// `a2a:<conversationId>`: a lane of messages between agents (the fork, February 2026).
    A2a(String),
    /// `subagent:<uuid>`, possibly nested: the last id.
    Subagent(String),
    /// `cron:<jobId>`.
    Cron(String),
    /// `cron:<jobId>:run:<runId>`: one run of a job; no list shows it.
    CronRun {
        /// The job.
        job: String,
        /// The run.
        run: String,
    },
    /// `hook:<…>`.
    Hook(String),
    /// `node-<id>` or `node:<…>`.
    Node(String),
    /// `acp:<…>`: a coding agent of another make.
    Acp(String),
    /// `dashboard:<uuid>`.
    Dashboard(String),
    /// `explicit:<…>`.
    Explicit(String),
    /// `<…>:heartbeat`, or `heartbeat` alone: what it is the heartbeat of.
    Heartbeat(String),
    /// `discord:<account>:guild-<g>:channel-<c>`, very old.
    OldDiscord {
        /// Account.
        account: String,
        /// Guild.
        guild: String,
        /// Channel.
        channel: String,
    },
    /// `global`, bare: reserved.
    Global,
    /// `unknown`, bare: reserved.
    Unknown,
    /// Anything else: a main key, or a word that a caller chose.
    Word(String),
}

/// The part that marks a session of a group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GroupWord {
    /// `group`.
    Group,
    /// `channel`.
    Channel,
    /// `room`, in old keys.
    Room,
}

impl KeyForm {
    /// Reads the parts behind the agent, or all parts of a bare key; none of them is empty.
    pub(super) fn read(parts: &[&str], bare: bool) -> Self {
        let lower: Vec<String> = parts.iter().map(|part| part.to_lowercase()).collect();
        let lower: Vec<&str> = lower.iter().map(String::as_str).collect();
        let rest = |from: usize| parts.get(from..).unwrap_or_default().join(":");
        match lower.as_slice() {
            ["global"] if bare => Self::Global,
            ["unknown"] if bare => Self::Unknown,
            [.., "subagent", _] => Self::Subagent(rest(parts.len() - 1)),
            ["a2a", _, ..] => Self::A2a(rest(1)),
            ["cron", job, "run", run, ..] => Self::CronRun { job: own(parts, 1, job), run: own(parts, 3, run) },
            ["heartbeat"] => Self::Heartbeat(String::new()),
            [_, .., "heartbeat"] => Self::Heartbeat(parts[..parts.len() - 1].join(":")),
            ["cron", _, ..] => Self::Cron(rest(1)),
            ["hook", _, ..] => Self::Hook(rest(1)),
            ["node", _, ..] => Self::Node(rest(1)),
            [first] if first.strip_prefix("node-").is_some_and(|id| !id.is_empty()) => {
                Self::Node(parts[0].get(5..).unwrap_or_default().to_owned())
            }
            ["acp", _, ..] => Self::Acp(rest(1)),
            ["dashboard", _, ..] => Self::Dashboard(rest(1)),
            ["explicit", _, ..] => Self::Explicit(rest(1)),
            ["direct" | "dm", _, ..] => Self::Direct { channel: None, account: None, peer: rest(1) },
            [channel, "direct" | "dm", _, ..] => {
                Self::Direct { channel: Some((*channel).to_owned()), account: None, peer: rest(2) }
            }
            [channel, word @ ("group" | "channel" | "room"), _, ..] => {
                Self::Group { channel: (*channel).to_owned(), word: GroupWord::from_word(word), id: rest(2) }
            }
            [channel, _, "direct" | "dm", _, ..] => {
                Self::Direct { channel: Some((*channel).to_owned()), account: Some(parts[1].to_owned()), peer: rest(3) }
            }
            ["discord", _, guild, channel] => {
                match (id(parts[2], guild, "guild-"), id(parts[3], channel, "channel-")) {
                    (Some(guild), Some(channel)) => Self::OldDiscord { account: parts[1].to_owned(), guild, channel },
                    _ => Self::Word(rest(0)),
                }
            }
            _ => Self::Word(rest(0)),
        }
    }
}

impl GroupWord {
    fn from_word(word: &str) -> Self {
        match word {
            "group" => Self::Group,
            "channel" => Self::Channel,
            _ => Self::Room,
        }
    }
}

/// A part as it is written; `lower` replaces it where it is missing, which cannot be.
fn own(parts: &[&str], at: usize, lower: &str) -> String {
    parts.get(at).copied().unwrap_or(lower).to_owned()
}

/// Text after a prefix, as it is written.
fn id(written: &str, lower: &str, prefix: &str) -> Option<String> {
    lower.strip_prefix(prefix)?;
    written.get(prefix.len()..).filter(|id| !id.is_empty()).map(str::to_owned)
}
