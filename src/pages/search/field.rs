//! Search field with suggestions (ARIA combobox). During a Hangul composition no search runs and the field's text is
//! not replaced, because the syllable is incomplete.

use gloo_timers::callback::Timeout;
use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

use super::SearchState;
use super::offers::{Offers, is_unfinished, offers};
use super::values::{Values, use_values};
use crate::i18n::{I18n, use_i18n};
use crate::queries::use_go;
use crate::routes::{SearchFilter, paths};
use crate::ui::enter::{HeldKey, SingleEnter, use_single_enter};
use crate::ui::{Icon, rows};

/// Typing rests this long before it is looked for.
const REST_MS: u32 = 200;
/// Finds the field.
pub(super) const FIELD: &str = "search-everything";
const LIST: &str = "search-offers";

/// The field's own state.
#[derive(Clone, Copy)]
struct Typing {
    search: SearchState,
    words: I18n,
    field: NodeRef<html::Input>,
    composing: StoredValue<bool>,
    resting: StoredValue<Option<Timeout>, LocalStorage>,
    /// The query when typing began, and the query in the address.
    before: StoredValue<String>,
    reported: StoredValue<String>,
    offers: RwSignal<Offers>,
    /// The offer that is chosen.
    at: RwSignal<Option<usize>>,
    enter: SingleEnter,
}

/// Search field with its suggestions below it.
#[component]
pub(super) fn SearchCombobox(search: SearchState) -> impl IntoView {
    let words = use_i18n();
    let q = move || search.filter.with(|filter| filter.q.clone());
    let typing = Typing {
        search,
        words,
        field: NodeRef::new(),
        composing: StoredValue::new(false),
        resting: StoredValue::new_local(None),
        before: StoredValue::new(untrack(q)),
        reported: StoredValue::new(untrack(q)),
        offers: RwSignal::new(Offers::default()),
        at: RwSignal::new(None),
        enter: use_single_enter(HeldKey::Repeats),
    };
    let go = use_go();
    let adjust = go.clone();
    let report = Callback::new(move |text: String| adjust.adjust(&typing.path(&text)));
    let commit =
        Callback::new(move |(before, text): (String, String)| go.commit(&typing.path(&before), &typing.path(&text)));
    let values = use_values(search);
    let offer = move || typing.offer(values);
    // Values of an operator arrive later when a list has to be fetched.
    Effect::new(move |before: Option<()>| {
        values.track();
        if before.is_some() && typing.is_here() {
            offer();
        }
    });
    // The field's text is the browser's: it follows the address only where it did not lead it there.
    Effect::new(move |_| {
        let value = q();
        let Some(field) = typing.field.get() else { return };
        if !typing.composing.get_value() && typing.reported.with_value(|reported| *reported != value) {
            field.set_value(&value);
            typing.before.set_value(value.clone());
            typing.reported.set_value(value);
        }
    });
    let chosen = move || typing.at.get().map(option_id);
    let any = Memo::new(move |_| typing.offers.with(|offers| !offers.list.is_empty()));
    let accept = Callback::new(move |at: usize| {
        typing.accept(at);
        offer();
        typing.rest(values, report);
    });
    view! {
        <div class="search-box" role="search" aria-label=move || words.get().search().title>
            {Icon::Search}
            <input
                type="search"
                id=FIELD
                class="search-field search-box__input"
                role="combobox"
                autocomplete="off"
                spellcheck="false"
                maxlength="400"
                node_ref=typing.field
                aria-label=move || words.get().search().field
                placeholder=move || words.get().search().hint
                aria-autocomplete="list"
                aria-controls=LIST
                aria-expanded=move || any.get().to_string()
                aria-activedescendant=chosen
                aria-describedby="search-wrong"
                value=untrack(q)
                on:input=move |_| {
                    offer();
                    typing.rest(values, report);
                }
                on:compositionstart=move |_| {
                    typing.composing.set_value(true);
                    typing.resting.set_value(None);
                }
                on:compositionend=move |_| {
                    typing.composing.set_value(false);
                    if typing.enter.composition_end().is_some() {
                        typing.commit(commit)
                    } else {
                        offer();
                        typing.rest(values, report)
                    }
                }
                on:focus=move |_| typing.before.set_value(typing.reported.get_value())
                on:click=move |_| offer()
                on:blur=move |_| typing.close()
                on:keydown=move |event| typing.key(&event, accept, commit)
                on:keyup=move |_| typing.enter.up()
            />
            {move || any.get().then(|| view! { <OfferList typing=typing on_pick=accept /> })}
        </div>
    }
}

impl Typing {
    fn path(self, q: &str) -> String {
        paths::search(&SearchFilter { q: q.trim().to_owned(), ..self.search.filter.get_untracked() })
    }

    fn text(self) -> String {
        self.field.get_untracked().map(|field| field.value()).unwrap_or_default()
    }

    /// Updates the address when typing rests, but not in the middle of a condition: Enter does that, too.
    fn rest(self, values: Values, report: Callback<String>) {
        if self.composing.get_value() {
            return;
        }
        let rested = move || {
            let text = self.text();
            if is_unfinished(&text, self.caret(&text), |operator| values.values_of(operator)) {
                return;
            }
            let text = text.trim().to_owned();
            if self.reported.with_value(|reported| *reported != text) {
                self.reported.set_value(text.clone());
                report.run(text);
            }
        };
        self.resting.set_value(Some(Timeout::new(REST_MS, rested)));
    }

    fn commit(self, commit: Callback<(String, String)>) {
        self.resting.set_value(None);
        self.close();
        let (text, before) = (self.text().trim().to_owned(), self.before.get_value());
        self.reported.set_value(text.clone());
        self.before.set_value(text.clone());
        commit.run((before, text));
    }

    /// Position of the caret in the field's text, in bytes.
    fn caret(self, text: &str) -> usize {
        let units = self.field.get_untracked().and_then(|field| field.selection_end().ok().flatten());
        crate::components::marked::bytes(text, [units.unwrap_or(u32::MAX); 2]).start
    }

    /// The text after the caret.
    fn offer(self, values: Values) {
        let text = self.text();
        let offers = offers(&text, self.caret(&text), self.words.now().locale, |operator| values.values_of(operator));
        self.at.set(None);
        self.offers.set(offers);
    }

    /// The user is in the field, and composes nothing.
    fn is_here(self) -> bool {
        let focused = document().active_element().is_some_and(|element| element.id() == FIELD);
        focused && !self.composing.get_value()
    }

    fn close(self) {
        self.at.set(None);
        self.offers.set(Offers::default());
    }

    /// Puts an offer in the place of what was typed.
    fn accept(self, at: usize) {
        let Some(field) = self.field.get_untracked() else { return };
        let text = field.value();
        let put = self.offers.with_untracked(|offers| {
            let offer = offers.list.get(at)?;
            let (before, after) = (text.get(..offers.range.start)?, text.get(offers.range.end..)?);
            let before = format!("{before}{}", offer.insert);
            let after = if before.ends_with(' ') { after.trim_start() } else { after };
            Some((before.encode_utf16().count() as u32, format!("{before}{after}")))
        });
        let Some((caret, text)) = put else { return };
        field.set_value(&text);
        field.set_selection_range(caret, caret).unwrap_or_default();
        field.focus().unwrap_or_default();
    }

    fn key(self, event: &KeyboardEvent, accept: Callback<usize>, commit: Callback<(String, String)>) {
        let (composing, at) = (event.is_composing(), self.at.get_untracked());
        let count = self.offers.with_untracked(|offers| offers.list.len());
        if event.key() == "Enter" && !composing {
            event.prevent_default();
        }
        if self.enter.down(event).is_some() {
            match at {
                Some(at) => accept.run(at),
                None => self.commit(commit),
            }
            return;
        }
        if composing {
            return;
        }
        match (event.key().as_str(), at) {
            ("ArrowDown", None) if count == 0 && rows::step(1) => event.prevent_default(),
            ("ArrowDown", at) if count > 0 => {
                event.prevent_default();
                self.at.set(Some(at.map_or(0, |at| (at + 1) % count)));
            }
            ("ArrowUp", at) if count > 0 => {
                event.prevent_default();
                self.at.set(at.filter(|at| *at > 0).map(|at| at - 1));
            }
            ("Tab", Some(at)) if !event.shift_key() => {
                event.prevent_default();
                accept.run(at);
            }
            ("Escape", _) if count > 0 => {
                // The browser would empty the field.
                event.prevent_default();
                self.close();
            }
            _ => {}
        }
    }
}

fn option_id(at: usize) -> String {
    format!("search-offer-{at}")
}

/// List box of the suggestions.
#[component]
fn OfferList(typing: Typing, on_pick: Callback<usize>) -> impl IntoView {
    let words = use_i18n();
    let lines = move || {
        let line = |(at, offer): (usize, super::offers::Offer)| {
            view! {
                <div
                    id=option_id(at)
                    class="search-offer"
                    role="option"
                    aria-selected=move || (typing.at.get() == Some(at)).to_string()
                    // The field keeps the focus.
                    on:mousedown=move |event| event.prevent_default()
                    on:click=move |_| on_pick.run(at)
                >
                    <b>{offer.text}</b>
                    <span>{offer.note}</span>
                </div>
            }
        };
        typing.offers.get().list.into_iter().enumerate().map(line).collect_view()
    };
    view! {
        <div id=LIST class="search-offers" role="listbox" aria-label=move || words.get().search().offers>
            {lines}
        </div>
    }
}
