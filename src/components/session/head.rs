//! Header of a session: category, title, status, participants, failures, links to neighbouring and related sessions,
//! and tabs for its other views.

use crate::components::hidden::Name;
use coordination::text::hidden;
use std::sync::Arc;

use coordination::api::{SessionCard, SessionDetail, SessionLink};
use coordination::category::{Category, CategorySource};
use coordination::title::{DEFAULT_TITLE, TitleSource};
use leptos::prelude::*;

use crate::components::agent::AgentLink;
use crate::components::category::CategoryBadge;
use crate::components::copy_button::copy_with_toast;
use crate::components::origin::{HookMark, OriginShare, TranscriptMark, WhyMark};
use crate::components::session_card::{NoteMarks, TroubleChips};
use crate::components::status::SessionStatusBadge;
use crate::components::time_ago::use_now;
use crate::i18n::{I18n, time, use_i18n};
use crate::routes::{EventsFilter, FlowView, SessionsFilter, TasksFilter, is_evidence_page, paths};
use crate::ui::Icon;
use crate::ui::toast::use_toasts;

/// Which view of the session is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SessionTab {
    /// Threads.
    Talk,
    /// The flow.
    Flow,
    /// Events and delegations.
    Events,
}

/// A title in the user's language; the placeholder title is translated. Reactive.
pub fn session_title(title: &str, source: TitleSource, words: I18n) -> String {
    if (source == TitleSource::Default && title == DEFAULT_TITLE) || title.trim().is_empty() {
        words.get().common.default_title.to_owned()
    } else {
        hidden::marked(title).into_owned()
    }
}

/// Header of a session: category, title, status, facts, related sessions and tabs.
#[component]
pub fn SessionHead(
    #[prop(into)] detail: Signal<Arc<SessionDetail>>,
    /// A category that is being set, shown before it is confirmed.
    #[prop(into)]
    pending: Signal<Option<Category>>,
    tab: SessionTab,
    /// Shows what is known about the session, where the page has no room for it.
    #[prop(optional)]
    on_about: Option<Callback<()>>,
    /// What the page offers to do with it.
    #[prop(optional)]
    act: Option<ViewFn>,
) -> impl IntoView {
    let words = use_i18n();
    let card = Memo::new(move |_| detail.with(|detail| detail.session.clone()));
    let title = move || card.with(|card| session_title(&card.title, card.title_source, words));
    let now = use_now();
    let status = Memo::new(move |_| card.with(|card| card.status_at(now.at.get())));
    let chain = Memo::new(move |_| detail.with(|detail| detail.chain.clone()));
    view! {
        <header class="session-head">
            <div class="session-head__crumb">{move || crumb(&card.get(), pending.get(), words)}</div>
            <div class="session-head__line">
                <h1>{title}</h1>
                {move || view! { <SessionStatusBadge status=status.get() /> }}
                {on_about
                    .map(|on_about| {
                        view! {
                            <button
                                type="button"
                                class="button is-small phone-only session-head__about"
                                on:click=move |_| on_about.run(())
                            >
                                {move || words.get().thread().context_open}
                            </button>
                        }
                    })}
                {act.map(|act| act.run())}
                <NeighbourLinks detail=detail />
            </div>
            <div class="session-head__facts">
                {move || facts(&card.get(), words)}
                {move || {
                    let chain = chain.get();
                    (chain.previous.is_some() || !chain.next.is_empty())
                        .then(|| view! { <ChainLinks previous=chain.previous next=chain.next /> })
                }}
            </div>
            <SessionTabs detail=detail tab=tab />
        </header>
    }
}

/// Badge, source of the category, tags, start.
fn crumb(card: &SessionCard, pending: Option<Category>, words: I18n) -> impl IntoView + use<> {
    let category = pending.unwrap_or(card.category.key);
    let note = match (pending, card.category.source) {
        (Some(_), _) | (None, CategorySource::ManualOverride) => Some(words.get().common.by_hand),
        (None, CategorySource::Fallback) => Some(words.get().common.inferred),
        _ => None,
    };
    let tags = card
        .sub_tags
        .iter()
        .take(5)
        .map(|tag| {
            let href = paths::sessions(None, &SessionsFilter { tag: Some(tag.clone()), ..SessionsFilter::default() });
            view! {
                <a class="tag" href=href>
                    <Name text=tag.clone() />
                </a>
            }
        })
        .collect_view();
    let start = card.start_time;
    view! {
        <a href=paths::category(category)>
            <CategoryBadge category=category />
        </a>
        {note.map(|note| view! { <span class="small-mark">{note}</span> })}
        {tags}
        {origin(card, words)}
        {(start > 0)
            .then(|| {
                view! {
                    <span class="hide">
                        {(words.get().thread().started)(&time::day_clock(words.locale(), start))}
                    </span>
                }
            })}
    }
}

/// What the log lacks of it. That it has no number of the log goes without saying where the log has nothing of it.
fn origin(card: &SessionCard, words: I18n) -> impl IntoView + use<> {
    let (transcript_only, all) = (card.transcript_only_events, card.event_count);
    let amount = OriginShare::from_counts(transcript_only, all);
    let mark = |class: &'static str, text: &'static str, why: String| {
        view! { <WhyMark class=class text=Signal::stored(text) why=Signal::stored(why) /> }
    };
    let synthetic = (card.synthetic && amount != OriginShare::All)
        .then(|| mark("small-mark", words.get().thread().synthetic, words.get().thread().synthetic_why.to_owned()));
    let stores = words.get().stores();
    let part = (amount == OriginShare::Part).then(|| {
        mark(
            "small-mark is-transcript",
            stores.partly_from_transcripts,
            (stores.transcript_only_events)(transcript_only, all),
        )
    });
    let whole = (amount == OriginShare::All).then(|| view! { <TranscriptMark /> });
    let hooked = (card.hook_events > 0).then(|| view! { <HookMark /> });
    view! { {synthetic} {part} {whole} {hooked} }
}

/// Who, how much, what went wrong.
fn facts(card: &SessionCard, words: I18n) -> impl IntoView + use<> {
    let people = card.participants.iter().map(|id| view! { <li><AgentLink id=id.clone() /></li> }).collect_view();
    let thread = words.get().thread();
    let session = card.work_session_id.clone();
    let trouble = card.attention.map(|trouble| view! { <TroubleChips trouble=trouble session=Some(session) /> });
    view! {
        <ul class="session-head__people" aria-label=thread.participants>
            {people}
        </ul>
        <span class="is-dim">{(thread.messages)(card.message_count)}</span>
        <NoteMarks marks=(card.resolved.clone(), card.note_count) />
        {trouble}
    }
}

/// Links to the newer and the older session, and a button that copies the link of this one.
#[component]
fn NeighbourLinks(#[prop(into)] detail: Signal<Arc<SessionDetail>>) -> impl IntoView {
    let words = use_i18n();
    let toasts = use_toasts();
    let neighbours = Memo::new(move |_| detail.with(|detail| detail.neighbours.clone()));
    let arrow = move |link: Option<SessionLink>, icon: Icon, word: fn(I18n) -> &'static str| match link {
        Some(link) => {
            let title = session_title(&link.title, link.title_source, words);
            view! {
                <a
                    class="icon-button"
                    href=paths::session(&link.work_session_id)
                    aria-label=format!("{}: {title}", word(words))
                    title=title
                >
                    {icon}
                </a>
            }
            .into_any()
        }
        None => view! {
            <span class="icon-button" aria-disabled="true" aria-hidden="true">
                {icon}
            </span>
        }
        .into_any(),
    };
    let copy = move |_| {
        if let Ok(href) = window().location().href() {
            copy_with_toast(&href, words.now().thread().link_copied, words, toasts);
        }
    };
    view! {
        <div class="session-head__nav">
            {move || arrow(neighbours.get().newer, Icon::ChevronLeft, |words| words.get().thread().newer_session)}
            {move || arrow(neighbours.get().older, Icon::ChevronRight, |words| words.get().thread().older_session)}
            <button
                type="button"
                class="icon-button"
                aria-label=move || words.get().thread().copy_link
                title=move || words.get().thread().copy_link
                on:click=copy
            >
                {Icon::Link}
            </button>
        </div>
    }
}

/// Links to the session that this one continues, and to those that continue it.
#[component]
fn ChainLinks(previous: Option<SessionLink>, next: Vec<SessionLink>) -> impl IntoView {
    let words = use_i18n();
    let link = move |link: SessionLink| {
        if link.known {
            let href = paths::session(&link.work_session_id);
            view! {
                <a class="link" href=href>
                    {move || session_title(&link.title, link.title_source, words)}
                </a>
            }
            .into_any()
        } else {
            view! {
                <span class="is-dim" title=link.work_session_id.to_string()>
                    {move || words.get().thread().not_in_log}
                </span>
            }
            .into_any()
        }
    };
    view! {
        <div class="session-head__chain">
            {previous.map(|previous| view! { <span>{move || words.get().thread().continues} " " {link(previous)}</span> })}
            {next
                .into_iter()
                .map(|next| view! { <span>{move || words.get().thread().continued_by} " " {link(next)}</span> })
                .collect_view()}
        </div>
    }
}

/// Links to the conversation, flow, events and tasks of a session.
#[component]
fn SessionTabs(#[prop(into)] detail: Signal<Arc<SessionDetail>>, tab: SessionTab) -> impl IntoView {
    let words = use_i18n();
    let counts = Memo::new(move |_| {
        detail.with(|detail| (detail.threads.len(), detail.session.event_count, detail.tasks.len()))
    });
    let id = Memo::new(move |_| detail.with(|detail| detail.session.work_session_id.clone()));
    let current = |here: bool| here.then_some("page");
    view! {
        <nav class="session-tabs" aria-label=move || words.get().thread().views>
            <a href=move || paths::session(&id.get()) aria-current=current(tab == SessionTab::Talk)>
                {Icon::Talk}
                {move || words.get().thread().tab_talk}
                <span class="n">{move || counts.get().0}</span>
            </a>
            <a
                href=move || paths::flow(&id.get(), &FlowView::default())
                aria-current=current(tab == SessionTab::Flow)
            >
                {Icon::Flow}
                {move || words.get().thread().tab_flow}
            </a>
            <a
                href=move || paths::events(&EventsFilter::of_session(&id.get()))
                aria-current=current(tab == SessionTab::Events)
            >
                {Icon::Event}
                {move || words.get().thread().tab_events}
                <span class="n">{move || counts.get().1}</span>
            </a>
            {(!is_evidence_page())
                .then(|| {
                    view! {
                        <a href=move || paths::tasks(&TasksFilter::of_session(&id.get()))>
                            {Icon::Task}
                            {move || words.get().thread().tab_tasks}
                            <span class="n">{move || counts.get().2}</span>
                        </a>
                    }
                })}
        </nav>
    }
}
