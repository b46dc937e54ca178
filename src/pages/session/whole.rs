//! A whole session in one stream: all its threads in one order of time, who spoke to whom, and what was delegated
//! meanwhile. Each bubble leads to its own thread.

use coordination::ids::EventId;
use leptos::prelude::*;

use super::SessionState;
use super::body::StreamBody;
use super::evidence::use_evidence_marks;
use super::finding::{FindTool, Sought};
use super::keys::{Place, use_stream_keys};
use super::paging::use_paging;
use super::tail::Tail;
use super::whole_state::{WholeState, use_whole_state};
use crate::components::fold::Folds;
use crate::components::origin::OriginShare;
use crate::components::thread::StreamContext;
use crate::components::thread::paged::Paged;
use crate::components::thread::window::End;
use crate::i18n::use_words;
use crate::pages::failure::Failure;
use crate::pages::raw_event::{RawEventDrawer, use_raw_event};
use crate::pages::speak::Target;
use crate::routes::{ThreadView, paths};
use crate::state::use_clock;
use crate::ui::skeleton::Skeleton;

/// The stream of a session.
#[component]
pub(super) fn WholePane(state: SessionState) -> impl IntoView {
    let words = use_words();
    let clock = use_clock();
    let whole = use_whole_state(state);
    whole.follow();
    let recorded = Memo::new(move |_| whole.view.get().raw);
    let href = move |view: &ThreadView| paths::whole_as(&whole.id.get_untracked(), view);
    let raw = use_raw_event(recorded, move |raw| href(&ThreadView { raw, ..whole.view.get_untracked() }));
    let link = move |id: &EventId| href(&ThreadView { at: Some(id.clone()), ..ThreadView::default() });
    let jump = Callback::new(move |end| whole.go(end));
    let finding = RwSignal::new(false);
    Folds::provide();
    let sought = Sought {
        of: Signal::derive(move || Some((whole.id.get(), None))),
        stream: whole.stream,
        items: whole.items,
        on_go: Callback::new(move |id| whole.go_to(id)),
    };
    use_stream_keys(
        Place { keeper: whole.keeper, stream: whole.stream, on_jump: jump },
        move |id| Some(link(id)),
        finding,
    );
    use_evidence_marks(state, whole.stream, whole.items);
    let scrolled = window_event_listener(leptos::ev::scroll, move |_| whole.keeper.scrolled());
    on_cleanup(move || scrolled.remove());
    // The stream is the session: its head shows how much of it no log has.
    let told = Memo::new(move |_| {
        let detail = state.detail.data.get();
        detail.map_or(OriginShare::Nothing, |detail| {
            OriginShare::of(detail.session.transcript_only_events, detail.session.event_count)
        })
    });
    let context = move || StreamContext {
        session: state.id.get(),
        thread: None,
        target: Signal::derive(move || whole.view.get().at),
        on_raw: raw.on_open,
        now: Signal::derive(move || clock.second()),
        told: told.into(),
    };
    let known = Memo::new(move |_| whole.held.with(|(of, _)| of.as_ref() == Some(&state.id.get())));
    let fetch = whole.fetch;
    let body = move || match (known.get(), fetch.failure.get()) {
        (true, _) => view! { <Happened whole=whole context=context() /> }.into_any(),
        (false, Some(error)) => {
            view! { <Failure error=error on_retry=Callback::new(move |()| fetch.again()) /> }.into_any()
        }
        (false, None) => {
            let label = Signal::derive(move || words.get().common.loading.to_owned());
            view! { <Skeleton rows=6 label=label /> }.into_any()
        }
    };
    let target = Memo::new(move |_| {
        state.detail.data.with(|detail| {
            let card = &detail.as_ref()?.session;
            Target::of_session(&card.work_session_id, card.synthetic, &card.participants, None)
        })
    });
    let away = Memo::new(move |_| whole.held.with(|(_, strip)| strip.mark(End::Newer).is_some()));
    let pill = Signal::derive(move || (away.get() || !whole.keeper.at_end.get()).then_some(0).filter(|_| known.get()));
    view! {
        <section
            class="thread is-whole"
            aria-label=move || words.get().thread().whole
            on:scroll=move |_| whole.keeper.scrolled()
        >
            <div class="thread-bar" class:is-finding=finding>
                <h2>{move || words.get().thread().whole}</h2>
                <span class="is-dim">{move || words.get().thread().whole_why}</span>
                <div class="thread-bar__end">
                    <FindTool sought=sought finding=finding />
                </div>
            </div>
            {body}
            <Tail pill=pill on_newest=Callback::new(move |()| whole.go(End::Newer)) finding=finding about=state.about target=target />
            <RawEventDrawer event=recorded on_close=raw.on_close />
        </section>
    }
}

/// What happened, with the ways to older and newer.
#[component]
fn Happened(whole: WholeState, context: StreamContext) -> impl IntoView {
    let words = use_words();
    let paging = use_paging(whole);
    let goes_on = move |end: End| Memo::new(move |_| whole.held.with(|(_, strip)| strip.mark(end).is_some()));
    let empty = Memo::new(move |_| whole.items.with(Vec::is_empty));
    view! {
        <StreamBody
            node=whole.stream
            keeper=whole.keeper
            items=whole.items
            context=context
            paging=paging
            goes_on=(goes_on(End::Older), goes_on(End::Newer))
            empty=empty
            label=Signal::derive(move || words.get().thread().whole)
        />
    }
}
