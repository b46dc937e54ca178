//! Chips of the parsed query, one for each part. A press removes the part. A query of one plain word has no chips.

use coordination::api::SearchClause;
use coordination::category::Category;
use coordination::role::Role;
use coordination::text::hidden;
use leptos::prelude::*;

use super::SearchState;
use super::written::{part, without};
use crate::components::people::{PeopleNames, use_people};
use crate::i18n::messages::Messages;
use crate::i18n::use_i18n;
use crate::queries::use_go;
use crate::routes::{SearchFilter, paths};
use crate::ui::pick::Pick;

/// A clause in the user's words. Reactive.
pub(super) fn clause_text(clause: &SearchClause, words: &Messages, people: PeopleNames) -> String {
    let search = words.search();
    let value = clause.value.as_str();
    let text = match clause.name.as_str() {
        "text" | "phrase" => format!("“{}”", hidden::marked(value)),
        name => {
            let operator = (search.operator)(name).unwrap_or(name);
            let value = match name {
                "from" | "to" | "agent" => people.name(&coordination::ids::AgentId::from(value.to_lowercase())),
                "category" | "categories" => value
                    .parse::<Category>()
                    .map_or_else(|()| value.to_owned(), |it| (words.common.category)(it).to_owned()),
                "role" => {
                    value.parse::<Role>().map_or_else(|()| value.to_owned(), |it| (words.common.role)(it).to_owned())
                }
                "in" => value.parse().map_or_else(|()| value.to_owned(), |kind| (search.kind)(kind).to_owned()),
                _ => (search.value)(name, value).map_or_else(|| hidden::marked(value).into_owned(), ToOwned::to_owned),
            };
            format!("{operator} {value}")
        }
    };
    if clause.not { (search.not)(&text) } else { text }
}

/// The chips. A single plain word needs none: the field shows it as it is searched.
#[component]
pub(super) fn Clauses(search: SearchState) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let go = use_go();
    let shown = Memo::new(move |_| {
        let clauses = search.page(|filter, page| (filter.clone(), page.clauses.clone()));
        clauses.filter(|(filter, clauses)| {
            let as_written =
                |clause: &SearchClause| clause.name == "text" && part(&filter.q, clause.range) == clause.value;
            clauses.len() > 1 || clauses.iter().any(|clause| !as_written(clause))
        })
    });
    move || {
        shown.get().map(|(filter, clauses)| {
            let chip = |clause: SearchClause| {
                let rest = without(&filter.q, clause.range);
                let href = paths::search(&SearchFilter { q: rest, ..filter.clone() });
                let go = go.clone();
                let text = clause_text(&clause, words.get(), people);
                let label = (words.get().search().drop_clause)(&text);
                let drop = Callback::new(move |()| go.refine(&href));
                view! { <Pick text=text label=label not=clause.not on_press=drop /> }
            };
            view! {
                <div class="search-clauses" role="group" aria-label=move || words.get().search().understood>
                    {clauses.into_iter().map(chip).collect_view()}
                </div>
            }
        })
    }
}
