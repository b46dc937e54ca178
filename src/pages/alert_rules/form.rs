//! Form of a rule of alerts: what it is about, when it sends and where to, and the lines that it is about now.

use std::collections::BTreeSet;

use coordination::api::{AlertRuleSpec, AttentionGroup, AttentionKind, MAX_RULE_NAME_CHARS, QuietHours};
use coordination::ids::AgentId;
use leptos::html;
use leptos::prelude::*;

use super::words::group_name;
use super::{AlertRulesState, RuleDraft};
use crate::components::attention_list::alert_text;
use crate::components::people::use_people;
use crate::i18n::messages::AlertRulesMessages as Words;
use crate::i18n::{I18n, time, use_i18n};
use crate::state::use_clock;
use crate::ui::menu::{Menu, MenuChoice};
use crate::ui::toggles::Toggles;

const MINUTE_MS: i64 = 60_000;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const WAITS_MS: [i64; 6] = [MINUTE_MS, 5 * MINUTE_MS, 15 * MINUTE_MS, 30 * MINUTE_MS, HOUR_MS, 4 * HOUR_MS];
const DIGESTS_MS: [i64; 4] = [15 * MINUTE_MS, HOUR_MS, 4 * HOUR_MS, 24 * HOUR_MS];
const REPEATS_MS: [i64; 4] = [30 * MINUTE_MS, HOUR_MS, 4 * HOUR_MS, 24 * HOUR_MS];
/// Lines of the preview.
const MAX_PREVIEWED: usize = 3;

/// The rule in the form.
#[derive(Clone, Copy)]
struct RuleEdit {
    draft: RwSignal<Option<RuleDraft>>,
    spec: Memo<AlertRuleSpec>,
    /// Two texts of the browser's fields, so that one can be written before the other.
    quiet: RwSignal<(String, String)>,
    words: I18n,
}

impl RuleEdit {
    fn new(draft: RwSignal<Option<RuleDraft>>) -> Self {
        let spec = Memo::new(move |_| draft.with(|draft| draft.as_ref().map(|it| it.spec.clone()).unwrap_or_default()));
        let hours = spec.with_untracked(|spec| spec.quiet.map(QuietHours::text).unwrap_or_default());
        let (from, to) = hours.split_once('-').unwrap_or_default();
        Self { draft, spec, quiet: RwSignal::new((from.to_owned(), to.to_owned())), words: use_i18n() }
    }

    fn change(self, edit: impl Fn(&mut AlertRuleSpec)) {
        self.draft.update(|draft| draft.iter_mut().for_each(|draft| edit(&mut draft.spec)));
    }

    fn text(self, word: fn(&Words) -> &'static str) -> Signal<String> {
        Signal::derive(move || word(self.words.get().alert_rules()).to_owned())
    }

    /// A time of the rule for a menu.
    fn chosen(self, field: fn(&AlertRuleSpec) -> Option<i64>) -> Signal<String> {
        Signal::derive(move || self.spec.with(|spec| field(spec).map(|ms| ms.to_string()).unwrap_or_default()))
    }

    /// Choices of a menu of times.
    fn times(self, choices: &'static [i64], write: fn(&Words) -> fn(&str) -> String) -> Signal<Vec<MenuChoice>> {
        Signal::derive(move || {
            let written = write(self.words.get().alert_rules());
            let text = |ms: i64| written(&time::duration(self.words.locale(), ms));
            choices.iter().map(|ms| MenuChoice { value: ms.to_string(), text: text(*ms) }).collect()
        })
    }

    /// The rule to save, or what it lacks.
    fn finished(self, now: i64) -> Result<RuleDraft, fn(&Words) -> &'static str> {
        let mut draft = self.draft.get_untracked().ok_or((|words: &Words| words.needs_name) as fn(&Words) -> _)?;
        draft.spec.name = draft.spec.name.trim().to_owned();
        let (from, to) = self.quiet.get_untracked();
        draft.spec.quiet = QuietHours::parse(&format!("{from}-{to}"), i64::from(time::offset_east(now)));
        if draft.spec.name.is_empty() {
            return Err(|words| words.needs_name);
        }
        if draft.spec.quiet.is_none() && !(from.is_empty() && to.is_empty()) {
            return Err(|words| words.needs_quiet);
        }
        Ok(draft)
    }
}

/// The form; the draft is that of the state.
#[component]
pub(super) fn RuleForm(state: AlertRulesState) -> impl IntoView {
    let (words, clock) = (use_i18n(), use_clock());
    let edit = RuleEdit::new(state.draft);
    let fault = RwSignal::new(None::<fn(&Words) -> &'static str>);
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        match edit.finished(clock.now()) {
            Ok(draft) => {
                fault.set(None);
                state.save(draft);
            }
            Err(lack) => fault.set(Some(lack)),
        }
    };
    // The dialog is open once its content is there, with the focus on its first button.
    let first = NodeRef::<html::Input>::new();
    Effect::new(move |_| {
        if let Some(input) = first.get() {
            request_animation_frame(move || input.focus().unwrap_or_default());
        }
    });
    view! {
        <form class="rule-form" novalidate=true on:submit=submit>
            <label class="field">
                {edit.text(|words| words.name)}
                <input
                    node_ref=first
                    type="text"
                    maxlength=MAX_RULE_NAME_CHARS.to_string()
                    placeholder=edit.text(|words| words.name_hint)
                    prop:value=move || edit.spec.with(|spec| spec.name.clone())
                    on:input=move |event| {
                        let name = event_target_value(&event);
                        edit.change(|spec| spec.name.clone_from(&name));
                    }
                />
            </label>
            <RuleScope edit=edit state=state />
            <RuleTimes edit=edit />
            <RuleSinks edit=edit state=state />
            <RulePreview edit=edit state=state />
            {move || {
                fault.get().map(|lack| view! { <p class="alert-rule__trouble" role="alert">{edit.text(lack)}</p> })
            }}
            <div class="rule-form__acts">
                <button type="submit" class="button is-primary" disabled=move || state.saving.get()>
                    {edit.text(|words| words.save)}
                </button>
                <button type="button" class="button" on:click=move |_| state.close()>
                    {move || words.get().common.cancel}
                </button>
            </div>
        </form>
    }
}

/// Which lines the rule is about.
#[component]
fn RuleScope(edit: RuleEdit, state: AlertRulesState) -> impl IntoView {
    let (words, people, hub) = (use_i18n(), use_people(), state.hub);
    let groups =
        Signal::derive(move || AttentionGroup::ALL.map(|group| (group, group_name(group, words).to_owned())).to_vec());
    let kinds = Signal::derive(move || {
        AttentionKind::MATTERS.map(|kind| (kind, (words.get().home.attention)(kind).to_owned())).to_vec()
    });
    let agents = Signal::derive(move || {
        let mut all: BTreeSet<AgentId> = hub.home.with(|home| {
            let known = home.iter().flat_map(|home| &home.agents).filter(|agent| agent.main || agent.configured);
            known.map(|agent| agent.id.clone()).collect()
        });
        all.extend(edit.spec.with(|spec| spec.agents.clone()));
        all.into_iter().map(|id| (id.clone(), people.name(&id))).collect::<Vec<_>>()
    });
    view! {
        <RuleChoices edit=edit label=|words| words.groups choices=groups field=|spec| &mut spec.groups />
        <RuleChoices edit=edit label=|words| words.kinds choices=kinds field=|spec| &mut spec.kinds />
        <RuleChoices edit=edit label=|words| words.agents choices=agents field=|spec| &mut spec.agents />
        <label class="field rule-form__number">
            {edit.text(|words| words.held_up)}
            <input
                type="number"
                min="0"
                max="999"
                inputmode="numeric"
                prop:value=move || edit.spec.with(|spec| spec.min_held_up.to_string())
                on:change=move |event| {
                    let number = event_target_value(&event).trim().parse().unwrap_or_default();
                    edit.change(|spec| spec.min_held_up = number);
                }
            />
        </label>
    }
}

/// After how long it sends, how often, and when not.
#[component]
fn RuleTimes(edit: RuleEdit) -> impl IntoView {
    let quiet = edit.quiet;
    let time_field = move |word: fn(&Words) -> &'static str, is_end: bool| {
        let value = move || quiet.with(|(from, to)| if is_end { to.clone() } else { from.clone() });
        let write = move |event| {
            let written = event_target_value(&event);
            quiet.update(|(from, to)| *(if is_end { to } else { from }) = written);
        };
        view! { <input type="time" aria-label=edit.text(word) prop:value=value on:input=write /> }
    };
    view! {
        <div class="rule-form__menus">
            <RuleField label=edit.text(|words| words.after)>
                <Menu
                    label=edit.text(|words| words.at_once)
                    choices=edit.times(&WAITS_MS, |words| words.after_span)
                    value=edit.chosen(|spec| Some(spec.after_ms).filter(|ms| *ms > 0))
                    on_pick=Callback::new(move |ms: String| {
                        edit.change(|spec| spec.after_ms = ms.parse().unwrap_or_default());
                    })
                />
            </RuleField>
            <RuleField label=edit.text(|words| words.digest)>
                <Menu
                    label=edit.text(|words| words.one_by_one)
                    choices=edit.times(&DIGESTS_MS, |words| words.digest_span)
                    value=edit.chosen(|spec| spec.digest_ms)
                    on_pick=Callback::new(move |ms: String| edit.change(|spec| spec.digest_ms = ms.parse().ok()))
                />
            </RuleField>
            <RuleField label=edit.text(|words| words.repeat)>
                <Menu
                    label=edit.text(|words| words.once)
                    choices=edit.times(&REPEATS_MS, |words| words.repeat_span)
                    value=edit.chosen(|spec| spec.repeat_ms)
                    on_pick=Callback::new(move |ms: String| edit.change(|spec| spec.repeat_ms = ms.parse().ok()))
                />
            </RuleField>
            <RuleField label=edit.text(|words| words.quiet)>
                <span class="rule-form__times">
                    {time_field(|words| words.quiet_from, false)} "–" {time_field(|words| words.quiet_to, true)}
                </span>
            </RuleField>
        </div>
    }
}

/// Where it sends to.
#[component]
fn RuleSinks(edit: RuleEdit, state: AlertRulesState) -> impl IntoView {
    let fetch = state.fetch;
    let sinks = Signal::derive(move || {
        let known = fetch.data.with(|page| page.as_ref().map(|page| page.sinks.clone()).unwrap_or_default());
        let mut all: BTreeSet<String> = known.into_iter().map(|sink| sink.name).collect();
        all.extend(edit.spec.with(|spec| spec.sinks.clone()));
        all.into_iter().map(|name| (name.clone(), name)).collect::<Vec<_>>()
    });
    view! { <RuleChoices edit=edit label=|words| words.sinks choices=sinks field=|spec| &mut spec.sinks /> }
}

/// One list of the rule, as buttons; with none pressed it fits everything.
#[component]
fn RuleChoices<T>(
    edit: RuleEdit,
    label: fn(&Words) -> &'static str,
    /// Values with their words.
    choices: Signal<Vec<(T, String)>>,
    field: fn(&mut AlertRuleSpec) -> &mut Vec<T>,
) -> impl IntoView
where
    T: Clone + PartialEq + Send + Sync + 'static,
{
    view! {
        <RuleField label=edit.text(label) hint=edit.text(|words| words.all_if_none)>
            <Toggles
                label=edit.text(label)
                choices=choices
                value=Signal::derive(move || field(&mut edit.spec.get()).clone())
                on_toggle=Callback::new(move |value| edit.change(|spec| toggle(field(spec), &value)))
            />
        </RuleField>
    }
}

/// The lines of the work list that the rule is about now.
#[component]
fn RulePreview(edit: RuleEdit, state: AlertRulesState) -> impl IntoView {
    let (words, people) = (use_i18n(), use_people());
    let preview = move || {
        let (lines, more) = state.matching(&edit.spec.get());
        let shown = lines.iter().take(MAX_PREVIEWED).map(|line| {
            let (title, text) = alert_text(line, words, people);
            view! {
                <li>
                    <b>{title}</b>
                    " "
                    {text.replace('\n', " · ")}
                </li>
            }
        });
        let count = (words.get().alert_rules().preview)(lines.len(), more);
        view! {
            <p class="strong">{count}</p>
            <ul>{shown.collect_view()}</ul>
        }
    };
    view! { <div class="rule-form__preview">{preview}</div> }
}

/// A labelled group of controls.
#[component]
fn RuleField(
    label: Signal<String>,
    /// Beside the label.
    #[prop(optional)]
    hint: Option<Signal<String>>,
    children: Children,
) -> impl IntoView {
    view! {
        <div class="rule-form__field">
            <span class="rule-form__label" aria-hidden="true">
                {label} {hint.map(|hint| view! { <small class="is-dim">{hint}</small> })}
            </span>
            {children()}
        </div>
    }
}

fn toggle<T: PartialEq + Clone>(values: &mut Vec<T>, value: &T) {
    if let Some(place) = values.iter().position(|known| known == value) {
        values.remove(place);
    } else {
        values.push(value.clone());
    }
}
