//! Drawing of delegated runs in the flow diagram: each run is a branch that leaves a lane and returns to it when the
//! run ends. The module also draws labelled dots for events that belong to no arrow, run or task.

use std::sync::Arc;

use coordination::flow_layout::DelegationAt;
use leptos::prelude::*;

use super::DrawnFlow;
use super::arrow::{SUBTEXT_SIZE, icon};
use super::mark_text::{delegation_fate, delegation_name, fitted, note_name, run_state_style};
use crate::components::people::use_people;
use crate::components::time_ago::use_now;
use crate::i18n::use_i18n;
use crate::ui::badge::StatusStyle;

/// One delegation, without its frame.
pub(super) fn delegation_view(drawn: &Arc<DrawnFlow>, number: usize) -> impl IntoView + use<> {
    view! {
        {stem_view(drawn, number)}
        {dot_view(drawn, number)}
        {branch_view(drawn, number)}
        {return_view(drawn, number)}
    }
}

/// Its stem: what of it may be cut by the end of a sheet.
pub(super) fn stem_view(drawn: &Arc<DrawnFlow>, number: usize) -> impl IntoView + use<> {
    let at = drawn.layout.delegations[number];
    let open = if at.back { "" } else { " is-open" };
    view! { <path class=format!("flow__delegation{open}") d=stem(&at) /> }
}

/// The dot on its stem.
pub(super) fn dot_view(drawn: &Arc<DrawnFlow>, number: usize) -> impl IntoView + use<> {
    let at = drawn.layout.delegations[number];
    let tone = run_state_style(drawn.flow.delegations[number].state).tone.as_str();
    let middle = ((at.y0 + at.y1) / 2.0).to_string();
    view! { <circle class=format!("flow__dot is-{tone}") cx=at.stem.to_string() cy=middle r="4.5" /> }
}

/// Who works, and at what.
pub(super) fn branch_view(drawn: &Arc<DrawnFlow>, number: usize) -> impl IntoView + use<> {
    let people = use_people();
    let at = drawn.layout.delegations[number];
    let delegation = drawn.flow.delegations[number].clone();
    view! {
        <text class="flow__sub" x=at.name.x.to_string() y=(at.name.y + 13.0).to_string()>
            {move || fitted(&delegation_name(&delegation, people), at.name.width, SUBTEXT_SIZE)}
        </text>
    }
}

/// How it ended, or that it has not.
pub(super) fn return_view(drawn: &Arc<DrawnFlow>, number: usize) -> impl IntoView + use<> {
    let (words, now) = (use_i18n(), use_now());
    let at = drawn.layout.delegations[number];
    let delegation = drawn.flow.delegations[number].clone();
    let StatusStyle { tone, icon: symbol } = run_state_style(delegation.state);
    let fate = move || fitted(&delegation_fate(&delegation, words, now.at.get()), at.fate.width - 18.0, SUBTEXT_SIZE);
    view! {
        {at.back.then(|| {
            let y = at.y1;
            view! { <path class="flow__head is-answer" d=format!("M{} {}l-7 4 7 4", at.lane + 7.0, y - 4.0) /> }
        })}
        {icon(symbol, tone, at.fate.x, at.fate.y + 2.0)}
        <text
            class=format!("flow__sub is-{}", tone.as_str())
            x=(at.fate.x + 18.0).to_string()
            y=(at.fate.y + 13.0).to_string()
        >
            {fate}
        </text>
    }
}

/// From the lane to the stem, down, and back to the lane.
fn stem(at: &DelegationAt) -> String {
    let DelegationAt { lane, stem, y0, y1, back, .. } = *at;
    if y1 - y0 < 1.0 {
        // Only its return is in the log.
        return format!("M{stem} {y0}H{}", lane + 6.0);
    }
    let bend = 9.0_f64.min((stem - lane) / 2.0).min((y1 - y0) / 2.0);
    let down = format!("M{lane} {y0}H{}q{bend} 0 {bend} {bend}V{}", stem - bend, y1 - bend);
    if back { format!("{down}q0 {bend} -{bend} {bend}H{}", lane + 2.0) } else { format!("{down}V{y1}") }
}

/// One note, without its frame.
pub(super) fn note_view(drawn: &Arc<DrawnFlow>, number: usize) -> impl IntoView + use<> {
    let words = use_i18n();
    let at = drawn.layout.notes[number];
    let note = drawn.flow.notes[number].clone();
    let text = move || fitted(&note_name(&note, words), at.text.width, SUBTEXT_SIZE);
    view! {
        <circle class="flow__note" cx=at.x.to_string() cy=at.y.to_string() r="4" />
        <path class="flow__lead" d=format!("M{} {}H{}", at.x + 6.0, at.y, at.text.x - 4.0) />
        <text class="flow__sub is-rest" x=at.text.x.to_string() y=(at.text.y + 13.0).to_string()>
            {text}
        </text>
    }
}
