//! Filter by machine and search form of the fleet page. Both are kept in the address.

use coordination::text::hidden;
use leptos::ev;
use leptos::html;
use leptos::prelude::*;

use super::state::FleetState;
use crate::i18n::use_i18n;
use crate::routes::FleetFilter;
use crate::ui::Icon;

/// Buttons of all machines, of which one may be pressed. Nothing where there is nothing to choose.
#[component]
pub(super) fn MachineFilter(fleet: FleetState) -> impl IntoView {
    let words = use_i18n();
    let names = fleet.slice(|page| page.sources.iter().map(|source| source.name.clone()).collect::<Vec<_>>());
    let host = Memo::new(move |_| fleet.filter.with(|filter| filter.host.clone()));
    let unknown = Memo::new(move |_| host.get().filter(|host| fleet.knows(host) == Some(false)));
    let is_offered = Memo::new(move |_| names.with(Vec::len) > 1 || host.with(Option::is_some));
    let pick = move |name: Option<String>| {
        fleet.edit.run(Box::new(move |filter: &mut FleetFilter| filter.host = name));
    };
    let button = move |name: String| {
        let text = hidden::marked(&name).into_owned();
        let own = name.clone();
        let is_on = Memo::new(move |_| host.with(|host| host.as_ref() == Some(&own)));
        view! {
            <button
                type="button"
                class="toggle"
                aria-pressed=move || is_on.get().to_string()
                on:click=move |_| pick((!is_on.get_untracked()).then(|| name.clone()))
            >
                {text}
            </button>
        }
    };
    move || {
        is_offered.get().then(|| {
            view! {
                <div class="fleet__filter" role="group" aria-labelledby="machine-filter">
                    <span id="machine-filter">{move || words.get().fleet().filter}</span>
                    <div class="toggles">
                        <button
                            type="button"
                            class="toggle"
                            aria-pressed=move || host.with(Option::is_none).to_string()
                            on:click=move |_| pick(None)
                        >
                            {move || words.get().fleet().all}
                        </button>
                        <For each=move || names.get() key=String::clone children=button />
                    </div>
                    {move || {
                        unknown.get().map(|name| view! {
                            <p class="fleet__unknown" role="status">
                                {Icon::Warn} {move || (words.get().fleet().unknown_machine)(&hidden::marked(&name))}
                            </p>
                        })
                    }}
                </div>
            }
        })
    }
}

/// The search field. Enter searches on all machines; an empty field ends the search.
#[component]
pub(super) fn FleetSearchForm(fleet: FleetState) -> impl IntoView {
    let words = use_i18n();
    let field = NodeRef::<html::Input>::new();
    let q = Memo::new(move |_| fleet.filter.with(|filter| filter.q.clone()));
    let go = move |q: String| fleet.edit.run(Box::new(move |filter: &mut FleetFilter| filter.q = q));
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        if let Some(field) = field.get_untracked() {
            go(field.value().trim().to_owned());
        }
    };
    // The field's text is the browser's: it follows the address.
    Effect::new(move |_| {
        let q = q.get();
        if let Some(field) = field.get()
            && field.value().trim() != q
        {
            field.set_value(&q);
        }
    });
    view! {
        <form class="fleet__search" role="search" on:submit=submit>
            <input
                type="search"
                class="search-field"
                node_ref=field
                autocomplete="off"
                aria-label=move || words.get().fleet().search
                placeholder=move || words.get().fleet().search_hint
                value=q.get_untracked()
            />
            <button type="submit" class="button">
                {Icon::Search}
                {move || words.get().fleet().search_now}
            </button>
            {move || {
                q.with(|q| !q.is_empty()).then(|| view! {
                    <button type="button" class="button is-quiet" on:click=move |_| go(String::new())>
                        {Icon::Close}
                        {move || words.get().fleet().end_search}
                    </button>
                })
            }}
        </form>
    }
}
