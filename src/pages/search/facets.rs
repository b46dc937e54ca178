//! Facets of the search results: categories, agents, event types and sessions with their counts. A value is a link that
//! narrows the query. Facets with a single value are left out. On a narrow screen the panel is folded.

use coordination::api::SearchFacets;
use leptos::prelude::*;

use super::SearchState;
use super::written::narrowed;
use crate::components::category::emoji;
use crate::components::people::use_people;
use crate::i18n::{time, use_i18n};
use crate::routes::{SearchFilter, paths};

/// Lines of a facet.
const MAX_FACET_LINES: usize = 8;
/// Below this width they are folded.
const WIDE_QUERY: &str = "(min-width: 1000px)";

/// One line: what the operator takes, what is read, how many.
type FacetLine = (String, String, u32);

/// Facets with more than one value, folded on a narrow screen; nothing before the first answer.
#[component]
pub(super) fn FacetPanel(search: SearchState) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let facets = Memo::new(move |_| search.page(|filter, page| (filter.clone(), page.facets.clone())));
    let wide = window().match_media(WIDE_QUERY).ok().flatten().is_some_and(|media| media.matches());
    let groups = move || {
        let (filter, facets) = facets.get()?;
        let SearchFacets { categories, agents, types, sessions } = facets;
        let now = words.get();
        let texts = now.search();
        let category = |(key, n): (coordination::category::Category, u32)| {
            (key.as_str().to_owned(), format!("{} {}", emoji(key), (now.common.category)(key)), n)
        };
        let agent = |(id, n): (coordination::ids::AgentId, u32)| (id.to_string(), people.name(&id), n);
        let kind = |(kind, n): (String, u32)| {
            let word = (now.events().type_name)(&kind).map_or_else(|| kind.clone(), ToOwned::to_owned);
            (kind, word, n)
        };
        let session = |(id, title, n): (coordination::ids::SessionId, String, u32)| {
            let title = if title.is_empty() { now.common.default_title.to_owned() } else { title };
            (id.into(), coordination::text::hidden::marked(&title).into_owned(), n)
        };
        let groups: Vec<(&'static str, &'static str, Vec<FacetLine>)> = vec![
            ("category", texts.categories, categories.into_iter().map(category).collect()),
            ("agent", texts.agents, agents.into_iter().map(agent).collect()),
            ("type", texts.types, types.into_iter().map(kind).collect()),
            ("session", texts.sessions, sessions.into_iter().map(session).collect()),
        ];
        // What all hits share narrows nothing.
        let groups: Vec<_> = groups.into_iter().filter(|(_, _, lines)| lines.len() > 1).collect();
        (!groups.is_empty()).then(|| {
            let draw = |(operator, title, lines)| {
                view! { <FacetGroup operator=operator title=title lines=lines filter=filter.clone() /> }
            };
            groups.into_iter().map(draw).collect_view()
        })
    };
    let any = Memo::new(move |_| facets.with(Option::is_some));
    move || {
        any.get().then(|| {
            view! {
                <aside class="search-facets" aria-label=move || words.get().search().narrow>
                    <details open=wide>
                        <summary>{move || words.get().search().narrow}</summary>
                        {groups}
                    </details>
                </aside>
            }
        })
    }
}

/// One facet: title, and its values as links with counts.
#[component]
fn FacetGroup(
    operator: &'static str,
    title: &'static str,
    lines: Vec<FacetLine>,
    filter: SearchFilter,
) -> impl IntoView {
    let words = use_i18n();
    let line = |(value, text, n): FacetLine| {
        let href = paths::search(&SearchFilter { q: narrowed(&filter.q, operator, &value), ..filter.clone() });
        let count = move || time::count(words.locale(), u64::from(n));
        view! {
            <li>
                <a href=href>
                    <span>{text}</span>
                    <span class="n">{count}</span>
                </a>
            </li>
        }
    };
    view! {
        <section>
            <h2>{title}</h2>
            <ul>{lines.into_iter().take(MAX_FACET_LINES).map(line).collect_view()}</ul>
        </section>
    }
}
