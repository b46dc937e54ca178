//! Page of alert rules: what the monitor sends where, and when. Each rule shows which lines of the work list it is about
//! now. Rules of the page are shared records of the home; those of the configuration file are shown only.

mod form;
mod recaps;
mod row;
mod words;

use coordination::alerts::NotificationRule;
use coordination::api::{
    AlertRuleInfo, AlertRuleSpec, AlertsPage, Attention, RuleOrigin, SharedContent, SharedPut, SharedRemoval,
};
use leptos::prelude::*;
use leptos::task::spawn_local;

use self::form::RuleForm;
use self::recaps::Recaps;
use self::row::AlertRuleRow;
use super::failure::Failure;
use crate::components::copy_button::CopyButton;
use crate::components::refusal::RefusalNote;
use crate::components::team_views::new_record_id;
use crate::i18n::messages::AlertRulesMessages as Words;
use crate::i18n::{I18n, use_i18n};
use crate::queries::{Fetch, FetchOptions, Go, use_fetch, use_go, use_page_title, use_pairs};
use crate::routes::{NewAlertRule, paths};
use crate::source::SourceError;
use crate::state::{HubState, Preferences, use_hub, use_preferences, use_rights};
use crate::ui::Icon;
use crate::ui::dialog::Dialog;
use crate::ui::empty::EmptyState;
use crate::ui::live_rows::LiveRows;
use crate::ui::skeleton::Skeleton;
use crate::ui::toast::{Toasts, use_toasts};

/// Wait of a new rule, in milliseconds.
const FIRST_AFTER_MS: i64 = 60_000;
const CHANNEL_EXAMPLE: &str = "[[alerts.sinks]]\nname = \"team\"\nkind = \"slack\"\nurl_file = \"slack-url\"\n";

/// A rule in the form.
#[derive(Debug, Clone, PartialEq)]
struct RuleDraft {
    /// Id of its record.
    id: String,
    /// Revision that the person saw; 0 for a new rule.
    revision: u32,
    spec: AlertRuleSpec,
}

impl RuleDraft {
    fn new(spec: AlertRuleSpec) -> Self {
        Self { id: new_record_id(), revision: 0, spec }
    }

    fn of_address(start: NewAlertRule) -> Self {
        let NewAlertRule { groups, kinds, agents } = start;
        Self::new(AlertRuleSpec { groups, kinds, agents, after_ms: FIRST_AFTER_MS, ..AlertRuleSpec::default() })
    }
}

/// The rules, and how to change them.
#[derive(Clone, Copy)]
struct AlertRulesState {
    fetch: Fetch<AlertsPage>,
    draft: RwSignal<Option<RuleDraft>>,
    saving: RwSignal<bool>,
    hub: HubState,
    preferences: Preferences,
    toasts: Toasts,
    words: I18n,
    go: StoredValue<Go>,
    allowed: Memo<bool>,
}

impl AlertRulesState {
    /// Lines of the work list that a rule is about now, and whether there may be more. Reactive.
    fn matching(self, spec: &AlertRuleSpec) -> (Vec<Attention>, bool) {
        let rule = NotificationRule { id: String::new(), spec: spec.clone() };
        self.hub.home.with(|home| {
            let lines = home.iter().flat_map(|home| &home.attention).filter(|line| rule.fits(line)).cloned();
            (lines.collect(), home.as_ref().is_some_and(|home| home.attention_more))
        })
    }

    fn close(self) {
        self.draft.set(None);
        // A link that wrote the first fields does not open the form again.
        self.go.with_value(|go| go.adjust(&paths::alert_rules()));
    }

    /// Writes a rule; `on_done` is called when it is durable.
    fn put(self, draft: RuleDraft, on_done: impl Fn() + 'static) {
        let Some(source) = self.hub.source.get_untracked().filter(|_| !self.saving.get_untracked()) else { return };
        let put = SharedPut {
            content: SharedContent::Rule(draft.spec),
            expected: Some(draft.revision),
            updated_by: self.preferences.author(),
        };
        let state = self;
        state.saving.set(true);
        spawn_local(async move {
            let answer = source.put_shared(&draft.id, &put).await;
            state.saving.try_set(false);
            // After a refusal, what others wrote meanwhile is shown.
            state.fetch.refetch();
            match answer {
                Ok(_) => on_done(),
                Err(error) => state.toasts.failed(error.sentence(state.words.now())),
            }
        });
    }

    fn save(self, draft: RuleDraft) {
        let name = draft.spec.name.clone();
        self.put(draft, move || {
            self.toasts.done((self.words.now().alert_rules().saved)(&name));
            self.close();
        });
    }

    fn remove(self, draft: RuleDraft) {
        let Some(source) = self.hub.source.get_untracked() else { return };
        let removal = SharedRemoval { expected: Some(draft.revision), updated_by: self.preferences.author() };
        let state = self;
        spawn_local(async move {
            let answer = source.remove_shared(&draft.id, &removal).await;
            state.fetch.refetch();
            match answer {
                Ok(removed) => {
                    let words = state.words.now();
                    let text = (words.alert_rules().removed)(&draft.spec.name);
                    let draft = RuleDraft { revision: removed.revision, ..draft };
                    state.toasts.done_with(text, words.common.undo, move || state.put(draft.clone(), || ()));
                }
                Err(error) => state.toasts.failed(error.sentence(state.words.now())),
            }
        });
    }
}

/// The page of `/alerts`.
#[component]
pub fn AlertRulesPage() -> impl IntoView {
    let words = use_i18n();
    let pairs = use_pairs();
    let options = FetchOptions::refetch_when(|change, ()| change.views || change.everything);
    let state = AlertRulesState {
        fetch: use_fetch(|| (), options, |source, ()| async move { source.alerts().await }),
        draft: RwSignal::new(None),
        saving: RwSignal::new(false),
        hub: use_hub(),
        preferences: use_preferences(),
        toasts: use_toasts(),
        words,
        go: StoredValue::new(use_go()),
        allowed: use_rights().may_share(),
    };
    let (fetch, draft) = (state.fetch, state.draft);
    Effect::new(move |_| {
        if let Some(start) = pairs.with(|pairs| NewAlertRule::from_pairs(pairs)) {
            draft.set(Some(RuleDraft::of_address(start)));
        }
    });
    use_page_title(move || words.get().alert_rules().title.to_owned());
    let has_sinks = Memo::new(move |_| fetch.data.with(|page| page.as_ref().map(|page| !page.sinks.is_empty())));
    let body = move || match (has_sinks.get(), fetch.failure.get()) {
        (Some(true), _) => view! { <Rules state=state /> }.into_any(),
        (Some(false), _) => view! { <NoChannels /> }.into_any(),
        (None, Some(SourceError::Unsupported)) => {
            let say = move |some: fn(&Words) -> &'static str| {
                Signal::derive(move || some(words.get().alert_rules()).to_owned())
            };
            view! { <EmptyState icon=Icon::Bell title=say(|it| it.unsupported) text=say(|it| it.unsupported_why) /> }
                .into_any()
        }
        (None, Some(error)) => {
            view! { <Failure error=error on_retry=Callback::new(move |()| fetch.refetch()) /> }.into_any()
        }
        (None, None) => {
            let label = Signal::derive(move || words.get().common.loading.to_owned());
            view! { <Skeleton rows=4 label=label /> }.into_any()
        }
    };
    view! {
        <main id="main" class="alert-rules" tabindex="-1">
            <header class="list-head">
                <h1>{move || words.get().alert_rules().title}</h1>
                <p>{move || words.get().alert_rules().subtitle}</p>
            </header>
            {body}
        </main>
    }
}

/// How to set up a channel.
#[component]
fn NoChannels() -> impl IntoView {
    let words = use_i18n();
    let say =
        move |some: fn(&Words) -> &'static str| Signal::derive(move || some(words.get().alert_rules()).to_owned());
    view! {
        <EmptyState icon=Icon::Bell title=say(|it| it.no_channels) text=say(|it| it.no_channels_why) />
        <div class="alert-rules__example">
            <pre>{CHANNEL_EXAMPLE}</pre>
            <CopyButton text=CHANNEL_EXAMPLE.to_owned() label=say(|it| it.channel_example) bare=true />
        </div>
    }
}

/// The rules with the form.
#[component]
fn Rules(state: AlertRulesState) -> impl IntoView {
    let words = use_i18n();
    let (fetch, draft, allowed) = (state.fetch, state.draft, state.allowed);
    let channels = move || {
        let names = |page: &AlertsPage| page.sinks.iter().map(|sink| sink.name.as_str()).collect::<Vec<_>>().join(", ");
        let names = fetch.data.with(|page| page.as_deref().map(names).unwrap_or_default());
        (words.get().alert_rules().channels)(&names)
    };
    let has_defaults = move || {
        let is_default = |info: &AlertRuleInfo| info.origin == RuleOrigin::Default;
        fetch.data.with(|page| page.as_ref().is_some_and(|page| page.rules.iter().any(is_default)))
    };
    let begin = move |_| draft.set(Some(RuleDraft::of_address(NewAlertRule::default())));
    let rules = move || fetch.data.with(|page| page.as_ref().map(|page| page.rules.clone()).unwrap_or_default());
    let row = move |info: Memo<AlertRuleInfo>| view! { <AlertRuleRow info=info state=state /> }.into_any();
    let heading = Signal::derive(move || {
        let words = words.get().alert_rules();
        let is_new = draft.with(|draft| draft.as_ref().is_none_or(|draft| draft.revision == 0));
        if is_new { words.new_rule.to_owned() } else { words.edit_rule.to_owned() }
    });
    view! {
        <div class="alert-rules__tools">
            <p class="is-dim">{channels}</p>
            {move || {
                allowed
                    .get()
                    .then(|| {
                        view! {
                            <button type="button" class="button is-primary" on:click=begin>
                                {Icon::Plus}
                                {move || words.get().alert_rules().add}
                            </button>
                        }
                    })
            }}
        </div>
        {move || (!allowed.get()).then(|| view! { <RefusalNote /> })}
        <ul class="alert-rules__list" aria-label=move || words.get().alert_rules().list>
            <LiveRows each=rules key=|info| info.id.clone().unwrap_or_else(|| info.rule.name.clone()) draw=row />
        </ul>
        {move || has_defaults().then(|| view! { <p class="is-dim">{move || words.get().alert_rules().defaults_note}</p> })}
        <Recaps fetch=fetch />
        <Dialog
            open=Signal::derive(move || draft.with(Option::is_some) && allowed.get())
            on_close=Callback::new(move |()| state.close())
            title=heading
            close_label=Signal::derive(move || words.get().common.close.to_owned())
        >
            <RuleForm state=state />
        </Dialog>
    }
}
