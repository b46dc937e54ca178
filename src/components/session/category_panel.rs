//! Panel of a session's category: confidence, evidence words, history, and a button to change the category.

use std::sync::Arc;

use coordination::api::{CategoryEvidence, CategoryHistory, CategoryInfo, SessionDetail};
use coordination::category::{Category, CategorySource, Sureness};
use leptos::prelude::*;

use super::category_dialog::{CategoryChoice, ChangeDialog};
use super::category_history::CategoryHistoryList;
use crate::components::category::CategoryBadge;
use crate::components::refusal::RefusalNote;
use crate::components::time_ago::use_now;
use crate::i18n::{I18n, time, use_i18n};
use crate::queries::{Fetch, Shortcut, use_key};
use crate::routes::paths;
use crate::state::{use_connection, use_rights};
use crate::ui::{Icon, Tone, badge::Badge};

/// The least length of a word's bar, in percent of the word: it still reads as one.
const MIN_BAR_PERCENT: f64 = 12.0;

/// Evidence and the button.
#[component]
pub fn CategoryPanel(
    #[prop(into)] detail: Signal<Arc<SessionDetail>>,
    /// A category that is being set.
    #[prop(into)]
    pending: Signal<Option<Category>>,
    /// The changes so far.
    history: Fetch<CategoryHistory>,
    on_change: Callback<CategoryChoice>,
    /// The words are marked in the messages.
    shown: RwSignal<bool>,
    /// The user wants to see the marked words.
    on_show: Callback<()>,
) -> impl IntoView {
    let words = use_i18n();
    let compat = use_connection().compat;
    let allowed = use_rights().may_categorize();
    let info = Memo::new(move |_| detail.with(|detail| detail.session.category.clone()));
    let evidence = Memo::new(move |_| detail.with(|detail| detail.evidence.clone()));
    let category = Memo::new(move |_| pending.get().unwrap_or_else(|| info.with(|info| info.key)));
    let open = RwSignal::new(false);
    let figures = RwSignal::new(false);
    let panel = NodeRef::<leptos::html::Section>::new();
    use_key(Shortcut::Category, move || {
        let shown = panel.get_untracked().is_some_and(|panel| panel.offset_parent().is_some());
        if shown && allowed.get_untracked() {
            open.set(true);
        }
        shown
    });
    view! {
        <section node_ref=panel data-cat=move || category.get().as_str()>
            <h2>
                {move || words.get().thread().why_category}
                <small>{move || (words.get().thread().rules)(&info.get().version)}</small>
            </h2>
            <div class="evidence">
                {move || view! { <CategoryBadge category=category.get() /> }}
                {move || category_status(&info.get(), pending.get(), words)}
            </div>
            {move || secondary(&info.get(), words)} {move || automatic(&evidence.get(), words)} {move || words_found(&evidence.get(), &info.get(), figures, words)}
            <EvidenceTools any=Signal::derive(move || evidence.with(|evidence| !(evidence.matches.is_empty() && evidence.taught.is_empty()))) figures=figures shown=shown on_show=on_show />
            {move || runner_up(&evidence.get(), words)}
            {move || {
                if compat.get() {
                    newest_change(&evidence.get(), words).into_any()
                } else {
                    view! { <CategoryHistoryList history=history /> }.into_any()
                }
            }}
            {move || (!allowed.get()).then(|| view! { <RefusalNote /> })}
            <p class="context-pane__do">
                {move || {
                    allowed.get().then(|| {
                        view! {
                            <button type="button" class="button is-small" on:click=move |_| open.set(true)>
                                {Icon::Pen}
                                {move || words.get().thread().change_category}
                            </button>
                        }
                    })
                }}
                {move || {
                    (!compat.get() && allowed.get())
                        .then(|| {
                            view! {
                                <a class="link" href=paths::rules(Some(category.get()))>
                                    {words.get().rules().teach}
                                </a>
                            }
                        })
                }}
            </p>
            <ChangeDialog open=open info=info evidence=evidence pending=pending on_change=on_change />
        </section>
    }
}

/// Marks the evidence words in the messages, and shows their weights.
#[component]
fn EvidenceTools(
    /// There are such words.
    any: Signal<bool>,
    figures: RwSignal<bool>,
    shown: RwSignal<bool>,
    on_show: Callback<()>,
) -> impl IntoView {
    let words = use_i18n();
    let press = move |_| {
        shown.update(|shown| *shown = !*shown);
        if shown.get_untracked() {
            on_show.run(());
        }
    };
    move || {
        any.get().then(|| {
            view! {
                <p class="evidence-tools">
                    <button
                        type="button"
                        class="button is-quiet is-small"
                        aria-pressed=move || shown.get().to_string()
                        on:click=press
                    >
                        {Icon::Talk}
                        {move || words.get().thread().show_evidence}
                    </button>
                    <button
                        type="button"
                        class="button is-quiet is-small"
                        aria-pressed=move || figures.get().to_string()
                        on:click=move |_| figures.update(|figures| *figures = !*figures)
                    >
                        {move || words.get().thread().show_figures}
                    </button>
                </p>
            }
        })
    }
}

/// How sure the category is, or that a person set it.
fn category_status(info: &CategoryInfo, pending: Option<Category>, words: I18n) -> impl IntoView + use<> {
    let messages = words.get();
    match (pending, info.source) {
        (Some(_), _) => view! { <span class="is-dim">{messages.thread().saving}</span> }.into_any(),
        (None, CategorySource::ManualOverride) => {
            view! { <Badge tone=Tone::Warning icon=Icon::Person text=messages.common.by_hand.to_owned() /> }.into_any()
        }
        (None, CategorySource::Fallback) => {
            view! { <span class="small-mark">{messages.common.inferred}</span> }.into_any()
        }
        _ => view! {
            <span class="is-dim">
                {(messages.thread().sure)(Sureness::from_confidence(info.confidence), &format!("{:.2}", info.confidence))}
            </span>
        }
        .into_any(),
    }
}

/// Other categories that it has too.
fn secondary(info: &CategoryInfo, words: I18n) -> impl IntoView + use<> {
    let messages = words.get();
    let badges = info.secondary.iter().map(|category| view! { <CategoryBadge category=*category /> }).collect_view();
    (!info.secondary.is_empty()).then(|| {
        view! {
            <dl class="facts-list">
                <dt>{messages.sessions().secondary}</dt>
                <dd class="evidence__secondary">{badges}</dd>
            </dl>
        }
    })
}

/// The evidence words, each over a bar as long as its weight among them; the weight itself on demand.
fn words_found(
    evidence: &CategoryEvidence,
    info: &CategoryInfo,
    figures: RwSignal<bool>,
    words: I18n,
) -> impl IntoView + use<> {
    if evidence.matches.is_empty() && evidence.taught.is_empty() {
        let guessed = info.source == CategorySource::Fallback;
        return guessed
            .then(|| view! { <p class="is-dim context-pane__none">{words.get().thread().no_evidence}</p> })
            .into_any();
    }
    let all = || evidence.taught.iter().chain(&evidence.matches);
    let heaviest = all().map(|(_, weight)| weight.abs()).fold(f64::MIN_POSITIVE, f64::max);
    let item = |(word, weight): &(String, f64), taught: bool| {
        let mark = taught.then(|| view! { " " <small>{words.get().rules().taught}</small> });
        let length = format!("{:.0}% 2px", (weight.abs() / heaviest * 100.0).max(MIN_BAR_PERCENT));
        view! {
            <li class:is-taught=taught style:background-size=length>
                {word.clone()} " " <span class:visually-hidden=move || !figures.get()>{short(*weight)}</span> {mark}
            </li>
        }
    };
    let taught = evidence.taught.iter().map(|entry| item(entry, true)).collect_view();
    let found = evidence.matches.iter().map(|entry| item(entry, false)).collect_view();
    view! { <ul class="evidence-words">{taught} {found}</ul> }.into_any()
}

/// The category of the rules, where a person set another one: the words below belong to it.
fn automatic(evidence: &CategoryEvidence, words: I18n) -> impl IntoView + use<> {
    let messages = words.get();
    evidence.automatic.filter(|_| evidence.manual.is_some()).map(|category| {
        view! {
            <dl class="facts-list">
                <dt>{messages.thread().automatic}</dt>
                <dd>{(messages.common.category)(category)}</dd>
            </dl>
        }
    })
}

/// The second most likely category.
fn runner_up(evidence: &CategoryEvidence, words: I18n) -> impl IntoView + use<> {
    let messages = words.get();
    evidence.runner_up.map(|(category, by)| {
        let name = (messages.common.category)(category);
        view! {
            <dl class="facts-list">
                <dt>{messages.thread().runner_up}</dt>
                <dd>{(messages.thread().runner_up_by)(name, &short(by))}</dd>
            </dl>
        }
    })
}

/// The change in force: a 1.x monitor reports no other.
fn newest_change(evidence: &CategoryEvidence, words: I18n) -> impl IntoView + use<> {
    let messages = words.get();
    let changed = match &evidence.manual {
        Some(manual) => {
            let by = manual
                .updated_by
                .as_deref()
                .map(|name| format!(" · {}", (messages.thread().changed_by)(name)))
                .unwrap_or_default();
            let now = use_now();
            // A 1.x monitor lists overrides without their times.
            let at = time::parse_iso(&manual.updated_at).map_or_else(
                || messages.common.by_hand.to_owned(),
                |at| time::relative(words.locale(), now.at.get(), at),
            );
            format!("{at}{by}")
        }
        None => messages.thread().never_changed.to_owned(),
    };
    view! {
        <dl class="facts-list">
            <dt>{messages.thread().changed}</dt>
            <dd>{changed}</dd>
        </dl>
    }
}

/// At most one decimal, none when whole.
fn short(value: f64) -> String {
    ((value * 10.0).round() / 10.0).to_string()
}
