//! Rules page: an editor for the points that a word or an agent gives to a category, and a preview of the sessions
//! whose category would change. A draft stays in the tab until it is saved or discarded. A newer version by another
//! person is never overwritten without notice.

mod draft;
mod editor;
mod preview;

use coordination::api::{Taught, TaughtInfo, TaughtPut};
use coordination::category::Category;
use coordination::classify::Classifier;
use draft::{Compiled, RuleKind, RulesDraft};
use editor::RuleLines;
use leptos::prelude::*;
use leptos::task::spawn_local;
use preview::{Preview, PreviewPanel};

use super::failure::Failure;
use crate::components::refusal::RefusalNote;
use crate::components::time_ago::use_now;
use crate::i18n::{I18n, time, use_i18n};
use crate::queries::{Fetch, FetchOptions, use_fetch, use_page_title, use_pairs};
use crate::source::SourceError;
use crate::state::{HubState, use_hub, use_preferences, use_rights};
use crate::ui::empty::EmptyState;
use crate::ui::skeleton::Skeleton;
use crate::ui::toast::{Toasts, use_toasts};
use crate::ui::{Icon, Tone, band::Band};

/// What the parts of the page share.
#[derive(Clone, Copy)]
struct RulesState {
    fetch: Fetch<TaughtInfo>,
    /// What the draft was made of.
    saved: RwSignal<Option<TaughtInfo>>,
    draft: RulesDraft,
    compiled: Memo<Compiled>,
    preview: Preview,
    /// Something else is in force by now than the draft was made of.
    conflict: RwSignal<bool>,
    saving: RwSignal<bool>,
}

impl RulesState {
    fn new(fetch: Fetch<TaughtInfo>) -> Self {
        let draft = RulesDraft::new();
        Self {
            fetch,
            saved: RwSignal::new(None),
            compiled: Memo::new(move |_| draft.compiled()),
            draft,
            preview: Preview::new(),
            conflict: RwSignal::new(false),
            saving: RwSignal::new(false),
        }
    }

    /// The draft is what is in force.
    fn is_same(self) -> bool {
        self.saved.with(|info| {
            self.compiled.with(|draft| {
                draft.unfinished.is_empty() && info.as_ref().is_none_or(|info| info.config == draft.taught)
            })
        })
    }

    /// The page is still there.
    fn is_open(self) -> bool {
        self.saved.try_with_untracked(|_| ()).is_some()
    }

    /// The draft cannot be saved as it is.
    fn is_unready(self) -> bool {
        let trouble = self.fetch.data.with(|info| info.as_ref().is_some_and(|info| info.trouble.is_some()));
        let unfinished = self.compiled.with(|draft| !draft.unfinished.is_empty());
        trouble || unfinished || self.preview.fault.with(Option::is_some) || self.saving.get()
    }

    /// Discards the draft and starts from the rules in force.
    fn adopt(self, info: TaughtInfo) {
        self.draft.load(&info.config);
        self.saved.set(Some(info));
        self.conflict.set(false);
    }

    /// Something is in force that the user knows of. Lines that say more stay.
    fn settle(self, info: TaughtInfo, known: &Taught) {
        if untrack(|| self.says(known)) {
            self.adopt(info);
        } else {
            self.saved.set(Some(info));
            self.conflict.set(false);
        }
    }

    /// The lines say just this.
    fn says(self, taught: &Taught) -> bool {
        self.compiled.with(|draft| draft.unfinished.is_empty() && draft.taught == *taught)
    }

    /// Applies an answer: the first one initialises the draft, a later one must not discard it.
    fn apply_answer(self, info: &TaughtInfo) {
        if self.saved.with_untracked(Option::is_none) {
            let Some(stored) = draft::stored_draft() else { return self.adopt(info.clone()) };
            self.draft.restore(&stored);
            self.saved.set(Some(stored.base));
        }
        let before = self.saved.with_untracked(|saved| saved.as_ref().map(|saved| saved.revision.clone()));
        if before.as_ref() == Some(&info.revision) {
            self.saved.set(Some(info.clone()));
            self.conflict.set(false);
        } else if untrack(|| self.is_same() || self.says(&info.config)) {
            self.adopt(info.clone());
        } else {
            self.conflict.set(true);
        }
    }
}

/// The page of `/rules`.
#[component]
pub fn RulesPage() -> impl IntoView {
    let words = use_i18n();
    let pairs = use_pairs();
    // A change without an event is one of the files, perhaps that of the rules.
    let options = FetchOptions::refetch_when(|change, ()| change.everything || change.events == 0);
    let fetch = use_fetch(|| (), options, |source, ()| async move { source.taught().await });
    let state = RulesState::new(fetch);
    Effect::new(move |_| {
        if let Some(info) = fetch.data.get() {
            let first = state.saved.with_untracked(Option::is_none);
            state.apply_answer(&info);
            if first {
                let category_value = |pairs: &Vec<(String, String)>| {
                    pairs.iter().find(|(name, _)| name == "category").map(|(_, it)| it.clone())
                };
                let category = pairs.with_untracked(category_value).and_then(|key| key.parse::<Category>().ok());
                category.into_iter().for_each(|category| state.draft.add(RuleKind::Word, Some(category)));
            }
        }
    });
    Effect::new(move |_| {
        if let Some(saved) = state.saved.get() {
            let base = Some(saved).filter(|_| !state.is_same());
            draft::store_draft(base.map(|base| state.draft.to_stored(base)).as_ref());
        }
    });
    use_page_title(move || words.get().rules().title.to_owned());
    let known = Memo::new(move |_| state.saved.with(Option::is_some));
    view! {
        <main id="main" class="rules" tabindex="-1">
            <header class="list-head">
                <h1>{move || words.get().rules().title}</h1>
                <p>{move || words.get().rules().subtitle}</p>
            </header>
            {move || match (known.get(), fetch.failure.get()) {
                (true, _) => view! { <RulesBody state=state /> }.into_any(),
                (false, Some(SourceError::Unsupported)) => {
                    let say = move |some: fn(&crate::i18n::messages::RulesMessages) -> &'static str| {
                        Signal::derive(move || some(words.get().rules()).to_owned())
                    };
                    view! { <EmptyState icon=Icon::Settings title=say(|it| it.unsupported) text=say(|it| it.unsupported_why) /> }
                        .into_any()
                }
                (false, Some(error)) => {
                    view! { <Failure error=error on_retry=Callback::new(move |()| fetch.refetch()) /> }.into_any()
                }
                (false, None) => {
                    let label = Signal::derive(move || words.get().common.loading.to_owned());
                    view! { <Skeleton rows=6 label=label /> }.into_any()
                }
            }}
        </main>
    }
}

/// Warnings, editor and preview of the rules.
#[component]
fn RulesBody(state: RulesState) -> impl IntoView {
    let save = use_save(state);
    let saved = Signal::derive(move || state.saved.with(|info| info.as_ref().map(|info| info.config.clone())));
    let by_v2 = Signal::derive(move || {
        state.saved.with(|info| info.as_ref().is_some_and(|info| info.classifier == Classifier::V2))
    });
    view! {
        <Bands state=state save=save />
        <div class="rules-columns">
            <form
                class="rules-edit"
                novalidate=true
                on:submit=move |event| {
                    event.prevent_default();
                    save.run(true);
                }
            >
                <RuleLines state=state kind=RuleKind::Word />
                <RuleLines state=state kind=RuleKind::Agent />
                <RulesActions state=state />
            </form>
            <PreviewPanel preview=state.preview saved=saved draft=state.compiled by_v2=by_v2 />
        </div>
    }
}

/// Bands with what prevents saving: an old classifier, an unreadable file, another user's change. Shows nothing
/// otherwise.
#[component]
fn Bands(state: RulesState, save: Save) -> impl IntoView {
    let words = use_i18n();
    let info = move || state.fetch.data.get();
    let old = Memo::new(move |_| info().is_some_and(|info| info.classifier == Classifier::V1));
    let trouble = Memo::new(move |_| info().and_then(|info| info.trouble.clone()));
    let take = move |_| {
        if let Some(info) = info() {
            state.adopt(TaughtInfo::clone(&info));
        }
    };
    view! {
        {move || {
            let text = Signal::derive(move || words.get().rules().only_v2.to_owned());
            old.get().then(|| view! { <Band tone=Tone::Warning icon=Icon::Warn text=text /> })
        }}
        {move || {
            let cause = trouble.get()?;
            let text = Signal::derive(move || (words.get().rules().trouble)(&cause));
            Some(view! { <Band tone=Tone::Danger icon=Icon::Warn text=text /> })
        }}
        {move || {
            let text = Signal::derive(move || words.get().rules().conflict.to_owned());
            state.conflict.get().then(|| view! {
                <Band tone=Tone::Warning icon=Icon::Person text=text>
                    <button type="button" class="button is-small" on:click=take>
                        {move || words.get().rules().take_theirs}
                    </button>
                    <button
                        type="button"
                        class="button is-small"
                        disabled=move || state.is_unready()
                        on:click=move |_| save.run(false)
                    >
                        {move || words.get().rules().overwrite}
                    </button>
                </Band>
            })
        }}
    }
}

/// Buttons to save and to discard, and the file with its last change.
#[component]
fn RulesActions(state: RulesState) -> impl IntoView {
    let words = use_i18n();
    let now = use_now();
    let trouble =
        Memo::new(move |_| state.fetch.data.with(|info| info.as_ref().is_some_and(|it| it.trouble.is_some())));
    let blocked = move || {
        let unfinished = state.compiled.with(|draft| !draft.unfinished.is_empty());
        state.is_same()
            || unfinished
            || state.preview.fault.with(Option::is_some)
            || state.saving.get()
            || trouble.get()
    };
    let discard = move |_| {
        if let Some(info) = state.fetch.data.get_untracked() {
            state.adopt(TaughtInfo::clone(&info));
        }
    };
    let status_text = move || {
        let rules = words.get().rules();
        state.saved.with(|info| {
            let info = info.as_ref()?;
            let changed = info.updated_at.as_deref().and_then(time::parse_iso).map(|at| {
                let when = time::relative(words.locale(), now.at.get(), at);
                (rules.changed)(&when, info.updated_by.as_deref().unwrap_or_default())
            });
            Some([Some((rules.in_file)(&info.path)), changed].into_iter().flatten().collect::<Vec<_>>().join(" · "))
        })
    };
    let allowed = use_rights().may_categorize();
    view! {
        <div class="rules-actions">
            {move || {
                if allowed.get() {
                    view! {
                        <button type="submit" class="button is-primary" disabled=blocked>
                            {move || words.get().rules().save}
                        </button>
                    }
                        .into_any()
                } else {
                    view! { <RefusalNote /> }.into_any()
                }
            }}
            <button type="button" class="button" disabled=move || state.is_same() on:click=discard>
                {move || words.get().rules().discard}
            </button>
            <p class="is-dim">{status_text}</p>
        </div>
    }
}

/// Writes the draft: with `true` only over what it was made of.
type Save = Callback<bool>;

fn use_save(state: RulesState) -> Save {
    let (words, hub, toasts) = (use_i18n(), use_hub(), use_toasts());
    let name = use_preferences().name;
    Callback::new(move |careful: bool| {
        // Who overwrites has been shown what is there by now, and overwrites that and nothing newer.
        let shown = || state.fetch.data.get_untracked().map(|info| TaughtInfo::clone(&info));
        let before = if careful { state.saved.get_untracked() } else { shown() };
        let Some(before) = before.filter(|_| !state.saving.get_untracked()) else { return };
        let taught = state.compiled.with_untracked(|draft| draft.taught.clone());
        let by = Some(name.get_untracked().trim().to_owned()).filter(|name| !name.is_empty());
        state.saving.set(true);
        let under_way = toasts.under_way();
        spawn_local(async move {
            let _under_way = under_way;
            let put = TaughtPut { config: taught, expected: Some(before.revision.clone()), updated_by: by.clone() };
            let outcome = teach(hub, &put).await;
            state.saving.try_set(false);
            match outcome {
                Ok(info) => {
                    if state.is_open() {
                        state.settle(info.clone(), &put.config);
                        state.fetch.data.set(Some(info.clone().into()));
                    }
                    offer_undo(state, (words, hub, toasts), before.config, info, by);
                }
                Err(error) if error.is_conflict() => {
                    state.conflict.try_set(true);
                    state.fetch.refetch();
                }
                Err(error) => {
                    let messages = words.now();
                    toasts.failed(format!("{}. {}", messages.rules().not_saved, error.sentence(messages)));
                }
            }
        });
    })
}

async fn teach(hub: HubState, put: &TaughtPut) -> Result<TaughtInfo, SourceError> {
    match hub.source.get_untracked() {
        Some(source) => source.teach(put).await,
        None => Err(SourceError::Network),
    }
}

/// Says that it was saved and offers to take it back, also from another page.
fn offer_undo(
    state: RulesState,
    (words, hub, toasts): (I18n, HubState, Toasts),
    before: Taught,
    saved: TaughtInfo,
    by: Option<String>,
) {
    let messages = words.now();
    toasts.done_with(messages.rules().saved, messages.common.undo, move || {
        let expected = Some(saved.revision.clone());
        let put = TaughtPut { config: before.clone(), expected, updated_by: by.clone() };
        let saved = saved.config.clone();
        let under_way = toasts.under_way();
        spawn_local(async move {
            let _under_way = under_way;
            match teach(hub, &put).await {
                Ok(info) => {
                    if state.is_open() {
                        state.settle(info.clone(), &saved);
                        state.fetch.data.set(Some(info.into()));
                    }
                    toasts.done(words.now().rules().undone);
                }
                Err(error) => {
                    let messages = words.now();
                    toasts.failed(format!("{}. {}", messages.rules().not_saved, error.sentence(messages)));
                }
            }
        });
    });
}
