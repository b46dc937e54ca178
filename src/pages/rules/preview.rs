//! Preview of edited classifier rules: the sessions whose category would change if the rules were saved. The browser
//! loads up to 5,000 sessions, newest first, and classifies them again after each edit.

use std::rc::Rc;
use std::sync::Arc;

use coordination::api::{Taught, TaughtFault};
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::draft::Compiled;
use crate::components::category::CategoryBadge;
use crate::components::session_card::title_text;
use crate::i18n::use_i18n;
use crate::routes::paths;
use crate::source::{DataSource, Moved, Trial, open_trial};
use crate::state::use_hub;
use crate::ui::{Icon, Tone, badge::Badge};

/// Typing rests this long before a try begins.
const REST_MS: u32 = 250;
/// Sessions read before the page draws again: some milliseconds' work.
const READ_BATCH_SESSIONS: usize = 20;
/// Sessions tried before it does.
const TRIAL_BATCH_SESSIONS: usize = 100;
/// Sessions read at most: the newest. Their texts stay in the tab.
const MAX_SESSIONS: usize = 5_000;
/// Moves listed.
const MAX_LISTED_MOVES: usize = 100;

/// State of the preview.
#[derive(Clone, Copy)]
pub(super) struct Preview {
    trial: StoredValue<Option<Rc<dyn Trial>>, LocalStorage>,
    /// Sessions read, sessions there are.
    read: RwSignal<(usize, usize)>,
    whole: RwSignal<bool>,
    /// Sessions that the monitor files elsewhere than this page does: one of the two is older than the other.
    unlike: RwSignal<usize>,
    failed: RwSignal<bool>,
    moves: RwSignal<Option<Arc<Vec<Moved>>>>,
    /// Why the draft cannot be tried or saved.
    pub(super) fault: RwSignal<Option<TaughtFault>>,
    tries: StoredValue<u64>,
}

impl Preview {
    pub(super) fn new() -> Self {
        Self {
            trial: StoredValue::new_local(None),
            read: RwSignal::new((0, 0)),
            whole: RwSignal::new(false),
            unlike: RwSignal::new(0),
            failed: RwSignal::new(false),
            moves: RwSignal::new(None),
            fault: RwSignal::new(None),
            tries: StoredValue::new(0),
        }
    }

    /// Reads the sessions, classified by the `saved` rules.
    pub(super) fn read(self, source: DataSource, saved: Taught) {
        self.failed.set(false);
        self.read.set((0, 0));
        self.unlike.set(0);
        spawn_local(async move {
            if self.read_all(source, &saved).await.is_none() {
                self.failed.try_set(true);
            }
        });
    }

    /// `None` when it failed, or the page is closed.
    async fn read_all(self, source: DataSource, saved: &Taught) -> Option<()> {
        let trial = open_trial().await.ok()?;
        let mut after = None;
        loop {
            let page = source.replay(after).await.ok()?;
            let mut sessions = page.sessions.into_iter().peekable();
            while sessions.peek().is_some() {
                let some: Vec<_> = sessions.by_ref().take(READ_BATCH_SESSIONS).collect();
                let count = some.len();
                let unlike = trial.take(some, saved);
                self.unlike.try_update(|all| *all += unlike)?;
                self.read.try_update(|read| *read = (read.0 + count, page.total as usize))?;
                TimeoutFuture::new(0).await;
            }
            after = page.next;
            if after.is_none() || self.read.try_with_untracked(|read| read.0 >= MAX_SESSIONS)? {
                break;
            }
        }
        self.trial.try_update_value(|slot| *slot = Some(trial))?;
        self.whole.try_set(true);
        Some(())
    }

    /// Tries the draft, once typing rests; an older try gives up.
    fn attempt(self, saved: Taught, draft: Taught) {
        let number = self.tries.with_value(|tries| tries + 1);
        self.tries.set_value(number);
        let current = move || self.tries.try_with_value(|tries| *tries == number) == Some(true);
        spawn_local(async move {
            TimeoutFuture::new(REST_MS).await;
            let Some(trial) = self.trial.try_with_value(Clone::clone).flatten().filter(|_| current()) else { return };
            let outcome = trial.begin(&saved, draft);
            self.fault.try_set(outcome.as_ref().err().cloned());
            // What is shown is of this draft or not shown.
            self.moves.try_set(None);
            let Ok(draft) = outcome else { return };
            let (mut moves, mut from) = (Vec::new(), 0);
            let moving = draft != saved;
            loop {
                let (some, count) = if moving { trial.step(from, TRIAL_BATCH_SESSIONS) } else { (Vec::new(), 0) };
                if count == 0 {
                    break;
                }
                moves.extend(some);
                from += count;
                TimeoutFuture::new(0).await;
                if !current() {
                    return;
                }
            }
            self.moves.try_set(Some(Arc::new(moves)));
        });
    }
}

/// The list of what would move.
#[component]
pub(super) fn PreviewPanel(
    preview: Preview,
    saved: Signal<Option<Taught>>,
    draft: Memo<Compiled>,
    /// The monitor classifies as this page does.
    by_v2: Signal<bool>,
) -> impl IntoView {
    let words = use_i18n();
    let hub = use_hub();
    let read = move || {
        if let (Some(source), Some(saved)) = (hub.source.get_untracked(), saved.get_untracked()) {
            preview.read(source, saved);
        }
    };
    read();
    Effect::new(move |_| {
        let (Some(saved), true) = (saved.get(), preview.whole.get()) else { return };
        preview.attempt(saved, draft.get().taught);
    });
    let same = Memo::new(move |_| saved.with(|saved| draft.with(|draft| saved.as_ref() == Some(&draft.taught))));
    let progress_text = move || {
        let messages = words.get().rules();
        let (read, all) = preview.read.get();
        match (preview.whole.get(), preview.moves.with(Option::is_some)) {
            (false, _) if all == 0 => words.get().common.loading.to_owned(),
            (false, _) => (messages.reading)(read, all),
            (true, false) if preview.fault.with(Option::is_some) => (messages.read)(read),
            (true, false) => messages.trying.to_owned(),
            (true, true) if read < all => (messages.part)(read, all),
            (true, true) => (messages.read)(read),
        }
    };
    let busy = move || {
        let trying = preview.moves.with(Option::is_none) && preview.fault.with(Option::is_none);
        (!preview.failed.get() && (!preview.whole.get() || trying)).then_some("true")
    };
    view! {
        <section class="rules-preview" aria-labelledby="rules-preview" aria-busy=busy>
            <h2 id="rules-preview">{move || words.get().rules().preview}</h2>
            {move || {
                if preview.failed.get() {
                    view! {
                        <p class="is-dim" role="alert">
                            {Icon::Warn} " " {words.get().rules().read_failed} " "
                            <button type="button" class="link" on:click=move |_| read()>
                                {words.get().common.retry}
                            </button>
                        </p>
                    }
                        .into_any()
                } else {
                    view! { <p class="is-dim rules-preview__read">{progress_text}</p> }.into_any()
                }
            }}
            {move || {
                let unlike = Some(preview.unlike.get()).filter(|unlike| *unlike > 0 && by_v2.get());
                unlike.map(|unlike| view! { <p role="status">{Icon::Warn} " " {(words.get().rules().unlike)(unlike)}</p> })
            }}
            {move || match (same.get(), preview.moves.get()) {
                (true, _) => view! { <p class="rules-preview__none">{words.get().rules().unchanged}</p> }.into_any(),
                (false, Some(moves)) => view! { <Moves moves=moves /> }.into_any(),
                (false, None) => ().into_any(),
            }}
        </section>
    }
}

#[component]
fn Moves(moves: Arc<Vec<Moved>>) -> impl IntoView {
    let words = use_i18n();
    let count = moves.len();
    let count_text = move || match count {
        0 => words.get().rules().no_moves.to_owned(),
        count => (words.get().rules().moves)(count),
    };
    let rows = moves.iter().take(MAX_LISTED_MOVES).cloned().map(|moved| view! { <Move moved=moved /> }).collect_view();
    view! {
        <p class="rules-preview__count" role="status">{count_text}</p>
        <ol class="moves" aria-label=count_text>{rows}</ol>
        {(count > MAX_LISTED_MOVES)
            .then(|| view! { <p class="is-dim">{move || (words.get().rules().more_moves)(count - MAX_LISTED_MOVES)}</p> })}
    }
}

#[component]
fn Move(moved: Moved) -> impl IntoView {
    let words = use_i18n();
    let id = moved.session.work_session_id.clone();
    let title = move || title_text(&moved.session.title, moved.session.title_source);
    let because = moved.because.iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>().join(", ");
    view! {
        <li class="move">
            <a href=paths::session(&id) data-row="">{title}</a>
            <p class="move__way">
                <CategoryBadge category=moved.from />
                <span class="is-dim">"→"</span>
                <CategoryBadge category=moved.to />
                {moved
                    .by_hand
                    .then(|| {
                        view! { <Badge tone=Tone::Warning icon=Icon::Person text=words.get().rules().stays.to_owned() /> }
                    })}
            </p>
            {(!because.is_empty())
                .then(|| view! { <p class="is-dim">{move || (words.get().rules().because)(&because)}</p> })}
        </li>
    }
}
