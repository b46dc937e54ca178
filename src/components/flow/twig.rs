//! A delegated run as a branch next to its lane, and the dots of events without another mark.

use std::sync::Arc;

use coordination::flow_layout::TwigAt;
use leptos::prelude::*;

use super::DrawnFlow;
use super::arrow::{SUBTEXT_SIZE, icon};
use super::mark_text::{fitted, note_name, run_face, twig_fate, twig_name};
use crate::components::people::use_people;
use crate::components::time_ago::use_now;
use crate::i18n::use_i18n;

/// One twig, without its frame.
pub(super) fn twig_view(braid: &Arc<DrawnFlow>, number: usize) -> impl IntoView + use<> {
    view! {
        {stem_view(braid, number)}
        {dot_view(braid, number)}
        {branch_view(braid, number)}
        {return_view(braid, number)}
    }
}

/// Its stem: what of it may be cut by the end of a sheet.
pub(super) fn stem_view(braid: &Arc<DrawnFlow>, number: usize) -> impl IntoView + use<> {
    let at = braid.layout.twigs[number];
    let open = if at.back { "" } else { " is-open" };
    view! { <path class=format!("braid__twig{open}") d=stem(&at) /> }
}

/// The dot on its stem.
pub(super) fn dot_view(braid: &Arc<DrawnFlow>, number: usize) -> impl IntoView + use<> {
    let at = braid.layout.twigs[number];
    let tone = run_face(braid.flow.twigs[number].state).0.as_str();
    let middle = ((at.y0 + at.y1) / 2.0).to_string();
    view! { <circle class=format!("braid__dot is-{tone}") cx=at.stem.to_string() cy=middle r="4.5" /> }
}

/// Who works, and at what.
pub(super) fn branch_view(braid: &Arc<DrawnFlow>, number: usize) -> impl IntoView + use<> {
    let people = use_people();
    let at = braid.layout.twigs[number];
    let twig = braid.flow.twigs[number].clone();
    view! {
        <text class="braid__sub" x=at.name.x.to_string() y=(at.name.y + 13.0).to_string()>
            {move || fitted(&twig_name(&twig, people), at.name.width, SUBTEXT_SIZE)}
        </text>
    }
}

/// How it ended, or that it has not.
pub(super) fn return_view(braid: &Arc<DrawnFlow>, number: usize) -> impl IntoView + use<> {
    let (words, now) = (use_i18n(), use_now());
    let at = braid.layout.twigs[number];
    let twig = braid.flow.twigs[number].clone();
    let (tone_of, face) = run_face(twig.state);
    let tone = tone_of.as_str();
    let fate = move || fitted(&twig_fate(&twig, words, now.at.get()), at.fate.width - 18.0, SUBTEXT_SIZE);
    view! {
        {at.back.then(|| {
            let y = at.y1;
            view! { <path class="braid__head is-answer" d=format!("M{} {}l-7 4 7 4", at.lane + 7.0, y - 4.0) /> }
        })}
        {icon(face, tone_of, at.fate.x, at.fate.y + 2.0)}
        <text
            class=format!("braid__sub is-{tone}")
            x=(at.fate.x + 18.0).to_string()
            y=(at.fate.y + 13.0).to_string()
        >
            {fate}
        </text>
    }
}

/// From the lane to the stem, down, and back to the lane.
fn stem(at: &TwigAt) -> String {
    let TwigAt { lane, stem, y0, y1, back, .. } = *at;
    if y1 - y0 < 1.0 {
        // Only its return is in the log.
        return format!("M{stem} {y0}H{}", lane + 6.0);
    }
    let bend = 9.0_f64.min((stem - lane) / 2.0).min((y1 - y0) / 2.0);
    let down = format!("M{lane} {y0}H{}q{bend} 0 {bend} {bend}V{}", stem - bend, y1 - bend);
    if back { format!("{down}q0 {bend} -{bend} {bend}H{}", lane + 2.0) } else { format!("{down}V{y1}") }
}

/// One note, without its frame.
pub(super) fn note_view(braid: &Arc<DrawnFlow>, number: usize) -> impl IntoView + use<> {
    let words = use_i18n();
    let at = braid.layout.notes[number];
    let note = braid.flow.notes[number].clone();
    let text = move || fitted(&note_name(&note, words), at.text.width, SUBTEXT_SIZE);
    view! {
        <circle class="braid__note" cx=at.x.to_string() cy=at.y.to_string() r="4" />
        <path class="braid__lead" d=format!("M{} {}H{}", at.x + 6.0, at.y, at.text.x - 4.0) />
        <text class="braid__sub is-rest" x=at.text.x.to_string() y=(at.text.y + 13.0).to_string()>
            {text}
        </text>
    }
}
