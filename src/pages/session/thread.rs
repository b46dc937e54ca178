//! Three columns of a session page: thread list, open thread or timeline of the session, and details. Loaded messages
//! of the thread stay while more arrive.

use std::sync::Arc;

use coordination::api::SessionDetail;
use coordination::ids::EventId;
use coordination::view::StreamEnd;
use leptos::prelude::*;

use super::SessionState;
use super::about::{AboutDialog, SessionAbout};
use super::body::StreamBody;
use super::category::CategoryTools;
use super::evidence::use_evidence_marks;
use super::finding::{FindTarget, FindTool};
use super::keys::{ThreadKeys, use_stream_keys};
use super::looked_for::use_looked_for_marks;
use super::paging::use_paging;
use super::passed::follow_passed;
use super::tail::Tail;
use super::thread_state::{Jump, ThreadState, use_thread_state};
use super::timeline::WholePane;
use crate::components::agent::AgentLink;
use crate::components::fold::Folds;
use crate::components::origin::{OriginShare, ThreadOrigin};
use crate::components::people::use_people;
use crate::components::session::{ThreadList, ThreadPick, session_title};
use crate::components::thread::StreamContext;
use crate::i18n::use_i18n;
use crate::pages::failure::Failure;
use crate::pages::raw_event::{RawEventDrawer, use_raw_event};
use crate::pages::speak::SpeakTarget;
use crate::queries::use_go;
use crate::routes::{ThreadViewState, paths};
use crate::state::use_clock;
use crate::ui::empty::EmptyState;
use crate::ui::skeleton::Skeleton;
use crate::ui::{Icon, Tone, band::Band};

/// Thread list, open thread and details.
#[component]
pub(super) fn ThreadColumns(
    state: SessionState,
    #[prop(into)] detail: Signal<Arc<SessionDetail>>,
    tools: CategoryTools,
) -> impl IntoView {
    let words = use_i18n();
    let thread = use_thread_state(state);
    thread.follow();
    let threads = Memo::new(move |_| detail.with(|detail| detail.threads.clone()));
    let context_open = RwSignal::new(false);
    let id = move || state.id.get();
    let title = Signal::derive(move || {
        detail.with(|detail| session_title(&detail.session.title, detail.session.title_source, words))
    });
    view! {
        {move || {
            view! { <ThreadPick session=id() threads=threads open=state.thread whole=state.whole title=title /> }
        }}
        <div class="session-cols" class:shows-context=context_open>
            {move || view! { <ThreadList session=id() threads=threads open=state.thread whole=state.whole /> }}
            {move || state.whole.get().then(|| view! { <WholePane state=state /> })}
            {move || {
                state
                    .thread
                    .get()
                    .map(|_| view! { <ThreadPane state=state thread=thread context_open=context_open /> })
            }}
            <aside class="context-pane" aria-label=move || words.get().thread().context>
                <SessionAbout state=state detail=detail tools=tools thread=Some(thread) />
            </aside>
        </div>
        <AboutDialog state=state detail=detail tools=tools thread=thread />
    }
}

/// The open thread, or its state: loading, missing or failed.
#[component]
fn ThreadPane(state: SessionState, thread: ThreadState, context_open: RwSignal<bool>) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let clock = use_clock();
    let finding = RwSignal::new(false);
    Folds::provide();
    let recorded = Memo::new(move |_| thread.view.get().raw);
    let raw = use_raw_event(recorded, move |raw| thread.href(&ThreadViewState { raw, ..thread.view.get_untracked() }));
    let fetch = thread.fetch;
    let jump = Callback::new(move |end| {
        thread.go(if end == StreamEnd::Older { Jump::Oldest } else { Jump::Newest });
    });
    let place = ThreadKeys { keeper: thread.keeper, stream: thread.stream, on_jump: jump };
    let link = move |id: &EventId| thread.key.get_untracked().map(|(session, of)| paths::thread_at(&session, &of, id));
    use_stream_keys(place, link, finding);
    use_evidence_marks(state, thread.stream, thread.items);
    use_looked_for_marks(thread.view, thread.stream, thread.items);
    let pill = use_pill(thread);
    let target = use_target(state, thread);
    // On a phone the page scrolls instead of the column.
    let scrolled = window_event_listener(leptos::ev::scroll, move |_| thread.keeper.scrolled());
    on_cleanup(move || scrolled.remove());
    let label = move || {
        thread.summary.get().map(|t| (words.get().thread().between)(&people.name(&t.from), &people.name(&t.to)))
    };
    let origin_share = Memo::new(move |_| {
        let (transcript_only, all) = thread.transcript_counts();
        OriginShare::from_counts(transcript_only, all)
    });
    let context = move || StreamContext {
        session: state.id.get(),
        thread: state.thread.get(),
        target: thread.at.into(),
        on_raw: raw.on_open,
        now: Signal::derive(move || clock.second()),
        origin_share: origin_share.into(),
        notes: state.notes.of_messages(),
    };
    let known = Memo::new(move |_| thread.summary.with(Option::is_some));
    let body = move || match (known.get(), fetch.failure.get()) {
        (true, _) => view! { <ThreadStream thread=thread context=context() /> }.into_any(),
        (false, Some(error)) if error.is_not_found() => view! {
            <EmptyState
                icon=Icon::Talk
                title=Signal::derive(move || words.get().thread().thread_missing.to_owned())
                text=Signal::derive(move || words.get().thread().thread_missing_why.to_owned())
                failed=true
            />
        }
        .into_any(),
        (false, Some(error)) => {
            view! { <Failure error=error on_retry=Callback::new(move |()| fetch.refetch()) /> }.into_any()
        }
        (false, None) => {
            let label = Signal::derive(move || words.get().common.loading.to_owned());
            view! { <Skeleton rows=6 label=label /> }.into_any()
        }
    };
    view! {
        <section class="thread" aria-label=label on:scroll=move |_| thread.keeper.scrolled()>
            <ThreadBar thread=thread finding=finding context_open=context_open />
            <LostMessage thread=thread />
            {body}
            <Tail new_count=pill on_newest=Callback::new(move |()| thread.go(Jump::Newest)) finding=finding about=state.about target=target />
            <RawEventDrawer event=recorded on_close=raw.on_close />
        </section>
    }
}

/// Bar of a thread: both agents, number of messages, origin and search.
#[component]
fn ThreadBar(thread: ThreadState, finding: RwSignal<bool>, context_open: RwSignal<bool>) -> impl IntoView {
    let words = use_i18n();
    let pair = Memo::new(move |_| thread.summary.get().map(|thread| (thread.from, thread.to)));
    let count = Memo::new(move |_| thread.summary.with(|thread| thread.as_ref().map(|thread| thread.message_count)));
    let sought = FindTarget {
        of: Signal::derive(move || thread.key.get().map(|(session, thread)| (session, Some(thread)))),
        stream: thread.stream,
        items: thread.items,
        on_go: Callback::new(move |id| thread.go(Jump::To(id))),
    };
    view! {
        <div class="thread-bar" class:is-finding=finding>
            <h2>
                {move || {
                    pair.get()
                        .map(|(from, to)| {
                            view! {
                                <AgentLink id=from />
                                <span class="ar" aria-hidden="true">
                                    "↔"
                                </span>
                                <AgentLink id=to />
                            }
                        })
                }}
            </h2>
            <span class="is-dim is-unbroken">
                {move || count.get().map(|count| (words.get().thread().messages)(count))}
            </span>
            <ThreadOrigin counts=Signal::derive(move || thread.transcript_counts()) />
            <div class="thread-bar__end">
                <FindTool sought=sought finding=finding />
                <button
                    type="button"
                    class="button is-quiet is-small context-more"
                    aria-pressed=move || context_open.get().to_string()
                    on:click=move |_| context_open.update(|open| *open = !*open)
                >
                    {move || {
                        let words = words.get().thread();
                        if context_open.get() { words.context_close } else { words.context_open }
                    }}
                </button>
            </div>
        </div>
    }
}

/// Loaded messages and marks of a thread, with buttons for older and newer ones.
#[component]
fn ThreadStream(thread: ThreadState, context: StreamContext) -> impl IntoView {
    let words = use_i18n();
    follow_passed(thread);
    let paging = use_paging(thread);
    let has_more = move |end: StreamEnd| Memo::new(move |_| thread.loaded.with(|(_, loaded)| loaded.has_more(end)));
    let empty = Memo::new(move |_| thread.items.with(Vec::is_empty) && thread.loaded.with(|(of, _)| of.is_some()));
    view! {
        <StreamBody
            node=thread.stream
            keeper=thread.keeper
            items=thread.items
            context=context
            paging=paging
            goes_on=(has_more(StreamEnd::Older), has_more(StreamEnd::Newer))
            empty=empty
            label=Signal::derive(move || words.get().thread().tab_talk)
        />
    }
}

/// Band for a link to a message that the thread does not contain; nothing otherwise. The thread opens at its end.
#[component]
fn LostMessage(thread: ThreadState) -> impl IntoView {
    let words = use_i18n();
    let go = use_go();
    let text = Signal::derive(move || words.get().thread().at_missing.to_owned());
    let clear = Callback::new(move |()| {
        go.adjust(&thread.href(&ThreadViewState { at: None, ..thread.view.get_untracked() }));
    });
    move || {
        thread.lost.get().then(|| {
            view! {
                <div class="thread-lost">
                    <Band tone=Tone::Warning icon=Icon::Warn text=text>
                        <button type="button" class="button is-small" on:click=move |_| clear.run(())>
                            {move || words.get().events().clear}
                        </button>
                    </Band>
                </div>
            }
        })
    }
}

/// Recipient of a message to this thread.
fn use_target(state: SessionState, thread: ThreadState) -> Memo<Option<SpeakTarget>> {
    let synthetic = Memo::new(move |_| {
        state.detail.data.with(|detail| detail.as_ref().is_some_and(|detail| detail.session.synthetic))
    });
    Memo::new(move |_| {
        thread.summary.with(|summary| {
            let summary = summary.as_ref()?;
            let both = [&summary.from, &summary.to];
            SpeakTarget::of_session(&state.id.get(), synthetic.get(), both, summary.conversation_id.clone())
        })
    })
}

/// Text of the button to the newest message: the number of new messages, if known.
fn use_pill(thread: ThreadState) -> Signal<Option<usize>> {
    let away = Memo::new(move |_| thread.loaded.with(|(_, loaded)| loaded.has_more(StreamEnd::Newer)));
    let unseen = Memo::new(move |_| {
        let all = thread.summary.with(|thread| thread.as_ref().map_or(0, |thread| thread.message_count));
        all.saturating_sub(thread.passed.get()) as usize
    });
    Signal::derive(move || {
        let unseen = if thread.keeper.at_end.get() { 0 } else { unseen.get() };
        (unseen > 0 || away.get()).then_some(unseen)
    })
}
