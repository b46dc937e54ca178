//! Timeline of a whole session: messages of all threads in order of time, with sender and recipient, and delegated runs
//! in between. Each message links to its thread.

use coordination::ids::EventId;
use coordination::view::{LoadedRange, StreamEnd};
use leptos::prelude::*;

use super::SessionState;
use super::body::StreamBody;
use super::evidence::use_evidence_marks;
use super::finding::{FindTarget, FindTool};
use super::keys::{ThreadKeys, use_stream_keys};
use super::paging::use_paging;
use super::tail::Tail;
use super::timeline_state::{TimelineState, use_whole_state};
use crate::components::fold::Folds;
use crate::components::origin::OriginShare;
use crate::components::thread::StreamContext;
use crate::i18n::use_i18n;
use crate::pages::failure::Failure;
use crate::pages::raw_event::{RawEventDrawer, use_raw_event};
use crate::pages::speak::SpeakTarget;
use crate::routes::{ThreadViewState, paths};
use crate::state::use_clock;
use crate::ui::skeleton::Skeleton;

/// The stream of a session.
#[component]
pub(super) fn WholePane(state: SessionState) -> impl IntoView {
    let words = use_i18n();
    let clock = use_clock();
    let timeline = use_whole_state(state);
    timeline.follow();
    let recorded = Memo::new(move |_| timeline.view.get().raw);
    let href = move |view: &ThreadViewState| paths::whole_as(&timeline.id.get_untracked(), view);
    let raw = use_raw_event(recorded, move |raw| href(&ThreadViewState { raw, ..timeline.view.get_untracked() }));
    let link = move |id: &EventId| href(&ThreadViewState { at: Some(id.clone()), ..ThreadViewState::default() });
    let jump = Callback::new(move |end| timeline.go(end));
    let finding = RwSignal::new(false);
    Folds::provide();
    let sought = FindTarget {
        of: Signal::derive(move || Some((timeline.id.get(), None))),
        stream: timeline.stream,
        items: timeline.items,
        on_go: Callback::new(move |id| timeline.go_to(id)),
    };
    use_stream_keys(
        ThreadKeys { keeper: timeline.keeper, stream: timeline.stream, on_jump: jump },
        move |id| Some(link(id)),
        finding,
    );
    use_evidence_marks(state, timeline.stream, timeline.items);
    let scrolled = window_event_listener(leptos::ev::scroll, move |_| timeline.keeper.scrolled());
    on_cleanup(move || scrolled.remove());
    // The stream is the session: its head shows how much of it no log has.
    let origin_share = Memo::new(move |_| {
        let detail = state.detail.data.get();
        detail.map_or(OriginShare::Nothing, |detail| {
            OriginShare::from_counts(detail.session.transcript_only_events, detail.session.event_count)
        })
    });
    let context = move || StreamContext {
        session: state.id.get(),
        thread: None,
        target: Signal::derive(move || timeline.view.get().at),
        on_raw: raw.on_open,
        now: Signal::derive(move || clock.second()),
        origin_share: origin_share.into(),
        notes: state.notes.of_messages(),
    };
    let known = Memo::new(move |_| timeline.held.with(|(of, _)| of.as_ref() == Some(&state.id.get())));
    let fetch = timeline.fetch;
    let body = move || match (known.get(), fetch.failure.get()) {
        (true, _) => view! { <Happened timeline=timeline context=context() /> }.into_any(),
        (false, Some(error)) => {
            view! { <Failure error=error on_retry=Callback::new(move |()| fetch.refetch()) /> }.into_any()
        }
        (false, None) => {
            let label = Signal::derive(move || words.get().common.loading.to_owned());
            view! { <Skeleton rows=6 label=label /> }.into_any()
        }
    };
    let target = Memo::new(move |_| {
        state.detail.data.with(|detail| {
            let card = &detail.as_ref()?.session;
            SpeakTarget::of_session(&card.work_session_id, card.synthetic, &card.participants, None)
        })
    });
    let away = Memo::new(move |_| timeline.held.with(|(_, strip)| strip.mark(StreamEnd::Newer).is_some()));
    let pill =
        Signal::derive(move || (away.get() || !timeline.keeper.at_end.get()).then_some(0).filter(|_| known.get()));
    view! {
        <section
            class="thread is-whole"
            aria-label=move || words.get().thread().whole
            on:scroll=move |_| timeline.keeper.scrolled()
        >
            <div class="thread-bar" class:is-finding=finding>
                <h2>{move || words.get().thread().whole}</h2>
                <span class="is-dim">{move || words.get().thread().whole_why}</span>
                <div class="thread-bar__end">
                    <FindTool sought=sought finding=finding />
                </div>
            </div>
            {body}
            <Tail new_count=pill on_newest=Callback::new(move |()| timeline.go(StreamEnd::Newer)) finding=finding about=state.about target=target />
            <RawEventDrawer event=recorded on_close=raw.on_close />
        </section>
    }
}

/// What happened, with the ways to older and newer.
#[component]
fn Happened(timeline: TimelineState, context: StreamContext) -> impl IntoView {
    let words = use_i18n();
    let paging = use_paging(timeline);
    let has_more = move |end: StreamEnd| Memo::new(move |_| timeline.held.with(|(_, strip)| strip.mark(end).is_some()));
    let empty = Memo::new(move |_| timeline.items.with(Vec::is_empty));
    view! {
        <StreamBody
            node=timeline.stream
            keeper=timeline.keeper
            items=timeline.items
            context=context
            paging=paging
            goes_on=(has_more(StreamEnd::Older), has_more(StreamEnd::Newer))
            empty=empty
            label=Signal::derive(move || words.get().thread().whole)
        />
    }
}
