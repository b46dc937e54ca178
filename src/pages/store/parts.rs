//! Parts of a stored message: text, thinking, notes about images, and tool calls with their results. Long texts are
//! folded at first. Thinking and the details of tool calls are rendered only while the user has them open.

use coordination::transcript::reading::{MessagePart, TextExcerpt, ToolCall, ToolResult};
use leptos::prelude::*;
use serde_json::Value;
use wasm_bindgen::JsCast;

use crate::components::hidden::Name;
use crate::components::json::JsonView;
use crate::components::markdown::FoldedMarkdown;
use crate::components::plain::Plain;
use crate::i18n::{time, use_i18n};
use crate::ui::badge::Badge;
use crate::ui::{Icon, Tone};

/// One part of a message, drawn by its kind.
#[component]
pub(super) fn MessagePartView(
    part: MessagePart,
    /// Results of tools were requested.
    tools: Memo<bool>,
) -> impl IntoView {
    let words = use_i18n();
    match part {
        MessagePart::Text(content) => view! { <Text content=content /> }.into_any(),
        MessagePart::Thinking(content) => {
            let summary = view! { <span class="is-dim">{move || words.get().stores().thinking}</span> }.into_any();
            let inside = move || view! { <Text content=content.clone() /> }.into_any();
            view! { <Fold summary=summary inside=Box::new(inside) /> }.into_any()
        }
        MessagePart::Call(call) => view! { <CallFold call=call tools=tools /> }.into_any(),
        MessagePart::Image(bytes) => {
            let text = move || {
                let stores = words.get().stores();
                bytes.map_or_else(
                    || stores.image.to_owned(),
                    |bytes| (stores.image_of)(&time::count(words.locale(), bytes)),
                )
            };
            view! { <p class="turn__note">{Icon::File} {text}</p> }.into_any()
        }
        MessagePart::Other(kind) => {
            let kind = coordination::text::hidden::marked(&kind).into_owned();
            view! { <p class="turn__note">{Icon::Help} {move || (words.get().stores().other_part)(&kind)}</p> }
                .into_any()
        }
    }
}

/// Markdown text of an agent, and a note when it was cut.
#[component]
fn Text(content: TextExcerpt) -> impl IntoView {
    view! {
        <FoldedMarkdown text=content.text />
        {content.cut.then(|| view! { <Cut /> })}
    }
}

/// Note that a text was cut.
#[component]
fn Cut() -> impl IntoView {
    let words = use_i18n();
    view! { <p class="bubble__cut">{move || words.get().stores().cut}</p> }
}

/// Folded part. Its content is drawn while it is open.
#[component]
fn Fold(summary: AnyView, inside: Box<dyn Fn() -> AnyView + Send + Sync>) -> impl IntoView {
    let open = RwSignal::new(false);
    let toggle = move |event: leptos::ev::Event| {
        let details = event.current_target().and_then(|target| target.dyn_into::<web_sys::HtmlDetailsElement>().ok());
        open.set(details.is_some_and(|details| details.open()));
    };
    view! {
        <details class="turn__fold" on:toggle=toggle>
            <summary>{summary}</summary>
            <div class="turn__inside">{move || open.get().then(&inside)}</div>
        </details>
    }
}

fn failed_mark() -> impl IntoView {
    let words = use_i18n();
    view! { <Badge tone=Tone::Danger icon=Icon::Warn text=Signal::derive(move || words.get().stores().failed.to_owned()) /> }
}

/// Icon and name of a tool.
#[component]
fn ToolName(name: String) -> impl IntoView {
    let words = use_i18n();
    view! {
        {Icon::Settings}
        <span class="visually-hidden">{move || words.get().stores().tool} " "</span>
        <b>
            <Name text=name />
        </b>
    }
}

/// Folded tool call: name and short arguments; inside, the arguments and the result.
#[component]
fn CallFold(call: ToolCall, tools: Memo<bool>) -> impl IntoView {
    let words = use_i18n();
    let failed = call.result.as_ref().is_some_and(|result| result.failed);
    let summary = view! {
        <ToolName name=call.name.clone() />
        <span class="turn__short">
            <Name text=call.short() />
        </span>
        {failed.then(failed_mark)}
    };
    let inside = move || {
        let arguments = call.arguments.clone().filter(|sent| !sent.is_empty()).map(|sent| {
            view! {
                <h3>{move || words.get().stores().arguments}</h3>
                <JsonView value=Value::Object(sent) />
            }
        });
        let result = match call.result.clone() {
            Some(result) => view! {
                <h3>{move || words.get().stores().result}</h3>
                <ToolOutput words=result.words />
            }
            .into_any(),
            None => {
                let why = move || {
                    let stores = words.get().stores();
                    if tools.get() { stores.no_result } else { stores.result_hidden }
                };
                view! { <p class="turn__note">{why}</p> }.into_any()
            }
        };
        view! { {arguments} {result} }.into_any()
    };
    view! { <Fold summary=summary.into_any() inside=Box::new(inside) /> }
}

/// Result of a tool whose call is in another turn.
#[component]
pub(super) fn ResultFold(result: ToolResult) -> impl IntoView {
    let words = use_i18n();
    let failed = result.failed;
    let name = coordination::text::hidden::marked(&result.name).into_owned();
    let summary = view! {
        {Icon::Settings}
        <b>{move || (words.get().stores().result_of)(&name)}</b>
        {failed.then(failed_mark)}
    };
    let inside = move || view! { <ToolOutput words=result.words.clone() /> }.into_any();
    view! { <Fold summary=summary.into_any() inside=Box::new(inside) /> }
}

/// Output of a tool as written, and a note when it was cut.
#[component]
fn ToolOutput(words: TextExcerpt) -> impl IntoView {
    view! {
        <pre class="turn__output" tabindex="0">
            <Plain text=words.text />
        </pre>
        {words.cut.then(|| view! { <Cut /> })}
    }
}
