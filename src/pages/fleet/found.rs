//! Search results of the fleet page, grouped by machine, in the order of the machines.

use coordination::api::{FleetSearchSource, SearchHit};
use leptos::prelude::*;

use super::state::FleetState;
use crate::components::hidden::Name;
use crate::i18n::{Locale, use_i18n};
use crate::pages::failure::Failure;
use crate::pages::search::hit::Hit;
use crate::pages::search::name;
use crate::queries::use_fleet_search;
use crate::routes::{SearchFilter, paths};
use crate::ui::Icon;
use crate::ui::empty::EmptyState;
use crate::ui::live_rows::LiveRows;
use crate::ui::skeleton::Skeleton;

#[derive(Clone, Copy, PartialEq)]
enum FoundStage {
    Loading,
    Failed,
    Nothing,
    Hits,
}

/// Hits of the search in the address, or its state.
#[component]
pub(super) fn FoundOnMachines(fleet: FleetState) -> impl IntoView {
    let words = use_i18n();
    let q = Memo::new(move |_| fleet.filter.with(|filter| filter.q.clone()));
    let search = use_fleet_search(q);
    let groups = Memo::new(move |_| {
        search.answer.with(|answer| {
            let groups = answer.iter().flat_map(|answer| &answer.1.sources);
            fleet.filter.with(|filter| {
                let shown = groups.filter(|group| !group.hits.is_empty() && filter.shows(&group.source));
                shown.cloned().collect::<Vec<_>>()
            })
        })
    });
    let stage = Memo::new(move |_| {
        // The answer to another query is not shown for this one.
        let is_answered = search.answer.with(|answer| answer.as_ref().is_some_and(|answer| q.with(|q| answer.0 == *q)));
        match is_answered {
            _ if search.error.with(Option::is_some) => FoundStage::Failed,
            false => FoundStage::Loading,
            true if groups.with(Vec::is_empty) => FoundStage::Nothing,
            true => FoundStage::Hits,
        }
    });
    let total = move || {
        let total = groups.with(|groups| groups.iter().map(|group| group.total).sum());
        (stage.get() == FoundStage::Hits).then(|| (words.get().fleet().found)(total))
    };
    let content = move || match stage.get() {
        FoundStage::Loading => {
            let label = Signal::derive(move || words.get().search().searching.to_owned());
            view! { <Skeleton rows=6 label=label /> }.into_any()
        }
        FoundStage::Failed => {
            let retry = Callback::new(move |()| search.refetch());
            let error = search.error.get_untracked();
            error.map(|error| view! { <Failure error=error on_retry=retry /> }).into_any()
        }
        FoundStage::Nothing => {
            let title = Signal::derive(move || words.get().fleet().nothing_found.to_owned());
            let unsure = move || if fleet.is_sure() { "" } else { words.get().fleet().unsure_hint };
            let text = Signal::derive(move || unsure().to_owned());
            view! { <EmptyState icon=Icon::Search title=title text=text /> }.into_any()
        }
        FoundStage::Hits => view! {
            <LiveRows
                each=move || groups.get()
                key=|group: &FleetSearchSource| group.source.clone()
                draw=move |group| view! { <FoundGroup fleet=fleet group=group q=q /> }.into_any()
            />
        }
        .into_any(),
    };
    view! {
        <section class="fleet__section fleet__found" aria-label=move || words.get().search().results>
            {content}
            <p class="visually-hidden" role="status">
                {total}
            </p>
        </section>
    }
}

/// Hits of one machine, and a link to all of them on its dashboard.
#[component]
fn FoundGroup(fleet: FleetState, group: Memo<FleetSearchSource>, q: Memo<String>) -> impl IntoView {
    let words = use_i18n();
    let machine = group.with_untracked(|group| group.source.clone());
    fleet.provide_row(&machine);
    let total = Memo::new(move |_| group.with(|group| group.total.max(group.hits.len() as u32)));
    let is_part = Memo::new(move |_| group.with(|group| group.total as usize > group.hits.len()));
    let (href, name_of) = (paths::machine(&machine), machine.clone());
    let all = move || {
        let link = paths::search(&SearchFilter::from_text(&q.with(|q| without_host(q))));
        paths::on_machine(&machine, &link)
    };
    let all = Signal::derive(all);
    view! {
        <div class="section-head">
            <h2>
                <a href=href rel="external">
                    <Name text=name_of />
                </a>
            </h2>
            <span class="section-head__count">{move || (words.get().fleet().found)(total.get())}</span>
            {move || is_part.get().then(|| view! {
                <a class="link section-head__more" href=all rel="external">
                    {move || (words.get().fleet().all_found)(&total.get().to_string())}
                </a>
            })}
        </div>
        <ol class="hits">
            <LiveRows
                each=move || group.with(|group| group.hits.clone())
                key=|hit: &SearchHit| name(hit)
                draw=|hit| view! { <Hit hit=hit /> }.into_any()
            />
        </ol>
    }
}

/// The search without the words that name a machine, which the search of one machine does not have.
fn without_host(q: &str) -> String {
    // The words of English may not be loaded; its operator is part of the syntax.
    let operators = ["host:", Locale::Ko.messages().fleet().host_operator];
    let is_host = |word: &str| operators.iter().any(|operator| word.to_lowercase().starts_with(operator));
    q.split_whitespace().filter(|word| !is_host(word)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::without_host;

    #[test]
    fn search_on_one_machine_has_no_host_operator() {
        assert_eq!(without_host("host:seum-mac  배포 기기:x 확인"), "배포 확인");
        assert_eq!(without_host("localhost:3000"), "localhost:3000");
    }
}
