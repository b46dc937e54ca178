//! Accessors of a transcript message of any version: role, content blocks, tool calls, provenance and token usage
//! (`contract/sessions.md` §3). All its fields are optional.

use serde_json::{Map, Value};

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageRole {
    /// A person, another session or the machinery: `provenance` says which.
    User,
    /// The agent.
    Assistant,
    /// What a tool answered (`toolResult`, old `tool`).
    Tool,
    /// An extension's message.
    Custom,
    /// The program.
    System,
    /// Anything else.
    Other,
}

/// What a message is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ContentBlock<'a> {
    /// `text`, `input_text` or `output_text`.
    Text(&'a str),
    /// What the agent thought.
    Thinking(&'a str),
    /// A call of a tool.
    Call(ToolCallBlock<'a>),
    /// A picture; its bytes are not handed on.
    Image,
    /// Any other block.
    Other(&'a str),
}

/// A call of a tool, out of its wrapper if it has one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ToolCallBlock<'a> {
    /// Which call; its result names it.
    pub id: &'a str,
    /// The tool that was really called.
    pub name: &'a str,
    /// What it was called with.
    pub arguments: Option<&'a Map<String, Value>>,
    /// It was called through `tool_call`.
    pub wrapped: bool,
}

/// Where a user message came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Provenance<'a> {
    /// `external_user`, `inter_session` or `internal_system`.
    pub kind: &'a str,
    /// The session that sent it.
    pub source_session_key: Option<&'a str>,
    /// The tool that carried it.
    pub source_tool: Option<&'a str>,
}

/// Tokens a message cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// Input tokens that were not in the cache.
    pub input: u64,
    /// Output tokens.
    pub output: u64,
    /// Read from the provider's cache.
    pub cache_read: u64,
    /// Tokens written to the cache.
    pub cache_write: u64,
    /// All of them, as the provider counts.
    pub total: u64,
}

/// One message.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TranscriptMessage<'a> {
    fields: &'a Map<String, Value>,
}

impl<'a> TranscriptMessage<'a> {
    pub(super) fn new(fields: &'a Map<String, Value>) -> Self {
        Self { fields }
    }

    /// All its fields.
    #[must_use]
    pub fn fields(self) -> &'a Map<String, Value> {
        self.fields
    }

    /// A text field.
    #[must_use]
    pub fn text_of(self, name: &str) -> Option<&'a str> {
        self.fields.get(name).and_then(Value::as_str)
    }

    /// Who speaks.
    #[must_use]
    pub fn role(self) -> MessageRole {
        let is = |name: &str| self.text_of("role").is_some_and(|role| role.eq_ignore_ascii_case(name));
        match () {
            () if is("user") => MessageRole::User,
            () if is("assistant") => MessageRole::Assistant,
            () if is("toolResult") || is("tool") => MessageRole::Tool,
            () if is("custom") => MessageRole::Custom,
            () if is("system") => MessageRole::System,
            () => MessageRole::Other,
        }
    }

    /// What it is made of, in order. A plain string is one text.
    pub fn blocks(self) -> impl Iterator<Item = ContentBlock<'a>> {
        let content = self.fields.get("content");
        let text = content.and_then(Value::as_str).map(ContentBlock::Text);
        let list = content.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
        text.into_iter().chain(list.iter().filter_map(Value::as_object).map(block))
    }

    /// Its texts.
    pub fn texts(self) -> impl Iterator<Item = &'a str> {
        self.blocks().filter_map(|block| match block {
            ContentBlock::Text(text) => Some(text),
            _ => None,
        })
    }

    /// Its text where one text represents it: the string, else the first block with text (`contract/sessions.md` §5).
    #[must_use]
    pub fn first_text(self) -> Option<&'a str> {
        self.texts().map(str::trim).find(|text| !text.is_empty())
    }

    /// All its texts, a line break between two; nothing when that is blank.
    #[must_use]
    pub fn whole_text(self) -> Option<String> {
        let joined = self.texts().filter(|text| !text.trim().is_empty()).collect::<Vec<_>>().join("\n");
        (!joined.is_empty()).then_some(joined)
    }

    /// Its calls of tools.
    pub fn calls(self) -> impl Iterator<Item = ToolCallBlock<'a>> {
        self.blocks().filter_map(|block| match block {
            ContentBlock::Call(call) => Some(call),
            _ => None,
        })
    }

    /// Where it came from; a person's message has none.
    #[must_use]
    pub fn provenance(self) -> Option<Provenance<'a>> {
        let fields = self.fields.get("provenance")?.as_object()?;
        let text = |name: &str| fields.get(name).and_then(Value::as_str);
        Some(Provenance {
            kind: text("kind").unwrap_or_default(),
            source_session_key: text("sourceSessionKey"),
            source_tool: text("sourceTool"),
        })
    }

    /// Another session sent it. Asked before the role: such a message is written as a user's.
    #[must_use]
    pub fn is_inter_session(self) -> bool {
        self.provenance().is_some_and(|provenance| provenance.kind == "inter_session")
            || (self.role() == MessageRole::User && self.first_text().is_some_and(super::envelope::is_inter_session))
    }

    /// It asks not to be shown.
    #[must_use]
    pub fn is_hidden(self) -> bool {
        self.fields.get("display").and_then(Value::as_bool) == Some(false)
    }

    /// The run it belongs to: the one that wrote it, else the one a user's message started (`<runId>:user`).
    #[must_use]
    pub fn run_id(self) -> Option<&'a str> {
        let own = self.fields.get("__openclaw").and_then(|own| own.get("runId")).and_then(Value::as_str);
        own.or_else(|| self.text_of("idempotencyKey")?.strip_suffix(":user")).filter(|run| !run.is_empty())
    }

    /// Written by the program in the agent's name: a copy of what went out, or something put in.
    #[must_use]
    pub fn is_injected(self) -> bool {
        self.text_of("provider") == Some("openclaw")
            && matches!(self.text_of("model"), Some("delivery-mirror" | "gateway-injected"))
    }

    /// Why the agent stopped: `stop`, `length`, `toolUse`, `error` or `aborted`.
    #[must_use]
    pub fn stop_reason(self) -> Option<&'a str> {
        self.text_of("stopReason")
    }

    /// What it cost, where that is written.
    #[must_use]
    pub fn usage(self) -> Option<Usage> {
        let fields = self.fields.get("usage")?.as_object()?;
        let count = |name: &str| fields.get(name).and_then(Value::as_u64).unwrap_or_default();
        Some(Usage {
            input: count("input"),
            output: count("output"),
            cache_read: count("cacheRead"),
            cache_write: count("cacheWrite"),
            total: count("totalTokens"),
        })
    }
}

fn block(fields: &Map<String, Value>) -> ContentBlock<'_> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str).unwrap_or_default();
    let kind = text("type");
    match kind.to_ascii_lowercase().as_str() {
        "text" | "input_text" | "output_text" => ContentBlock::Text(text("text")),
        "thinking" => ContentBlock::Thinking(text("thinking")),
        "toolcall" | "tool_use" | "tool_call" => ContentBlock::Call(call(fields)),
        "image" => ContentBlock::Image,
        _ => ContentBlock::Other(kind),
    }
}

/// Name of the tool search, whose arguments hold the real call (`contract/sessions.md` §3).
const WRAPPER: &str = "tool_call";

fn call(fields: &Map<String, Value>) -> ToolCallBlock<'_> {
    let text = |name: &str| fields.get(name).and_then(Value::as_str);
    let arguments = ["arguments", "input"].iter().find_map(|name| fields.get(*name).and_then(Value::as_object));
    let plain = ToolCallBlock {
        id: text("id").unwrap_or_default(),
        name: text("name").unwrap_or_default(),
        arguments,
        wrapped: false,
    };
    let inner = arguments.filter(|_| plain.name == WRAPPER);
    let Some(inner) = inner else { return plain };
    let Some(name) = inner.get("id").and_then(Value::as_str) else { return plain };
    let arguments = inner.get("args").and_then(Value::as_object);
    ToolCallBlock { name: tool_name(name), arguments, wrapped: true, ..plain }
}

/// `sessions_send` of `openclaw:core:sessions_send`.
pub(super) fn tool_name(id: &str) -> &str {
    id.rsplit(':').next().unwrap_or(id)
}
