//! Agents page (`/agents`): current state of each agent with the evidence, agents that wait for others, and answer
//! times by pair. The page of one agent is in `detail.rs`.

mod detail;
mod doing;
mod pairs;
mod row;
mod tools;

pub use detail::AgentPage;
pub(in crate::pages) use row::AgentCardRow;

use coordination::api::{AgentCard, AgentsPage as Answer, AgentsQuery, Pair};
use leptos::prelude::*;
use pairs::PairsSection;
use tools::AgentFilterBar;

use super::failure::Failure;
use super::speak::{SpeakDialog, SpeakHint, provide_speak};
use super::unknown_filter::UnknownFilter;
use crate::components::source_empty::SourceEmpty;
use crate::components::time_ago::use_now;
use crate::i18n::messages::AgentsMessages;
use crate::i18n::use_i18n;
use crate::queries::{Fetch, FetchOptions, use_fetch, use_page_title, use_pairs};
use crate::routes::{AgentsFilter, PairsSince, RoleShown, paths};
use crate::state::{Roles, use_clock, use_hub, use_roles};
use crate::ui::Icon;
use crate::ui::empty::EmptyState;
use crate::ui::skeleton::Skeleton;

/// Selects one text of the page.
type AgentsText = fn(&AgentsMessages) -> &'static str;

/// What the parts of the page share.
#[derive(Clone, Copy)]
struct AgentsState {
    filter: Memo<AgentsFilter>,
    fetch: Fetch<Answer>,
    roles: Roles,
}

/// Main or worker: as the user marked it, else by the configuration. Reactive.
fn role_of(roles: Roles, card: &AgentCard) -> RoleShown {
    let main = roles.marked(&card.agent.id).unwrap_or(!card.worker);
    if main { RoleShown::Main } else { RoleShown::Worker }
}

impl AgentsState {
    /// The pairs of the answer, and how many there are. Reactive.
    fn pairs(self) -> (Vec<Pair>, u32) {
        self.fetch
            .data
            .with(|answer| answer.as_ref().map(|answer| (answer.pairs.clone(), answer.pairs_total)).unwrap_or_default())
    }

    /// The agents of the answer, whatever the filter. Reactive.
    fn all(self) -> Vec<AgentCard> {
        self.fetch.data.with(|answer| answer.as_ref().map(|answer| answer.agents.clone()).unwrap_or_default())
    }
}

/// The page of `/agents`.
#[component]
pub fn AgentListPage() -> impl IntoView {
    let words = use_i18n();
    let clock = use_clock();
    let pairs = use_pairs();
    let filter = Memo::new(move |_| pairs.with(|pairs| AgentsFilter::from_pairs(pairs)));
    let options = FetchOptions::refetch_when(|change, _: &PairsSince| change.touches_tasks());
    let key = move || filter.with(|filter| filter.since);
    let fetch = use_fetch(key, options, move |source, since: PairsSince| {
        let query = AgentsQuery { since: since.earliest_ms(clock.now()) };
        async move { source.agents(&query).await }
    });
    let state = AgentsState { filter, fetch, roles: use_roles() };
    let speak = provide_speak();
    use_page_title(move || words.get().agents().title.to_owned());
    let known = Memo::new(move |_| fetch.data.with(Option::is_some));
    let count = Memo::new(move |_| fetch.data.with(|answer| answer.as_ref().map(|answer| answer.agents.len())));
    view! {
        <main id="main" class="agents-page" tabindex="-1">
            <header class="list-head">
                <h1>{move || words.get().agents().title}</h1>
                <p>{move || count.get().map(|count| (words.get().agents().subtitle)(count))}</p>
            </header>
            <UnknownFilter
                unknown=Signal::derive(move || AgentsFilter::unknown(&pairs.get()))
                without=Signal::derive(move || paths::agents(&filter.get()))
            />
            {move || match (known.get(), fetch.failure.get()) {
                (true, _) => view! {
                    <SpeakHint />
                    <AgentFilterBar state=state />
                    <AgentGroups state=state />
                    <PairsSection
                        pairs=Signal::derive(move || state.pairs())
                        filter=state.filter
                        path=Callback::new(|filter| paths::agents(&filter))
                    />
                }
                .into_any(),
                (false, Some(error)) => {
                    view! { <Failure error=error on_retry=Callback::new(move |()| fetch.refetch()) /> }.into_any()
                }
                (false, None) => {
                    let label = Signal::derive(move || words.get().common.loading.to_owned());
                    view! { <Skeleton rows=8 label=label /> }.into_any()
                }
            }}
            <SpeakDialog tools=speak />
        </main>
    }
}

/// Agents that match the filters, main agents before workers. Without a match, an empty state says why.
#[component]
fn AgentGroups(state: AgentsState) -> impl IntoView {
    let words = use_i18n();
    let unread = use_hub().unread_source();
    let now = use_now();
    let of_role = move |role: RoleShown| {
        Memo::new(move |_| {
            let (filter, now) = (state.filter.get(), now.at.get());
            let wanted = |card: &AgentCard| {
                filter.state.is_none_or(|shown| shown.0 == card.agent.state_by(now))
                    && filter.role.is_none_or(|shown| shown == role)
                    && role_of(state.roles, card) == role
            };
            state.all().into_iter().filter(wanted).collect::<Vec<_>>()
        })
    };
    let groups = RoleShown::ALL.map(|role| (role, of_role(role)));
    let nothing = Memo::new(move |_| groups.iter().all(|(_, cards)| cards.with(Vec::is_empty)));
    let sections = groups
        .into_iter()
        .map(|(role, cards)| {
            let any = Memo::new(move |_| cards.with(|cards| !cards.is_empty()));
            move || {
                any.get().then(|| {
                    view! {
                        <section class="agents-group">
                            <header>
                                <h2>{move || (words.get().agents().role)(role)}</h2>
                                <span class="n">{move || cards.with(Vec::len)}</span>
                            </header>
                            <ul>
                                <For each=move || cards.get() key=|card| format!("{card:?}") let:card>
                                    <AgentCardRow card=card role=role roles=state.roles />
                                </For>
                            </ul>
                        </section>
                    }
                })
            }
        })
        .collect_view();
    let empty = move || {
        let filtered = !state.filter.with(AgentsFilter::is_empty);
        if let Some(source) = unread.get().filter(|_| !filtered) {
            return view! { <SourceEmpty source=source /> }.into_any();
        }
        let text = move |some: AgentsText| Signal::derive(move || some(words.get().agents()).to_owned());
        let (title, why) = if filtered {
            (text(|words| words.none_match), text(|words| words.none_match_why))
        } else {
            (text(|words| words.empty), text(|words| words.empty_why))
        };
        view! {
            <EmptyState icon=Icon::Person title=title text=why>
                {filtered
                    .then(|| {
                        view! {
                            <a class="button" href=paths::agents(&AgentsFilter::default())>
                                {move || words.get().common.clear_filters}
                            </a>
                        }
                    })}
            </EmptyState>
        }
        .into_any()
    };
    view! {
        {sections}
        {move || nothing.get().then(empty)}
    }
}
