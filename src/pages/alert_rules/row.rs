//! Row of one rule of alerts: its name and sentence, how many lines it is about now, and what can be done with it.

use std::sync::Arc;

use coordination::api::{AlertRuleInfo, AlertRuleSpec, AlertsPage};
use coordination::text::hidden;
use leptos::prelude::*;

use super::words::{rule_name, summary};
use super::{AlertRulesState, RuleDraft};
use crate::components::people::use_people;
use crate::i18n::messages::AlertRulesMessages as Words;
use crate::i18n::{time, use_i18n};
use crate::state::use_clock;
use crate::ui::Icon;
use crate::ui::more_menu::{MenuAction, MoreMenu};

/// The rule as it is written, for a rule of the page.
fn draft_of(info: &AlertRuleInfo) -> Option<RuleDraft> {
    let (id, revision) = info.id.clone().zip(info.revision)?;
    Some(RuleDraft { id, revision, spec: info.rule.clone() })
}

/// One rule.
#[component]
pub(super) fn AlertRuleRow(info: Memo<AlertRuleInfo>, state: AlertRulesState) -> impl IntoView {
    let (words, people, clock) = (use_i18n(), use_people(), use_clock());
    let name = Signal::derive(move || info.with(|info| rule_name(info, words)));
    let is_in_force = Memo::new(move |_| info.with(|info| info.trouble.is_none() && !info.rule.paused));
    let now = move || {
        let (lines, more) = info.with(|info| state.matching(&info.rule));
        is_in_force.get().then(|| (words.get().alert_rules().matching)(lines.len(), more))
    };
    let quiet = move || {
        let until = info.with(|info| info.quiet_until.filter(|_| is_in_force.get()))?;
        let until = time::short(words.locale(), clock.coarse().get(), until);
        Some(view! { <span class="is-dim">{(words.get().alert_rules().quiet_now)(&until)}</span> })
    };
    let origin = move || {
        let origin = (words.get().alert_rules().origin)(info.with(|info| info.origin));
        (!origin.is_empty()).then(|| view! { <span class="alert-rule__origin">{origin}</span> })
    };
    let fetch = state.fetch;
    let trouble = move || {
        let (cause, sinks) = info.with(|info| (info.trouble.clone(), info.rule.sinks.clone()));
        let texts = words.get().alert_rules();
        let is_known = |page: &Option<Arc<AlertsPage>>| {
            page.iter().flat_map(|page| &page.sinks).any(|sink| sinks.contains(&sink.name))
        };
        let text = if sinks.is_empty() || fetch.data.with(is_known) {
            (texts.not_in_force)(&hidden::marked(&cause?))
        } else {
            (texts.no_such_channel)(&hidden::marked(&sinks.join(", ")))
        };
        Some(view! {
            <p class="alert-rule__trouble">
                {Icon::Warn}
                <span>{text}</span>
            </p>
        })
    };
    view! {
        <li class="alert-rule" class:is-off=move || !is_in_force.get()>
            <div class="alert-rule__what">
                <h2>{move || name.get()} {origin}</h2>
                <p>{move || info.with(|info| summary(&info.rule, words, people))}</p>
                {trouble}
            </div>
            <span class="alert-rule__now">{now} {quiet}</span>
            <RuleSwitch info=info state=state name=name />
            <RuleMenu info=info state=state name=name />
        </li>
    }
}

/// Switch of a rule of the page.
#[component]
fn RuleSwitch(info: Memo<AlertRuleInfo>, state: AlertRulesState, name: Signal<String>) -> impl IntoView {
    let words = use_i18n();
    let is_of_page = Memo::new(move |_| info.with(|info| info.id.is_some()));
    let is_on = move || info.with(|info| !info.rule.paused);
    let press = move |_| {
        if let Some(mut draft) = info.with_untracked(draft_of) {
            draft.spec.paused = !draft.spec.paused;
            state.put(draft, || ());
        }
    };
    move || {
        if !is_of_page.get() {
            return view! { <span /> }.into_any();
        }
        view! {
            <button
                type="button"
                class="switch"
                role="switch"
                aria-label=move || (words.get().alert_rules().in_force_of)(&name.get())
                aria-checked=move || is_on().to_string()
                disabled=move || !state.allowed.get()
                on:click=press
            >
                {move || if is_on() { words.get().alert_rules().on } else { words.get().alert_rules().off }}
            </button>
        }
        .into_any()
    }
}

/// Menu of a rule. One of the configuration file can be copied alone.
#[component]
fn RuleMenu(info: Memo<AlertRuleInfo>, state: AlertRulesState, name: Signal<String>) -> impl IntoView {
    let words = use_i18n();
    let text = move |word: fn(&Words) -> &'static str, only_page: bool| {
        Signal::derive(move || {
            let is_offered = state.allowed.get() && (!only_page || info.with(|info| info.id.is_some()));
            if is_offered { word(words.get().alert_rules()).to_owned() } else { String::new() }
        })
    };
    let copy = move || {
        let (name, rule) = (name.get_untracked(), info.with_untracked(|info| info.rule.clone()));
        state.draft.set(Some(RuleDraft::new(AlertRuleSpec { name, paused: false, ..rule })));
    };
    let remove = move || info.with_untracked(draft_of).into_iter().for_each(|draft| state.remove(draft));
    let acts = vec![
        MenuAction {
            text: text(|words| words.edit, true),
            run: Callback::new(move |()| state.draft.set(info.with_untracked(draft_of))),
        },
        MenuAction { text: text(|words| words.copy, false), run: Callback::new(move |()| copy()) },
        MenuAction { text: text(|words| words.remove, true), run: Callback::new(move |()| remove()) },
    ];
    view! { <MoreMenu label=Signal::derive(move || (words.get().alert_rules().more_of)(&name.get())) acts=acts /> }
}
