//! Agent filters of events: sender, recipient and pair. The event list and the delegation tree use them.

use coordination::api::AgentPair;
use coordination::ids::AgentId;
use leptos::prelude::*;

use super::AnswerData;
use crate::components::people::{PeopleNames, use_people};
use crate::components::several::Several;
use crate::i18n::{I18n, time, use_i18n};
use crate::queries::use_go;
use crate::routes::{EventsFilter, paths};
use crate::ui::menu::{Menu, MenuChoice};

/// Agents, sender, addressee, pairs.
#[component]
pub(super) fn Whom(filter: Memo<EventsFilter>, answer: AnswerData) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let go = use_go();
    let set = Callback::new(move |change: EventsFilter| go.refine(&paths::events(&change)));
    let agents = Memo::new(move |_| {
        let choice = |agent: coordination::api::AgentSummary| MenuChoice {
            text: people.name(&agent.id),
            value: agent.id.into(),
        };
        people.all().into_iter().map(choice).collect::<Vec<_>>()
    });
    let pairs = Memo::new(move |_| {
        let counts = answer.with(|answer| answer.as_ref().map(|answer| answer.1.pair_counts.clone()));
        let choice = |(pair, n): (AgentPair, u32)| {
            let text = format!("{} {}", pair_name(&pair, people, words), time::count(words.locale(), u64::from(n)));
            MenuChoice { value: pair.to_string(), text }
        };
        counts.unwrap_or_default().into_iter().map(choice).collect::<Vec<_>>()
    });
    // Sender and recipient: one of the two is enough.
    let party = move |side: &'static str,
                      of: fn(&EventsFilter) -> Option<AgentId>,
                      with: fn(EventsFilter, Option<AgentId>) -> EventsFilter| {
        view! {
            <Menu
                label=Signal::derive(move || (words.get().search().operator)(side).unwrap_or(side).to_owned())
                choices=agents
                value=Signal::derive(move || filter.with(of).map(String::from).unwrap_or_default())
                on_pick=Callback::new(move |id: String| {
                    let id = Some(id).filter(|id| !id.is_empty()).map(Into::into);
                    set.run(with(filter.get_untracked(), id));
                })
            />
        }
    };
    view! {
        <Several
            label=Signal::derive(move || {
                let none = filter.with(|filter| filter.agents.is_empty());
                let words = words.get().events();
                if none { words.all_agents } else { words.more_agents }.to_owned()
            })
            choices=agents
            chosen=Memo::new(move |_| filter.with(|filter| filter.agents.iter().map(ToString::to_string).collect::<Vec<_>>()))
            name=Callback::new(move |id: String| people.name(&AgentId::from(id)))
            on_change=Callback::new(move |ids: Vec<String>| {
                set.run(EventsFilter { agents: ids.into_iter().map(AgentId::from).collect(), ..filter.get_untracked() });
            })
        />
        {party("from", |filter| filter.from.clone(), |filter, from| EventsFilter { from, ..filter })}
        {party("to", |filter| filter.to.clone(), |filter, to| EventsFilter { to, ..filter })}
        <Several
            label=Signal::derive(move || {
                let none = filter.with(|filter| filter.pairs.is_empty());
                let words = words.get().events();
                if none { words.all_pairs } else { words.more_pairs }.to_owned()
            })
            choices=pairs
            chosen=Memo::new(move |_| filter.with(|filter| filter.pairs.iter().map(ToString::to_string).collect::<Vec<_>>()))
            name=Callback::new(move |pair: String| {
                pair.parse().map_or(pair, |pair| pair_name(&pair, people, words))
            })
            on_change=Callback::new(move |pairs: Vec<String>| {
                let pairs = pairs.iter().filter_map(|pair| pair.parse().ok()).collect();
                set.run(EventsFilter { pairs, ..filter.get_untracked() });
            })
        />
    }
}

/// A pair by name. Reactive.
fn pair_name(pair: &AgentPair, people: PeopleNames, words: I18n) -> String {
    let [one, other] = pair.both();
    (words.get().events().pair)(&people.name(one), &people.name(other))
}
