//! Entry of a stored session's history: message bubble, tool result, divider or note about an omitted entry.

use coordination::ids::AgentId;
use coordination::text::hidden;
use coordination::transcript::reading::{Divider, Speaker, Turn, TurnKind, TurnMessage};
use leptos::prelude::*;

use super::head::KeyLink;
use super::parts::{MessagePartView, ResultFold};
use super::state::StorePageState;
use crate::components::agent::Avatar;
use crate::components::people::{PeopleNames, use_people};
use crate::components::plain::Plain;
use crate::components::stored::agent_of;
use crate::i18n::messages::Messages;
use crate::i18n::{I18n, time, use_i18n};
use crate::routes::StoreView;
use crate::ui::badge::Badge;
use crate::ui::{Icon, Tone};

/// Draws it. `target` is the line that the address means.
pub(super) fn draw(turn: Turn, state: StorePageState) -> AnyView {
    let frame = TurnFrame::from_turn(&turn, state);
    match turn.what {
        TurnKind::TurnMessage(speech) => view! { <TurnBubble speech=speech frame=frame /> }.into_any(),
        TurnKind::Result(result) => view! {
            <TurnRow frame=frame>
                <ResultFold result=result />
            </TurnRow>
        }
        .into_any(),
        TurnKind::Divider(divider) => view! { <DividerLine divider=divider frame=frame /> }.into_any(),
        TurnKind::Omitted => {
            let words = use_i18n();
            view! {
                <TurnRow frame=frame>
                    <p class="stream-mark">{Icon::Warn} <span>{move || words.get().stores().omitted}</span></p>
                </TurnRow>
            }
            .into_any()
        }
    }
}

/// What every kind of turn has.
#[derive(Clone)]
struct TurnFrame {
    anchor: String,
    /// Names the row among rows.
    event: String,
    /// The link to it, with what tools gave where that is shown; none for a line without a name.
    href: Option<Memo<String>>,
    at_ms: Option<i64>,
    is_target: Memo<bool>,
    agent: AgentId,
    /// Results of tools were requested.
    tools: Memo<bool>,
}

impl TurnFrame {
    fn from_turn(turn: &Turn, state: StorePageState) -> Self {
        let ids: Vec<String> = turn.id.iter().chain(&turn.also).cloned().collect();
        let is_target = Memo::new(move |_| state.view.with(|view| view.at.as_ref().is_some_and(|at| ids.contains(at))));
        let whose = state.whose.get_untracked();
        let agent = whose.agent();
        let tools = Memo::new(move |_| state.view.with(|view| view.tools));
        let href = turn.id.clone().map(|id| {
            let whose = whose.clone();
            Memo::new(move |_| {
                let view = StoreView { at: Some(id.clone()), tools: tools.get(), ..StoreView::default() };
                whose.address(&view)
            })
        });
        Self {
            anchor: format!("t-{}", turn.place),
            event: format!("t-{}", turn.place),
            href,
            at_ms: turn.at_ms.filter(|at| *at > 0),
            is_target,
            agent,
            tools,
        }
    }
}

/// Frame of an entry that is not a bubble.
#[component]
fn TurnRow(frame: TurnFrame, children: Children) -> impl IntoView {
    let is_target = frame.is_target;
    view! {
        <div class="turn" class:is-target=is_target id=frame.anchor data-event=frame.event tabindex="-1">
            {children()}
        </div>
    }
}

/// Who speaks, in words.
fn name(from: &Speaker, agent: &AgentId, people: PeopleNames, words: &Messages) -> String {
    let stores = words.stores();
    match from {
        Speaker::Person => stores.person.to_owned(),
        Speaker::Agent => people.name(agent),
        Speaker::Task => stores.task.to_owned(),
        Speaker::Mirror => stores.mirror.to_owned(),
        Speaker::System(None) => stores.system.to_owned(),
        Speaker::System(Some(tool)) => format!("{} · {}", stores.system, hidden::marked(tool)),
        Speaker::Session(key) => match agent_of(key) {
            Some(id) => (stores.forwarded)(&people.name(&id)),
            None => stores.forwarded_unknown.to_owned(),
        },
    }
}

fn clock(words: I18n, at_ms: Option<i64>) -> String {
    match at_ms {
        Some(at) => format!("{} {}", time::short_day(words.locale(), at, at), time::clock_seconds(words.locale(), at)),
        None => words.get().time.unknown.to_owned(),
    }
}

/// Bubble of one message.
#[component]
fn TurnBubble(speech: TurnMessage, frame: TurnFrame) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let TurnMessage { from, parts, failed, aborted } = speech;
    let class = match from {
        Speaker::Agent => "bubble turn is-right",
        Speaker::Mirror => "bubble turn is-right is-system",
        Speaker::Person => "bubble turn is-human",
        Speaker::System(_) => "bubble turn is-system",
        Speaker::Session(_) | Speaker::Task => "bubble turn",
    };
    let face = match &from {
        Speaker::Agent | Speaker::Mirror => view! { <Avatar id=frame.agent.clone() /> }.into_any(),
        Speaker::Session(key) if agent_of(key).is_some() => {
            view! { <Avatar id=agent_of(key).unwrap_or_default() /> }.into_any()
        }
        Speaker::Person => view! { <span class="avatar is-human" aria-hidden="true">{Icon::Person}</span> }.into_any(),
        _ => view! { <span class="avatar is-plain" aria-hidden="true">{Icon::Event}</span> }.into_any(),
    };
    let source = match &from {
        Speaker::Session(key) if !key.is_empty() => Some(view! { <KeyLink key=key.clone() /> }),
        _ => None,
    };
    let name = {
        let agent = frame.agent.clone();
        move || name(&from, &agent, people, words.get())
    };
    let at_ms = frame.at_ms;
    let label = {
        let name = name.clone();
        move || (words.get().stores().author_at)(&name(), &clock(words, at_ms))
    };
    let exact = move || at_ms.map(|at| time::exact(words.locale(), at));
    let when = view! { <time>{move || clock(words, at_ms)}</time> };
    let when = match frame.href {
        Some(href) => view! { <a href=href title=exact>{when}</a> }.into_any(),
        None => view! { <span title=exact>{when}</span> }.into_any(),
    };
    let parts = parts.into_iter().map(|part| view! { <MessagePartView part=part tools=frame.tools /> }).collect_view();
    let is_target = frame.is_target;
    view! {
        <article
            class=class
            class:is-target=is_target
            id=frame.anchor
            data-event=frame.event
            aria-label=label
            tabindex="-1"
        >
            {face}
            <div class="bubble__col">
                <header class="bubble__head">
                    <b>
                        <bdi>{name}</bdi>
                    </b>
                    {source} {when}
                </header>
                <div class="bubble__body">
                    {parts} <TurnEnding failed=failed aborted=aborted />
                </div>
            </div>
        </article>
    }
}

/// Badges of a failed or aborted run; nothing otherwise.
#[component]
fn TurnEnding(failed: Option<String>, aborted: bool) -> impl IntoView {
    let words = use_i18n();
    let text = move |word: fn(&crate::i18n::messages::StoresMessages) -> &'static str| {
        Signal::derive(move || word(words.get().stores()).to_owned())
    };
    view! {
        {failed
            .map(|why| {
                view! {
                    <p class="turn__failed">
                        <Badge tone=Tone::Danger icon=Icon::Warn text=text(|words| words.run_failed) />
                    </p>
                    {(!why.is_empty()).then(|| view! { <pre class="turn__output" tabindex="0"><Plain text=why /></pre> })}
                }
            })}
        {aborted
            .then(|| {
                view! {
                    <p class="turn__failed">
                        <Badge tone=Tone::Warning icon=Icon::Close text=text(|words| words.aborted) />
                    </p>
                }
            })}
    }
}

/// Line where the history was compacted, reset or branched.
#[component]
fn DividerLine(divider: Divider, frame: TurnFrame) -> impl IntoView {
    let words = use_i18n();
    let text = move || {
        let stores = words.get().stores();
        match divider {
            Divider::Compaction => stores.compaction,
            Divider::Reset => stores.reset,
            Divider::Branch => stores.branch,
            Divider::Other => stores.divider,
        }
    };
    let (at_ms, is_target) = (frame.at_ms, frame.is_target);
    view! {
        <div
            class="stream-day turn"
            class:is-target=is_target
            id=frame.anchor
            data-event=frame.event
            tabindex="-1"
            role="note"
        >
            <span>
                {text}
                {at_ms.map(|_| view! { <small>{move || clock(words, at_ms)}</small> })}
            </span>
        </div>
    }
}
