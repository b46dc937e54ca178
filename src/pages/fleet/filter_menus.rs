//! Menus that filter the lists of the fleet page. Each is a value of the address.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use coordination::api::{AgentSummary, TaskStatus};
use coordination::category::Category;
use coordination::ids::AgentId;
use coordination::role::Role;
use coordination::session::Status;
use coordination::text::hidden;
use leptos::prelude::*;

use super::state::FleetState;
use crate::i18n::messages::Messages;
use crate::i18n::use_i18n;
use crate::queries::use_fleet_agents;
use crate::routes::FleetFilter;
use crate::ui::menu::{Menu, MenuChoice};

/// A filter of the address with a fixed set of values.
struct FixedFilter<T, const N: usize> {
    /// Shown where nothing is chosen.
    label: fn(&'static Messages) -> &'static str,
    field: fn(&mut FleetFilter) -> &mut Option<T>,
    values: [T; N],
    /// Value in the address.
    word: fn(T) -> &'static str,
    /// Name in the reader's language.
    name: fn(&'static Messages) -> fn(T) -> &'static str,
}

impl<T: Copy + FromStr + Send + Sync + 'static, const N: usize> FixedFilter<T, N> {
    fn menu(self, fleet: FleetState) -> impl IntoView {
        let words = use_i18n();
        let Self { label, field, values, word, name } = self;
        let choices = Signal::derive(move || {
            let name = name(words.get());
            values.map(|value| MenuChoice { text: name(value).to_owned(), value: word(value).to_owned() }).to_vec()
        });
        let chosen = move || (*field(&mut fleet.filter.get())).map(|value| word(value).to_owned()).unwrap_or_default();
        let pick = move |text: String| {
            fleet.edit.run(Box::new(move |filter: &mut FleetFilter| *field(filter) = text.parse().ok()));
        };
        view! {
            <Menu
                label=Signal::derive(move || label(words.get()).to_owned())
                choices=choices
                value=Signal::derive(chosen)
                on_pick=Callback::new(pick)
            />
        }
    }
}

/// Menu of the states of a session.
#[component]
pub(super) fn SessionStatusMenu(fleet: FleetState) -> impl IntoView {
    let filter = FixedFilter {
        label: |words| words.fleet().any_status,
        field: |filter| &mut filter.status,
        values: Status::ALL,
        word: |status| status.as_str(),
        name: |words| words.common.status,
    };
    filter.menu(fleet)
}

/// Menu of the categories.
#[component]
pub(super) fn CategoryMenu(fleet: FleetState) -> impl IntoView {
    let filter = FixedFilter {
        label: |words| words.fleet().any_category,
        field: |filter| &mut filter.category,
        values: Category::ALL,
        word: Category::as_str,
        name: |words| words.common.category,
    };
    filter.menu(fleet)
}

/// Menu of the states of a task.
#[component]
pub(super) fn TaskStatusMenu(fleet: FleetState) -> impl IntoView {
    let filter = FixedFilter {
        label: |words| words.fleet().any_status,
        field: |filter| &mut filter.task_status,
        values: TaskStatus::ALL,
        word: TaskStatus::as_str,
        name: |words| words.common.task_status,
    };
    filter.menu(fleet)
}

/// Menu of the roles of an event.
#[component]
pub(super) fn EventRoleMenu(fleet: FleetState) -> impl IntoView {
    let filter = FixedFilter {
        label: |words| words.fleet().any_role,
        field: |filter| &mut filter.role,
        values: Role::ALL,
        word: Role::as_str,
        name: |words| words.common.role,
    };
    filter.menu(fleet)
}

/// Menu of the agents of all machines, configured ones first. Agents of the same id on several machines are one choice.
#[component]
pub(super) fn FleetAgentMenu(fleet: FleetState) -> impl IntoView {
    let words = use_i18n();
    let agents = use_fleet_agents(fleet.query);
    let chosen = move || fleet.filter.with(|filter| filter.agent.as_ref().map(ToString::to_string)).unwrap_or_default();
    let pick = move |id: String| {
        let agent = (!id.is_empty()).then(|| AgentId::from(id));
        fleet.edit.run(Box::new(move |filter: &mut FleetFilter| filter.agent = agent));
    };
    view! {
        <Menu
            label=Signal::derive(move || words.get().fleet().any_agent.to_owned())
            choices=Signal::derive(move || agents.with(|agents| agent_choices(agents)))
            value=Signal::derive(chosen)
            on_pick=Callback::new(pick)
        />
    }
}

/// A choice for each id. Where machines call it differently, all names are given.
fn agent_choices(agents: &[AgentSummary]) -> Vec<MenuChoice> {
    let configured: BTreeSet<&AgentId> =
        agents.iter().filter(|agent| agent.configured).map(|agent| &agent.id).collect();
    let mut by_id: BTreeMap<(bool, &AgentId), Vec<&str>> = BTreeMap::new();
    for agent in agents {
        let names = by_id.entry((!configured.contains(&agent.id), &agent.id)).or_default();
        if !names.contains(&agent.name.as_str()) {
            names.push(&agent.name);
        }
    }
    let choice = |((_, id), names): ((bool, &AgentId), Vec<&str>)| MenuChoice {
        value: id.to_string(),
        text: hidden::marked(&names.join(" / ")).into_owned(),
    };
    by_id.into_iter().map(choice).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_of_the_same_id_are_one_choice() {
        let agent = |id: &str, name: &str, configured: bool| -> AgentSummary {
            let text = format!(
                r#"{{"id":"{id}","name":"{name}","configured":{configured},"main":true,"state":"idle","taskCount":0}}"#
            );
            serde_json::from_str(&text).expect("an agent")
        };
        let agents = [
            agent("aria", "aria", false),
            agent("ruda", "루다", true),
            agent("eden", "이든", true),
            agent("eden", "Eden", false),
            agent("eden", "이든", false),
        ];
        let choices: Vec<(String, String)> =
            agent_choices(&agents).into_iter().map(|choice| (choice.value, choice.text)).collect();
        let named = |value: &str, text: &str| (value.to_owned(), text.to_owned());
        assert_eq!(choices, [named("eden", "이든 / Eden"), named("ruda", "루다"), named("aria", "aria")]);
    }
}
