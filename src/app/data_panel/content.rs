//! Content component of the data panel: one summary sentence, and sections of labelled facts, which `facts.rs` makes.
//! It fetches the monitor's health again while the panel is open.

use crate::components::hidden::Name;
use leptos::prelude::*;

use super::alerts::AlertChannels;
use super::facts::{DataPanelState, Fact, FactSection, sections, verdict};
use crate::i18n::use_i18n;
use crate::queries::{FetchOptions, use_fetch};
use crate::state::{use_clock, use_connection, use_hub};

/// Reloaded while it is open: on every change, and a few times a minute for what changes without one.
#[component]
pub(super) fn Content() -> impl IntoView {
    let words = use_i18n();
    let (connection, hub, clock) = (use_connection(), use_hub(), use_clock());
    let source = Memo::new(move |_| hub.home.with(|home| home.as_ref().map(|home| home.source.clone())));
    // The file status in the live stream is enough to detect a change.
    let options = FetchOptions::ignore_live_changes();
    let health = use_fetch(
        move || (clock.running_coarse().get(), source.get()),
        options,
        |source, _| async move { source.health().await },
    );
    let panel = move || DataPanelState {
        link: connection.shown(),
        last_received: connection.last_received.get(),
        compat: connection.compat.get(),
        health: health.data.get(),
        source: source.get(),
        failed: health.error.with(Option::is_some),
        now: clock.running_coarse().get(),
    };
    let facts = move || {
        let (locale, words, panel) = (words.locale(), words.get(), panel());
        let (tone, icon, text) = verdict(words, locale, &panel);
        let sections = sections(words, locale, &panel).into_iter().map(section).collect_view();
        view! {
            <p class=format!("data-verdict is-{}", tone.as_str())>{icon} {text}</p>
            {sections}
        }
    };
    view! {
        {facts}
        <AlertChannels />
    }
}

fn section(section: FactSection) -> AnyView {
    view! {
        <section class="data-part">
            <h3>{section.title}</h3>
            <dl>{section.facts.into_iter().map(fact).collect_view()}</dl>
        </section>
    }
    .into_any()
}

fn fact(fact: Fact) -> AnyView {
    let places = fact.places.into_iter().map(|(place, text)| {
        let text = (!text.is_empty()).then(|| view! { <code><Name text=text /></code> }.into_any());
        view! { <li>{place} {text}</li> }.into_any()
    });
    let places = places.collect_view();
    view! {
        <div class=format!("data-fact is-{}", fact.tone.as_str())>
            <dt>{fact.label}</dt>
            <dd>{fact.value} {(!places.is_empty()).then(|| view! { <ul>{places}</ul> }.into_any())}</dd>
        </div>
    }
    .into_any()
}
