//! Files in which a machine of a fleet publishes what its monitor reads of transcripts and stores: exchanges in parts, and one
//! file with the rest. [`super::feed`] makes them, [`super::mirrored`] reads them.
//!
//! What somebody wrote is below a key that the publisher takes for one of texts (`fleet/text.rs`), also where it is one word.

use coordination::api::{AgentStatement, ApprovalKind, ApprovalRequest, StoreInfoRow, Unreadable};
use coordination::digest::sha256_hex;
use coordination::ids::AgentId;
use coordination::store::{PendingApproval, PersonRequests};
use coordination::transcript::exchanges::{ExchangeEvent, TranscriptLineRef};
use serde::{Deserialize, Serialize};

use super::TranscriptUpdate;

/// Folder of these files in a mirror.
pub(crate) const PUBLISHED_FOLDER: &str = "task-hub-transcripts";
/// Name of the file with everything but exchanges. It comes after the names of all parts, so that it is published last.
pub(super) const STORES: &str = "stores.json";
/// Parts of the exchanges. A new message sends one part.
const PARTS: u8 = 64;
/// Version of these files.
const FORMAT: u32 = 1;
/// Longest id, key or name, in bytes.
const MAX_WORD_BYTES: usize = 1_024;
/// Events of one part.
pub(super) const MAX_PART_EVENTS: usize = 40_000;
/// Approvals, statements, stores and unreadable files, each.
const MAX_ROWS: usize = 10_000;

/// Whether a path is one of these files.
pub(crate) fn is_published_path(path: &str) -> bool {
    name_of(path).is_some_and(|name| name == STORES || is_part_name(name))
}

/// Whether a path is one of a part.
pub(crate) fn is_part_path(path: &str) -> bool {
    name_of(path).is_some_and(is_part_name)
}

fn name_of(path: &str) -> Option<&str> {
    path.strip_prefix(PUBLISHED_FOLDER)?.strip_prefix('/')
}

/// Whether a name is one of a part.
pub(super) fn is_part_name(name: &str) -> bool {
    let Some(number) = name.strip_suffix(".json").filter(|number| number.len() == 2) else { return false };
    let is_hex = number.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    is_hex && u8::from_str_radix(number, 16).is_ok_and(|number| number < PARTS)
}

/// Path of a file in a mirror.
pub(super) fn path_of(name: &str) -> String {
    format!("{PUBLISHED_FOLDER}/{name}")
}

/// Name of the part of an exchange. It depends on nothing but the id.
pub(super) fn part_name(exchange: &str) -> String {
    let digest = sha256_hex(exchange.as_bytes());
    let byte = digest.get(..2).and_then(|hex| u8::from_str_radix(hex, 16).ok()).unwrap_or_default();
    format!("{:02x}.json", byte % PARTS)
}

/// A part as it is written.
#[derive(Serialize)]
struct WrittenPart<'a> {
    format: u32,
    events: &'a [&'a ExchangeEvent],
}

/// A part as it is read.
#[derive(Deserialize)]
struct ReadPart {
    events: Vec<ExchangeEvent>,
}

/// The version of a file.
#[derive(Deserialize)]
struct FormatHead {
    format: u32,
}

/// Text of a part.
pub(super) fn part_text(events: &[&ExchangeEvent]) -> serde_json::Result<Vec<u8>> {
    serde_json::to_vec(&WrittenPart { format: FORMAT, events })
}

/// Reads a part; second: events that are left out because they have no id or agent that can be one.
///
/// # Errors
/// Why it cannot be read.
pub(super) fn read_part(bytes: &[u8]) -> Result<(Vec<ExchangeEvent>, u64), String> {
    let ReadPart { mut events } = read(bytes)?;
    let count = events.len();
    if count > MAX_PART_EVENTS {
        return Err(format!("{count} events are more than a part has"));
    }
    events.retain(is_plain);
    let left_out = (count - events.len()) as u64;
    Ok((events, left_out))
}

fn read<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, String> {
    let damaged = |error: serde_json::Error| format!("not as it is published: {error}");
    match serde_json::from_slice(bytes).map_err(damaged)? {
        FormatHead { format: FORMAT } => serde_json::from_slice(bytes).map_err(damaged),
        FormatHead { format } => Err(format!("version {format} is not known")),
    }
}

/// Whether ids and names are words, as those that a transcript or its file gives.
fn is_plain(event: &ExchangeEvent) -> bool {
    let is_plain_line = |line: &TranscriptLineRef| {
        let others = [&line.entry, &line.key].into_iter().flatten();
        is_word(&line.session_id) && is_word(&line.agent) && others.into_iter().all(|text| is_bounded(text))
    };
    let context = [&event.context.task, &event.context.work_session, &event.context.conversation];
    let others = context.into_iter().chain([&event.run_id, &event.from.key, &event.to.key]).flatten();
    is_word(&event.exchange)
        && is_word(&event.from.agent)
        && is_word(&event.to.agent)
        && others.into_iter().all(|text| is_bounded(text))
        && event.cause.iter().chain(&event.written).all(is_plain_line)
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && is_bounded(text)
}

fn is_bounded(text: &str) -> bool {
    text.len() <= MAX_WORD_BYTES && !text.contains(char::is_control)
}

/// Everything but exchanges.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PublishedStores {
    format: u32,
    /// All transcripts were read once, so `parts` are all that there are.
    pub(super) complete: bool,
    /// Names of the parts.
    pub(super) parts: Vec<String>,
    /// Transcripts that are followed.
    pub(super) transcripts: u64,
    /// Lines that could not be understood.
    pub(super) bad_lines: u64,
    /// Where sessions are stored.
    pub(super) stores: Vec<StoreInfoRow>,
    approvals: Vec<PublishedApproval>,
    statements: Vec<PublishedStatement>,
    /// Unreadable stores and transcripts.
    pub(super) unreadable: Vec<Unreadable>,
}

/// An approval that waits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PublishedApproval {
    id: String,
    kind: ApprovalKind,
    description: ApprovalTexts,
    left_out: u32,
    tool: Option<String>,
    host: Option<String>,
    agent_id: Option<AgentId>,
    session_key: Option<String>,
    created_at: i64,
    expires_at: i64,
    /// The machine takes an answer over its fleet.
    #[serde(rename = "answerable")]
    is_answerable: bool,
}

/// What is to be approved, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct ApprovalTexts {
    title: Option<String>,
    text: String,
    warning: String,
}

/// A statement of an agent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PublishedStatement {
    agent_id: AgentId,
    note: StatementTexts,
    expires_at: i64,
    session_key: String,
}

/// Its words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct StatementTexts {
    text: String,
    attention: Option<String>,
}

impl PublishedStores {
    /// What an update says. `can_answer`: the machine answers approvals for its fleet.
    pub(super) fn new(update: &TranscriptUpdate, parts: Vec<String>, can_answer: bool) -> Self {
        let approvals = update.requests.approvals.iter().take(MAX_ROWS);
        let statements = update.requests.statements.iter().take(MAX_ROWS);
        Self {
            format: FORMAT,
            complete: update.complete,
            parts,
            transcripts: update.reading.transcripts,
            bad_lines: update.reading.bad_lines,
            stores: update.stores.clone(),
            approvals: approvals.map(|approval| PublishedApproval::new(approval, can_answer)).collect(),
            statements: statements.map(PublishedStatement::new).collect(),
            unreadable: update.unreadable.clone(),
        }
    }

    /// Text of the file.
    pub(super) fn text(&self) -> serde_json::Result<Vec<u8>> {
        serde_json::to_vec(self)
    }

    /// Reads the file.
    ///
    /// # Errors
    /// Why it cannot be read.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let mut read: Self = read(bytes)?;
        read.parts.retain(|name| is_part_name(name));
        read.stores.truncate(MAX_ROWS);
        read.unreadable.truncate(MAX_ROWS);
        Ok(read)
    }

    /// What the stores ask of a person.
    pub(super) fn requests(&self) -> PersonRequests {
        let approvals = self.approvals.iter().take(MAX_ROWS).filter(|approval| is_word(&approval.id));
        let is_named = |statement: &&PublishedStatement| is_word(statement.agent_id.as_str());
        let statements = self.statements.iter().take(MAX_ROWS).filter(is_named);
        PersonRequests {
            approvals: approvals.map(PublishedApproval::approval).collect(),
            statements: statements.map(PublishedStatement::statement).collect(),
            gateway_page: None,
        }
    }
}

impl PublishedApproval {
    fn new(approval: &PendingApproval, can_answer: bool) -> Self {
        let request = approval.request.clone();
        Self {
            id: request.id,
            kind: request.kind,
            description: ApprovalTexts { title: approval.title.clone(), text: request.text, warning: request.warning },
            left_out: request.left_out,
            tool: request.tool,
            host: request.host,
            agent_id: approval.agent_id.clone(),
            session_key: approval.session_key.clone(),
            created_at: approval.created_at,
            expires_at: approval.expires_at,
            is_answerable: can_answer && approval.is_shown_whole(),
        }
    }

    fn approval(&self) -> PendingApproval {
        let ApprovalTexts { title, text, warning } = self.description.clone();
        let word = |text: &Option<String>| text.clone().filter(|text| is_word(text));
        let agent_id = self.agent_id.clone().filter(|agent| is_word(agent.as_str()));
        PendingApproval {
            request: ApprovalRequest {
                id: self.id.clone(),
                kind: self.kind,
                text: first_chars(text),
                left_out: self.left_out,
                warning: first_chars(warning),
                tool: word(&self.tool),
                host: word(&self.host),
                url: None,
            },
            title: title.map(first_chars).filter(|title| !title.is_empty()),
            is_forwarded: self.is_answerable && agent_id.is_some(),
            agent_id,
            session_key: word(&self.session_key),
            created_at: self.created_at,
            expires_at: self.expires_at,
            call: None,
        }
    }
}

impl PublishedStatement {
    fn new((agent_id, statement): &(AgentId, AgentStatement)) -> Self {
        let note = StatementTexts { text: statement.note.clone(), attention: statement.attention.clone() };
        let (expires_at, session_key) = (statement.expires_at, statement.session_key.clone());
        Self { agent_id: agent_id.clone(), note, expires_at, session_key }
    }

    fn statement(&self) -> (AgentId, AgentStatement) {
        let statement = AgentStatement {
            note: first_chars(self.note.text.clone()),
            attention: self.note.attention.clone().map(first_chars),
            expires_at: self.expires_at,
            session_key: first_chars(self.session_key.clone()),
        };
        (self.agent_id.clone(), statement)
    }
}

/// As many characters as the reader of stores keeps of a text.
fn first_chars(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(ApprovalRequest::MAX_TEXT_CHARS) {
        text.truncate(end);
    }
    text
}
