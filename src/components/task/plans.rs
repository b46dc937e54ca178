//! Section with the plans of a task: title, decision, steps.

use crate::components::hidden::Name;
use crate::components::plain::Plain;
use coordination::api::Plan;
use coordination::ids::AgentId;
use leptos::prelude::*;

use crate::components::json::JsonView;
use crate::components::people::use_people;
use crate::i18n::{time, use_i18n};
use crate::ui::badge::{Badge, StatusStyle, style};
use crate::ui::{Icon, Tone};

/// The section.
#[component]
pub fn PlansSection(plans: Vec<Plan>) -> impl IntoView {
    let words = use_i18n();
    let count = plans.len();
    let items = plans.into_iter().map(|plan| view! { <PlanView plan=plan /> }).collect_view();
    view! {
        <section>
            <h3>{move || words.get().tasks().plan} <small>{count}</small></h3>
            {items}
        </section>
    }
}

/// One plan.
#[component]
pub fn PlanView(plan: Plan) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let StatusStyle { tone, icon } = match plan.status.as_str() {
        "approved" => style(Tone::Success, Icon::Ok),
        "rejected" => style(Tone::Danger, Icon::Close),
        "pending" => style(Tone::Review, Icon::Plan),
        _ => style(Tone::Neutral, Icon::Help),
    };
    let status = plan.status.clone();
    let text = Signal::derive(move || {
        (words.get().tasks().plan_status)(&status).map_or_else(|| status.clone(), ToOwned::to_owned)
    });
    let at = plan.decided_at.as_deref().or(plan.submitted_at.as_deref()).and_then(time::parse_iso);
    let by = plan.decided_by.clone();
    let facts = move || {
        let mut parts = Vec::new();
        parts.extend(at.map(|at| time::day_clock(words.locale(), at)));
        parts.extend(by.as_deref().map(|id| (words.get().tasks().plan_by)(&people.name(&AgentId::from(id)))));
        parts.join(" · ")
    };
    // An unknown shape is shown as written rather than left out.
    let foreign = plan.steps.is_empty() && plan.title.is_empty() && !plan.raw.is_null();
    let steps = plan.steps.into_iter().map(|step| view! { <li><Plain text=step /></li> }).collect_view();
    view! {
        <div class="plan">
            <p class="plan__title">
                <b><Name text=plan.title /></b>
                {(!plan.status.is_empty()).then(|| view! { <Badge tone=tone icon=icon text=text /> })}
            </p>
            <p class="is-dim">{facts}</p>
            {plan.reject_reason.map(|reason| view! { <p><Plain text=reason /></p> })}
            <ol class="plan__steps">{steps}</ol>
            {foreign.then(|| view! { <JsonView value=plan.raw /> })}
        </div>
    }
}
