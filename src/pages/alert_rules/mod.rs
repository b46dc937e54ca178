//! Page of alert rules: what the monitor sends where, and when. Each rule shows which lines of the work list it is about
//! now. Rules of the page are shared records of the home; those of the configuration file are shown only.

mod form;
mod words;

use std::sync::Arc;

use coordination::alerts::NotificationRule;
use coordination::api::{
    AlertRuleInfo, AlertRuleSpec, AlertsPage, Attention, RuleOrigin, SharedContent, SharedPut, SharedRemoval,
};
use coordination::text::hidden;
use leptos::prelude::*;
use leptos::task::spawn_local;

use self::form::RuleForm;
use self::words::{rule_name, summary};
use super::failure::Failure;
use crate::components::copy_button::CopyButton;
use crate::components::people::use_people;
use crate::components::refusal::RefusalNote;
use crate::components::team_views::new_record_id;
use crate::i18n::messages::AlertRulesMessages as Words;
use crate::i18n::{I18n, time, use_i18n};
use crate::queries::{Fetch, FetchOptions, Go, use_fetch, use_go, use_page_title, use_pairs};
use crate::routes::{NewAlertRule, paths};
use crate::source::SourceError;
use crate::state::{HubState, Preferences, use_clock, use_hub, use_preferences, use_rights};
use crate::ui::Icon;
use crate::ui::dialog::Dialog;
use crate::ui::empty::EmptyState;
use crate::ui::more_menu::{MenuAction, MoreMenu};
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
#[derive(Clone)]
struct AlertRulesState {
    fetch: Fetch<AlertsPage>,
    draft: RwSignal<Option<RuleDraft>>,
    saving: RwSignal<bool>,
    hub: HubState,
    preferences: Preferences,
    toasts: Toasts,
    words: I18n,
    go: Go,
    allowed: Memo<bool>,
}

impl AlertRulesState {
    /// Lines of the work list that a rule is about now, and whether there may be more. Reactive.
    fn matching(&self, spec: &AlertRuleSpec) -> (Vec<Attention>, bool) {
        let rule = NotificationRule { id: String::new(), spec: spec.clone() };
        self.hub.home.with(|home| {
            let lines = home.iter().flat_map(|home| &home.attention).filter(|line| rule.fits(line)).cloned();
            (lines.collect(), home.as_ref().is_some_and(|home| home.attention_more))
        })
    }

    fn close(&self) {
        self.draft.set(None);
        // A link that wrote the first fields does not open the form again.
        self.go.adjust(&paths::alert_rules());
    }

    /// Writes a rule; `on_done` is called when it is durable.
    fn put(&self, draft: RuleDraft, on_done: impl Fn(&Self) + 'static) {
        let Some(source) = self.hub.source.get_untracked().filter(|_| !self.saving.get_untracked()) else { return };
        let put = SharedPut {
            content: SharedContent::Rule(draft.spec),
            expected: Some(draft.revision),
            updated_by: self.preferences.author(),
        };
        let state = self.clone();
        state.saving.set(true);
        spawn_local(async move {
            let answer = source.put_shared(&draft.id, &put).await;
            state.saving.try_set(false);
            // After a refusal, what others wrote meanwhile is shown.
            state.fetch.refetch();
            match answer {
                Ok(_) => on_done(&state),
                Err(error) => state.toasts.failed(error.sentence(state.words.now())),
            }
        });
    }

    fn save(&self, draft: RuleDraft) {
        let name = draft.spec.name.clone();
        self.put(draft, move |state| {
            state.toasts.done((state.words.now().alert_rules().saved)(&name));
            state.close();
        });
    }

    fn remove(&self, draft: RuleDraft) {
        let Some(source) = self.hub.source.get_untracked() else { return };
        let removal = SharedRemoval { expected: Some(draft.revision), updated_by: self.preferences.author() };
        let state = self.clone();
        spawn_local(async move {
            let answer = source.remove_shared(&draft.id, &removal).await;
            state.fetch.refetch();
            match answer {
                Ok(removed) => {
                    let words = state.words.now();
                    let text = (words.alert_rules().removed)(&draft.spec.name);
                    let draft = RuleDraft { revision: removed.revision, ..draft };
                    let again = state.clone();
                    state.toasts.done_with(text, words.common.undo, move || again.put(draft.clone(), |_| ()));
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
        go: use_go(),
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
        (Some(true), _) => view! { <Rules state=state.clone() /> }.into_any(),
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
    let rows = {
        let state = state.clone();
        move || {
            let rules = fetch.data.with(|page| page.as_ref().map(|page| page.rules.clone()).unwrap_or_default());
            rules.into_iter().map(|info| view! { <AlertRuleRow info=info state=state.clone() /> }).collect_view()
        }
    };
    let heading = Signal::derive(move || {
        let words = words.get().alert_rules();
        let is_new = draft.with(|draft| draft.as_ref().is_none_or(|draft| draft.revision == 0));
        if is_new { words.new_rule.to_owned() } else { words.edit_rule.to_owned() }
    });
    let form = StoredValue::new(state.clone());
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
            {rows}
        </ul>
        {move || has_defaults().then(|| view! { <p class="is-dim">{move || words.get().alert_rules().defaults_note}</p> })}
        <Dialog
            open=Signal::derive(move || draft.with(Option::is_some) && allowed.get())
            on_close=Callback::new(move |()| form.with_value(AlertRulesState::close))
            title=heading
            close_label=Signal::derive(move || words.get().common.close.to_owned())
        >
            {form.with_value(|state| view! { <RuleForm state=state.clone() /> })}
        </Dialog>
    }
}

/// One rule: its name and sentence, how many lines it is about now, and what can be done with it.
#[component]
fn AlertRuleRow(info: AlertRuleInfo, state: AlertRulesState) -> impl IntoView {
    let (words, people, clock) = (use_i18n(), use_people(), use_clock());
    let info = Arc::new(info);
    let draft = info.id.clone().zip(info.revision);
    let draft = draft.map(|(id, revision)| RuleDraft { id, revision, spec: info.rule.clone() });
    let name = {
        let info = Arc::clone(&info);
        Signal::derive(move || rule_name(&info, words))
    };
    let spec = info.rule.clone();
    let sentence = {
        let spec = spec.clone();
        move || summary(&spec, words, people)
    };
    let is_in_force = info.trouble.is_none() && !spec.paused;
    let now = {
        let (state, spec) = (state.clone(), spec.clone());
        move || {
            let (lines, more) = state.matching(&spec);
            (words.get().alert_rules().matching)(lines.len(), more)
        }
    };
    let origin = info.origin;
    let (trouble, sinks, fetch) = (info.trouble.clone(), spec.sinks.clone(), state.fetch);
    let cause = move |cause: &str| {
        let words = words.get().alert_rules();
        let is_known = |page: &Option<Arc<AlertsPage>>| {
            page.iter().flat_map(|page| &page.sinks).any(|sink| sinks.contains(&sink.name))
        };
        if sinks.is_empty() || fetch.data.with(is_known) {
            (words.not_in_force)(&hidden::marked(cause))
        } else {
            (words.no_such_channel)(&hidden::marked(&sinks.join(", ")))
        }
    };
    let quiet_until = info.quiet_until.filter(|_| is_in_force);
    let until =
        move |at: i64| (words.get().alert_rules().quiet_now)(&time::short(words.locale(), clock.coarse().get(), at));
    let copy = {
        let (state, spec) = (state.clone(), spec.clone());
        move || {
            let name = name.get_untracked();
            state.draft.set(Some(RuleDraft::new(AlertRuleSpec { name, paused: false, ..spec.clone() })));
        }
    };
    let allowed = state.allowed;
    let text = move |word: fn(&Words) -> &'static str| {
        Signal::derive(move || if allowed.get() { word(words.get().alert_rules()).to_owned() } else { String::new() })
    };
    let mut acts = Vec::new();
    if let Some(draft) = draft.clone() {
        let (edit, gone) = (state.clone(), state.clone());
        let edited = draft.clone();
        acts.push(MenuAction {
            text: text(|words| words.edit),
            run: Callback::new(move |()| edit.draft.set(Some(edited.clone()))),
        });
        acts.push(MenuAction {
            text: text(|words| words.remove),
            run: Callback::new(move |()| gone.remove(draft.clone())),
        });
    }
    acts.insert(acts.len().min(1), MenuAction { text: text(|words| words.copy), run: Callback::new(move |()| copy()) });
    let switch = draft.map(|draft| {
        let state = state.clone();
        let saving = state.saving;
        let is_on = !draft.spec.paused;
        let press = move |_| {
            let mut draft = draft.clone();
            draft.spec.paused = !draft.spec.paused;
            state.put(draft, |_| ());
        };
        view! {
            <button
                type="button"
                class="switch"
                role="switch"
                aria-label=move || (words.get().alert_rules().in_force_of)(&name.get())
                aria-checked=is_on.to_string()
                disabled=move || saving.get() || !allowed.get()
                on:click=press
            >
                {move || if is_on { words.get().alert_rules().on } else { words.get().alert_rules().off }}
            </button>
        }
    });
    view! {
        <li class="alert-rule" class:is-off=!is_in_force>
            <div class="alert-rule__what">
                <h2>
                    {move || name.get()}
                    {move || {
                        let origin = (words.get().alert_rules().origin)(origin);
                        (!origin.is_empty()).then(|| view! { <span class="alert-rule__origin">{origin}</span> })
                    }}
                </h2>
                <p>{sentence}</p>
                {trouble
                    .map(|text| {
                        view! {
                            <p class="alert-rule__trouble">
                                {Icon::Warn}
                                <span>{move || cause(&text)}</span>
                            </p>
                        }
                    })}
            </div>
            <span class="alert-rule__now">
                {is_in_force.then_some(now)}
                {quiet_until.map(|at| view! { <span class="is-dim">{move || until(at)}</span> })}
            </span>
            {switch.map_or_else(|| view! { <span /> }.into_any(), IntoAny::into_any)}
            <MoreMenu label=Signal::derive(move || (words.get().alert_rules().more_of)(&name.get())) acts=acts />
        </li>
    }
}
