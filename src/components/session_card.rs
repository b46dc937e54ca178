//! Card of one session in a list: status, title, newest message, category, tags, agents, counts, failures, time.

use std::borrow::Cow;

use coordination::api::{FoundMessage, LastMessage, ResolvedBy, SessionCard, Trouble};
use coordination::category::{Category, CategorySource};
use coordination::delivery::DeliveryState;
use coordination::ids::SessionId;
use coordination::text::hidden;
use coordination::title::{DEFAULT_TITLE, TitleSource};
use leptos::prelude::*;

use super::agent::AgentLink;
use super::category::CategoryBadge;
use super::hidden::{Name, Said, prose_marks, readable};
use super::machine::{MachineMark, use_machine_links};
use super::origin::{OriginMark, OriginShare};
use super::people::use_people;
use super::status::{SessionStatusBadge, delivery_state_style};
use super::time_ago::{TimeAgo, use_now};
use super::unread::UnreadMark;
use crate::i18n::messages::SessionsMessages;
use crate::i18n::{I18n, time, use_i18n};
use crate::routes::{EventsFilter, paths};
use crate::state::use_reading;
use crate::ui::badge::{Badge, Chip, StatusStyle};
use crate::ui::{Icon, Tone};

/// People named on a card before `외 n`.
const SHOWN_PEOPLE: usize = 4;
/// Sub-tags shown on a card.
const SHOWN_TAGS: usize = 2;

/// The title in the user's words: the default title is a code, everything else is the log's own text. Reactive.
pub fn title_text(title: &str, source: TitleSource) -> String {
    if source == TitleSource::Default && title == DEFAULT_TITLE {
        use_i18n().get().common.default_title.to_owned()
    } else {
        hidden::marked(title).into_owned()
    }
}

/// A session as a row of a list.
#[component]
pub fn SessionCardRow(
    card: Signal<SessionCard>,
    /// How much of the list only transcripts record.
    #[prop(into)]
    origin_share: Signal<OriginShare>,
    /// What can be done with it.
    #[prop(optional)]
    children: Option<Children>,
) -> impl IntoView {
    let now = use_now();
    let status = Memo::new(move |_| card.with(|card| card.status_at(now.at.get())));
    let links = use_machine_links();
    let href = move || links.href(card.with(|card| paths::session(&card.work_session_id)));
    let title = move || card.with(|card| title_text(&card.title, card.title_source));
    let reading = use_reading();
    let unread = Memo::new(move |_| card.with(|card| reading.of_card(card)));
    let archived = move || status.get() == coordination::session::Status::Archived;
    view! {
        <article
            class="session-card"
            class:is-archived=archived
            data-session=move || card.with(|card| card.work_session_id.to_string())
        >
            {move || view! { <SessionStatusBadge status=status.get() /> }}
            <div class="session-card__body">
                <h3>
                    <a href=href rel=links.rel() data-row="">
                        {title} <UnreadMark unread=unread />
                    </a>
                </h3>
                {move || {
                    card.with(|card| card.found.clone().map(|found| (card.work_session_id.clone(), *found)))
                        .map(|(session, found)| view! { <FoundLine session=session found=found /> }.into_any())
                        .or_else(|| {
                            let last = card.with(|card| card.last_message.clone());
                            last.map(|last| view! { <LastLine last=last /> }.into_any())
                        })
                }}
                <CardMeta card=card origin_share=origin_share />
            </div>
            <CardCounts card=card />
            {move || view! { <TimeAgo at=card.with(|card| card.last_time) /> }}
            {children.map(|children| children())}
        </article>
    }
}

/// The message that holds the text looked for, as a link to it.
#[component]
fn FoundLine(session: SessionId, found: FoundMessage) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let links = use_machine_links();
    let href = links.href(paths::thread_at(&session, &found.thread_id, &found.id));
    let found = readable_found(found, words);
    let sender = found.from.clone();
    let from = move || if found.human { words.get().sessions().person.to_owned() } else { people.name(&sender) };
    view! {
        <p class="last-line is-found">
            <a href=href rel=links.rel() title=move || words.get().sessions().found_in>
                <span class="last-line__who">{from} ": "</span>
                <bdi>
                    {prose_marks(&found.before, words)} <mark>{prose_marks(&found.hit, words)}</mark>
                    {prose_marks(&found.after, words)}
                </bdi>
            </a>
        </p>
    }
}

/// The translation of a notice that OpenClaw itself wrote, with the same words found in it.
fn readable_found(found: FoundMessage, words: I18n) -> FoundMessage {
    let whole = format!("{}{}{}", found.before, found.hit, found.after);
    let Cow::Owned(text) = readable(&whole, words) else { return found };
    let (before, hit, after) = match text.split_once(&found.hit).filter(|_| !found.hit.is_empty()) {
        Some((before, after)) => (before.to_owned(), found.hit.clone(), after.to_owned()),
        None => (text, String::new(), String::new()),
    };
    FoundMessage { before, hit, after, ..found }
}

/// `이든: 다시 요청드립니다.`
#[component]
pub fn LastLine(last: LastMessage) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let from = move || if last.human { words.get().sessions().person.to_owned() } else { people.name(&last.from) };
    view! {
        <p class="last-line">
            <span class="last-line__who">{from} ": "</span>
            <Said text=last.text />
        </p>
    }
}

/// Category, how it was decided when that is not by rule, tags, people.
#[component]
fn CardMeta(card: Signal<SessionCard>, origin_share: Signal<OriginShare>) -> impl IntoView {
    let words = use_i18n();
    let category = Memo::new(move |_| card.with(|card| card.category.clone()));
    let tags = Memo::new(move |_| card.with(|card| card.sub_tags.clone()));
    let participants = Memo::new(move |_| card.with(|card| card.participants.clone()));
    let source = move || match category.with(|category| category.source) {
        CategorySource::ManualOverride => Some(words.get().common.by_hand),
        CategorySource::Fallback => Some(words.get().common.guessed),
        _ => None,
    };
    // A list of nothing else shows it once, over its cards.
    let origin = Memo::new(move |_| card.with(SessionCard::origin));
    let links = use_machine_links();
    let previous = Memo::new(move |_| card.with(|card| card.previous_work_session_id.clone()));
    let marks = Memo::new(move |_| card.with(|card| (card.resolved.clone(), card.note_count)));
    let people = move || {
        participants.with(|people| {
            let rest = people.len().saturating_sub(SHOWN_PEOPLE);
            let shown =
                people.iter().take(SHOWN_PEOPLE).cloned().map(|id| view! { <AgentLink id=id /> }).collect_view();
            view! {
                {shown}
                {(rest > 0).then(|| view! { <span class="dim">{move || (words.get().sessions().others)(rest)}</span> })}
            }
        })
    };
    view! {
        <div class="session-card__meta">
            <MachineMark />
            {move || view! { <CategoryBadge category=category.with(|category| category.key) /> }}
            {move || source().map(|text| view! { <span class="inferred">{text}</span> })}
            {move || view! { <OriginMark origin=origin.get() among=origin_share /> }}
            {move || view! { <Secondary categories=category.with(|category| category.secondary.clone()) /> }}
            {move || {
                tags.with(|tags| {
                    tags.iter().take(SHOWN_TAGS).cloned().map(|tag| view! { <span class="tag"><Name text=tag /></span> }).collect_view()
                })
            }}
            {move || {
                previous.get().map(|previous| {
                    view! {
                        <a
                            class="link session-card__previous"
                            href=links.href(paths::session(&previous))
                            rel=links.rel()
                        >
                            {Icon::ArrowUp}
                            {move || words.get().sessions().continues}
                        </a>
                    }
                })
            }}
            {move || view! { <NoteMarks marks=marks.get() /> }}
            <span class="session-card__people" role="group" aria-label=move || words.get().sessions().participants>
                {people}
            </span>
        </div>
    }
}

/// Whether a session is resolved, and how many notes it has.
#[component]
pub fn NoteMarks(marks: (Option<ResolvedBy>, u32)) -> impl IntoView {
    let words = use_i18n();
    let (resolved, notes) = marks;
    let resolved = resolved.map(|mark| {
        let text = Signal::derive(move || words.get().common.resolved.to_owned());
        let at = mark.at;
        let why = move || {
            let when = time::exact(words.locale(), at);
            mark.by.as_ref().map_or_else(|| when.clone(), |by| format!("{} · {when}", hidden::marked(by)))
        };
        view! { <span title=why><Badge tone=Tone::Success icon=Icon::Check text=text /></span> }
    });
    let notes = (notes > 0).then(
        || view! { <span class="is-dim note-count">{Icon::Pen} {move || (words.get().common.notes_n)(notes)}</span> },
    );
    view! { {resolved} {notes} }
}

/// Other categories that a session has too; shown while the card is pointed at or has the focus.
#[component]
fn Secondary(categories: Vec<Category>) -> impl IntoView {
    let words = use_i18n();
    (!categories.is_empty()).then(|| {
        let names = move || {
            let words = words.get();
            let names: Vec<&str> = categories.iter().map(|category| (words.common.category)(*category)).collect();
            format!("+ {}", names.join(", "))
        };
        view! {
            <span class="session-card__secondary" title=move || words.get().sessions().secondary>
                <span class="visually-hidden">{move || words.get().sessions().secondary} " "</span>
                {names}
            </span>
        }
    })
}

/// Threads and messages, and what is in trouble.
#[component]
fn CardCounts(card: Signal<SessionCard>) -> impl IntoView {
    let words = use_i18n();
    let numbers = Memo::new(move |_| card.with(|card| (card.thread_count, card.message_count, card.event_count)));
    let trouble = Memo::new(move |_| card.with(|card| card.attention));
    let counts = move || {
        let (threads, messages, events) = numbers.get();
        let locale = words.locale();
        if threads == 0 {
            return view! { <span>{(words.get().sessions().events_only)(events)}</span> }.into_any();
        }
        let [threads, messages] = (words.get().common.threads_messages)(threads, messages);
        let number = |n: u32| time::count(locale, u64::from(n));
        view! {
            <span class="nowrap">
                {threads.0} <b>{number(threads.1)}</b> {threads.2} " · " {messages.0} <b>{number(messages.1)}</b> {messages.2}
            </span>
        }
        .into_any()
    };
    view! {
        <div class="session-card__counts">
            {counts} {move || trouble.get().map(|trouble| view! { <TroubleChips trouble=trouble /> })}
        </div>
    }
}

/// Sends in trouble, as chips.
#[component]
pub fn TroubleChips(
    trouble: Trouble,
    /// Each leads to its sends among the events of this session.
    #[prop(optional_no_strip)]
    session: Option<SessionId>,
) -> impl IntoView {
    let words = use_i18n();
    type ChipText = fn(&SessionsMessages) -> fn(u32) -> String;
    let kinds: [(u32, DeliveryState, ChipText); 4] = [
        (trouble.blocked, DeliveryState::Blocked, |words| words.blocked),
        (trouble.no_reply, DeliveryState::NoReply, |words| words.no_reply),
        (trouble.no_trace, DeliveryState::NoTrace, |words| words.no_trace),
        (trouble.waiting, DeliveryState::Waiting, |words| words.waiting),
    ];
    let chip = move |(n, state, text_of): (u32, DeliveryState, ChipText)| {
        let StatusStyle { tone, icon } = delivery_state_style(state);
        let text = Signal::derive(move || text_of(words.get().sessions())(n));
        let chip = view! { <Chip tone=tone icon=icon text=text /> };
        match &session {
            Some(session) => {
                let href = paths::events(&EventsFilter { delivery: vec![state], ..EventsFilter::of_session(session) });
                view! { <a class="chip-link" href=href>{chip}</a> }.into_any()
            }
            None => chip.into_any(),
        }
    };
    kinds.into_iter().filter(|(n, ..)| *n > 0).map(chip).collect_view()
}
