//! Requests to webhooks: the message as plain JSON, or in the shape of Slack, Discord, Mattermost or ntfy. Texts of agents
//! are escaped, so that they format nothing and notify nobody by name.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use coordination::alerts::{AlertLine, MessageForm, OutboxMessage, RecapDigest, RecapDigestLine};
use serde_json::{Value, json};

use super::text::{MessageContent, MessageText, open_word, recap_words, words};
use crate::config::{AlertLanguage, AlertSink, AlertSinkKind, SinkText, WebhookTarget};

/// Longest text that Discord takes, in characters.
const MAX_DISCORD_CHARS: usize = 2_000;
/// Longest message of ntfy before it becomes an attachment, in bytes.
const MAX_NTFY_BYTES: usize = 3_500;

/// A request to a webhook.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct WebhookRequest {
    pub(super) method: &'static str,
    pub(super) url: String,
    pub(super) headers: Vec<(&'static str, String)>,
    pub(super) body: Vec<u8>,
}

/// What a request is made of.
#[derive(Debug, Clone, Copy)]
pub(super) struct RequestContext<'a> {
    pub(super) sink: &'a AlertSink,
    pub(super) language: AlertLanguage,
    /// Address of the dashboard, ending with `/`.
    pub(super) public_url: Option<&'a str>,
    /// Key by which the receiver recognises a repeated request.
    pub(super) idempotency_key: &'a str,
    /// The message whose lines are over: its idempotency key, its name at the sink, and the number of its lines.
    pub(super) about: Option<(&'a str, Option<&'a str>, usize)>,
    pub(super) now: i64,
}

impl RequestContext<'_> {
    /// Number of lines or changes that a message is about.
    fn count(&self, message: &OutboxMessage) -> usize {
        if let Some(digest) = &message.recap {
            return digest.count();
        }
        self.about.map_or(message.keys.len(), |(_, _, count)| count)
    }

    /// The message in words.
    pub(super) fn words(&self, message: &OutboxMessage) -> MessageText {
        if let Some(digest) = &message.recap {
            return recap_words(self.language, self.sink.text, digest);
        }
        let content = MessageContent { form: message.form, lines: &message.lines, count: self.count(message) };
        words(self.language, self.sink.text, content, self.now)
    }

    /// A path below the dashboard, as far as the sink may have it: it names what the line is about, so without text it is
    /// home.
    fn path<'a>(&self, path: &'a str) -> &'a str {
        if self.sink.text == SinkText::None { "" } else { path }
    }

    /// The address of a page.
    fn link(&self, path: &str) -> Option<String> {
        self.public_url.map(|base| format!("{base}{}", self.path(path)))
    }

    /// Where the whole message leads, below the dashboard: to its line, or home where it has several.
    pub(super) fn main_path<'a>(&self, message: &'a OutboxMessage) -> &'a str {
        let of_recap = message.recap.as_deref().map(|digest| digest.lines.as_slice());
        if let Some(lines) = of_recap {
            return self.path(if let [line] = lines { &line.path } else { "" });
        }
        let single = message.lines.first().filter(|_| self.count(message) == 1);
        self.path(single.map_or("", |line| &line.path))
    }

    /// Its address.
    pub(super) fn main_link(&self, message: &OutboxMessage) -> Option<String> {
        self.link(self.main_path(message))
    }

    /// The message as plain text.
    pub(super) fn plain_text(&self, message: &OutboxMessage, with_links: bool) -> String {
        let text = self.words(message);
        let many = text.lines.len() > 1;
        let lines = text.lines.iter().flat_map(|line| {
            let link = self.link(&line.path).filter(|_| with_links && many);
            std::iter::once(line.text.clone()).chain(link)
        });
        let main = self.main_link(message).filter(|_| with_links && !many);
        lines.chain(text.more()).chain(main).collect::<Vec<_>>().join("\n")
    }
}

/// The request that sends a message to a webhook.
pub(super) fn webhook_request(
    target: &WebhookTarget,
    context: RequestContext<'_>,
    message: &OutboxMessage,
) -> WebhookRequest {
    let mut request = WebhookRequest {
        method: "POST",
        url: target.url().to_owned(),
        headers: vec![("idempotency-key", context.idempotency_key.to_owned())],
        body: Vec::new(),
    };
    if let Some(token) = target.token() {
        request.headers.push(("authorization", format!("Bearer {token}")));
    }
    let body = match context.sink.kind {
        AlertSinkKind::Slack => slack(context, message),
        AlertSinkKind::Mattermost => {
            json!({ "text": markdown(context, &context.words(message), mattermost_text) })
        }
        AlertSinkKind::Discord => {
            discord_address(&mut request, context);
            discord(context, message)
        }
        AlertSinkKind::Ntfy => {
            ntfy(&mut request, context, message);
            return request;
        }
        AlertSinkKind::Json | AlertSinkKind::Email | AlertSinkKind::Push => plain(context, message),
    };
    request.headers.push(("content-type", "application/json".to_owned()));
    request.body = body.to_string().into_bytes();
    request
}

/// The message as plain JSON, for programs.
fn plain(context: RequestContext<'_>, message: &OutboxMessage) -> Value {
    if let Some(digest) = &message.recap {
        return plain_recap(context, message, digest);
    }
    let text = context.words(message);
    let level = context.sink.text;
    let line = |line: &AlertLine| {
        let mut shown =
            json!({ "kind": line.kind, "since": line.since, "heldUp": line.held_up, "inferred": line.inferred });
        let mut put = |name: &str, value: Value, least: SinkText| put(&mut shown, name, value, level >= least);
        put("agent", line.agent.clone().into(), SinkText::Title);
        put("other", line.other.clone().into(), SinkText::Title);
        put("cycle", line.cycle.clone().into(), SinkText::Title);
        put("waiters", line.waiters.clone().into(), SinkText::Title);
        put("title", line.title.clone().into(), SinkText::Title);
        put("detail", line.detail.clone().into(), SinkText::Full);
        put("url", context.link(&line.path).unwrap_or_default().into(), SinkText::Title);
        shown
    };
    let mut body = json!({
        "version": 1,
        "id": context.idempotency_key,
        "form": message.form,
        "status": if message.form == MessageForm::Over { "over" } else { "open" },
        "rule": message.rule_name(),
        "at": message.at,
        "title": text.title,
        "text": context.plain_text(message, false),
        "count": context.count(message),
        "lines": message.lines.iter().map(line).collect::<Vec<_>>(),
    });
    if let Some((about, ..)) = context.about {
        body["about"] = about.into();
    }
    if let Some(link) = context.main_link(message) {
        body["url"] = link.into();
    }
    body
}

/// Adds a field that says something, if it may leave the machine.
fn put(object: &mut Value, name: &str, value: Value, may_leave: bool) {
    let is_empty =
        value.is_null() || value.as_str().is_some_and(str::is_empty) || value.as_array().is_some_and(Vec::is_empty);
    if may_leave && !is_empty {
        object[name] = value;
    }
}

/// A recap as plain JSON. Nothing of it waits or is over, so it has no status.
fn plain_recap(context: RequestContext<'_>, message: &OutboxMessage, digest: &RecapDigest) -> Value {
    let level = context.sink.text;
    let line = |line: &RecapDigestLine| {
        let mut shown = json!({ "kind": line.kind, "at": line.at, "count": line.count });
        let mut put = |name: &str, value: Value, least: SinkText| put(&mut shown, name, value, level >= least);
        put("outcome", json!(line.outcome), SinkText::Title);
        put("attention", json!(line.attention), SinkText::Title);
        put("agent", line.agent.clone().into(), SinkText::Title);
        put("other", line.other.clone().into(), SinkText::Title);
        put("tookMs", json!(line.took_ms), SinkText::Title);
        put("usualMs", json!(line.usual_ms), SinkText::Title);
        put("title", line.title.clone().into(), SinkText::Title);
        put("detail", line.detail.clone().into(), SinkText::Full);
        put("url", context.link(&line.path).unwrap_or_default().into(), SinkText::Title);
        shown
    };
    // Counts by kind are all that a sink without texts gets.
    let lines = digest.lines.iter().filter(|_| level >= SinkText::Title).map(line);
    let mut body = json!({
        "version": 1,
        "id": context.idempotency_key,
        "form": message.form,
        "recap": message.rule_name(),
        "at": message.at,
        "since": digest.since,
        "until": digest.until,
        "partial": digest.partial,
        "title": context.words(message).title,
        "text": context.plain_text(message, false),
        "count": digest.count(),
        "totals": digest.totals,
        "lines": lines.collect::<Vec<_>>(),
    });
    put(&mut body, "url", context.main_link(message).unwrap_or_default().into(), true);
    body
}

/// Title, lines and links in Markdown; `escape` is the escape of the chat.
fn markdown(context: RequestContext<'_>, text: &MessageText, escape: fn(&str) -> String) -> String {
    let link =
        |label: &str, path: &str| context.link(path).map(|link| format!(" [{label}]({link})")).unwrap_or_default();
    let open = open_word(context.language);
    let mut out = format!("**{}**", escape(&text.title));
    match text.lines.as_slice() {
        [] if text.more().is_none() => out.push_str(&link(open, "")),
        [one] if text.more().is_none() => out.push_str(&format!("\n{}{}", escape(&one.text), link(open, &one.path))),
        lines => {
            lines
                .iter()
                .for_each(|line| out.push_str(&format!("\n- {}{}", escape(&line.text), link(open, &line.path))));
        }
    }
    out.extend(text.more().map(|more| format!("\n{}{}", escape(&more), link(open, ""))));
    out
}

fn slack(context: RequestContext<'_>, message: &OutboxMessage) -> Value {
    let text = context.words(message);
    let link = |path: &str| {
        let open = open_word(context.language);
        context.link(path).map(|link| format!(" <{link}|{open}>")).unwrap_or_default()
    };
    let mut out = format!("*{}*", slack_text(&text.title));
    if text.lines.is_empty() && text.more().is_none() {
        out.push_str(&link(""));
    }
    text.lines.iter().for_each(|line| out.push_str(&format!("\n{}{}", slack_text(&line.text), link(&line.path))));
    out.extend(text.more().map(|more| format!("\n{}{}", slack_text(&more), link(""))));
    json!({ "text": out, "unfurl_links": false, "unfurl_media": false })
}

/// The three characters that Slack reads as markup; marks of format get a joiner that shows nothing, so that they stay
/// signs.
fn slack_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '*' | '_' | '~' | '`' => out.extend(['\u{200b}', c, '\u{200b}']),
            c => out.push(c),
        }
    }
    out
}

/// Marks of Markdown as themselves.
fn markdown_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if "\\*_~`|>#[]()-+!:<".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Mattermost notifies `@channel` from webhooks, too.
fn mattermost_text(text: &str) -> String {
    markdown_text(text).replace('@', "@\u{200b}")
}

fn discord(context: RequestContext<'_>, message: &OutboxMessage) -> Value {
    let mut text = context.words(message);
    let mut content = markdown(context, &text, markdown_text);
    // Whole lines, so that no link is cut.
    while content.chars().count() > MAX_DISCORD_CHARS && text.lines.len() > 1 && text.shorten() {
        content = markdown(context, &text, markdown_text);
    }
    if let Some((end, _)) = content.char_indices().nth(MAX_DISCORD_CHARS - 1) {
        content.truncate(end);
        content.push('…');
    }
    // 4: without previews of links.
    json!({ "content": content, "allowed_mentions": { "parse": [] }, "flags": 4 })
}

/// A new message is acknowledged with its id; by that id the message is edited when its lines are over.
fn discord_address(request: &mut WebhookRequest, context: RequestContext<'_>) {
    let (base, query) = request.url.split_once('?').unwrap_or((&request.url, ""));
    let join = |more: &str| if query.is_empty() { more.to_owned() } else { format!("{query}&{more}") };
    match context.about {
        Some((_, Some(remote), _)) => {
            let base = base.trim_end_matches('/');
            let query = if query.is_empty() { String::new() } else { format!("?{query}") };
            (request.method, request.url) = ("PATCH", format!("{base}/messages/{remote}{query}"));
        }
        _ => request.url = format!("{base}?{}", join("wait=true")),
    }
}

/// ntfy takes the message as the body and the rest in headers. A later message with the same sequence id replaces it (ntfy
/// 2.16 and later); an older one shows both.
fn ntfy(request: &mut WebhookRequest, context: RequestContext<'_>, message: &OutboxMessage) {
    let is_over = message.form == MessageForm::Over;
    let sequence = context.about.map_or(context.idempotency_key, |(about, ..)| about);
    let text = context.words(message);
    let (tag, priority) = match message.form {
        MessageForm::Over => ("white_check_mark", "2"),
        MessageForm::Test => ("wave", "3"),
        MessageForm::Recap => ("clipboard", "3"),
        _ => ("bell", "4"),
    };
    request.headers.extend([
        ("title", encoded_word(&text.title)),
        ("tags", tag.to_owned()),
        ("priority", priority.to_owned()),
        ("x-sequence-id", sequence.to_owned()),
        ("content-type", "text/plain; charset=utf-8".to_owned()),
    ]);
    request.headers.extend(context.main_link(message).filter(|_| !is_over).map(|link| ("click", link)));
    let mut body = context.plain_text(message, false);
    if body.is_empty() {
        // ntfy writes "triggered" where the body is empty.
        body.clone_from(&text.title);
    }
    request.body = cut(body, MAX_NTFY_BYTES).into_bytes();
}

/// The beginning of a text, at most `bytes` long.
pub(super) fn cut(mut text: String, bytes: usize) -> String {
    let end = (0..=bytes.min(text.len())).rev().find(|at| text.is_char_boundary(*at));
    text.truncate(end.unwrap_or_default());
    text
}

/// A text for a header (RFC 2047): headers are ASCII.
pub(super) fn encoded_word(text: &str) -> String {
    if text.bytes().all(|byte| byte.is_ascii_graphic() || byte == b' ') && !text.contains("=?") {
        return text.to_owned();
    }
    // A word has at most 75 characters, and ends between two characters of the text.
    let mut words: Vec<String> = vec![String::new()];
    for c in text.chars() {
        if words.last().is_some_and(|word| word.len() + c.len_utf8() > 42) {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.push(c);
        }
    }
    words.iter().map(|word| format!("=?UTF-8?B?{}?=", STANDARD.encode(word))).collect::<Vec<_>>().join(" ")
}
