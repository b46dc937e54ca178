//! View of what a tool would do, exactly as it would run: a command, a change of a file, or the whole input. Nothing is
//! left out, and hidden characters are marked.

use coordination::api::{PermissionChannel, RequestedCall};
use leptos::prelude::*;
use serde_json::{Map, Value};

use crate::components::hidden::{Name, every_mark};
use crate::components::json::JsonView;
use crate::components::plain::{UNFOLDED_BYTES, pieces};
use crate::i18n::messages::PermissionMessages;
use crate::i18n::use_i18n;

/// Members of a coding agent's input that have a form of their own; with any other one, the whole input is shown as well.
const SHOWN: [&str; 8] =
    ["command", "description", "file_path", "notebook_path", "old_string", "new_string", "content", "plan"];

/// The same for what OpenClaw presents; any other one is shown as well.
const SHOWN_OF_OPENCLAW: [&str; 6] = ["command", "title", "description", "detail", "warning", "host"];

type CallLabel = fn(&PermissionMessages) -> &'static str;

/// The call.
#[component]
pub(super) fn ToolCallView(call: RequestedCall, channel: PermissionChannel) -> impl IntoView {
    let words = use_i18n();
    let RequestedCall { input, cwd, .. } = call;
    let is_openclaw = channel == PermissionChannel::OpenClaw;
    let shown: &[&str] = if is_openclaw { &SHOWN_OF_OPENCLAW } else { &SHOWN };
    let text = |name: &str| input.get(name).and_then(Value::as_str).map(str::to_owned);
    let code = |name: &str, label: CallLabel, class: &'static str| {
        text(name).map(|text| view! { <Code text=text label=label class=class /> })
    };
    let path = text("file_path").or_else(|| text("notebook_path"));
    let has_form = |(name, value): &(&String, &Value)| value.is_string() && shown.contains(&name.as_str());
    let others: Map<String, Value> = match input.as_object() {
        Some(fields) => {
            fields.iter().filter(|field| !has_form(field)).map(|(name, value)| (name.clone(), value.clone())).collect()
        }
        None => Map::new(),
    };
    let is_shown = others.is_empty() && input.as_object().is_some_and(|fields| !fields.is_empty());
    let rest = (!is_shown).then(|| {
        // What a coding agent runs is one value; what OpenClaw presents is a list of facts.
        let value = if is_openclaw { Value::Object(others) } else { input.clone() };
        view! {
            <h2>{move || words.get().permission().input}</h2>
            <JsonView value=value />
        }
    });
    let line = |name: &str, label: CallLabel| text(name).map(|text| view! { <Line label=label text=text /> });
    let parts = if is_openclaw {
        view! {
            {line("title", |words| words.heading)}
            {code("description", |words| words.details, "")}
            {code("detail", |words| words.details, "")}
            {code("command", |words| words.command, "is-command")}
            {line("warning", |words| words.warning)}
            {line("host", |words| words.host)}
        }
        .into_any()
    } else {
        view! {
            {line("description", |words| words.description)}
            {path.map(|text| view! { <Line label=|words| words.file text=text /> })}
            {code("command", |words| words.command, "is-command")}
            {code("old_string", |words| words.old_text, "is-removed")}
            {code("new_string", |words| words.new_text, "is-added")}
            {code("content", |words| words.content, "is-added")}
            {code("plan", |words| words.plan, "")}
        }
        .into_any()
    };
    view! {
        <section class="permission__call">
            {parts}
            {rest}
            {cwd.map(|cwd| view! { <Line label=|words| words.folder text=cwd /> })}
        </section>
    }
}

/// A short text with its label.
#[component]
fn Line(label: CallLabel, text: String) -> impl IntoView {
    let words = use_i18n();
    view! {
        <p class="permission__line">
            <span>{move || label(words.get().permission())}</span>
            <span class="permission__value"><Name text=text /></span>
        </p>
    }
}

/// A text as it is, all of it.
#[component]
fn Code(text: String, label: CallLabel, class: &'static str) -> impl IntoView {
    let words = use_i18n();
    let body = if text.len() <= UNFOLDED_BYTES { every_mark(&text, words) } else { pieces(&text, words) };
    view! {
        <h2>{move || label(words.get().permission())}</h2>
        <pre
            class=format!("permission__code {class}")
            tabindex="0"
            aria-label=move || label(words.get().permission())
        >
            <code lang="en">{body}</code>
        </pre>
    }
}
