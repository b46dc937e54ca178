//! Menus that filter the lists of the fleet page. Each is a value of the address.

use std::collections::BTreeMap;

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

/// One filter of the address: how it is read, and how it is set.
#[derive(Clone, Copy)]
struct FilterValue {
    label: fn(&'static Messages) -> &'static str,
    get: fn(&FleetFilter) -> Option<String>,
    /// Takes the value of a choice, which is empty where nothing is chosen.
    set: fn(&mut FleetFilter, &str),
}

#[component]
fn FilterMenu(fleet: FleetState, value: FilterValue, choices: Signal<Vec<MenuChoice>>) -> impl IntoView {
    let words = use_i18n();
    let pick = move |text: String| {
        fleet.edit.run(Box::new(move |filter: &mut FleetFilter| (value.set)(filter, &text)));
    };
    view! {
        <Menu
            label=Signal::derive(move || (value.label)(words.get()).to_owned())
            choices=choices
            value=Signal::derive(move || fleet.filter.with(|filter| (value.get)(filter)).unwrap_or_default())
            on_pick=Callback::new(pick)
        />
    }
}

/// Choices of a fixed set, with their names in the reader's language.
fn fixed<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [T; N],
    word: fn(T) -> &'static str,
    name: fn(&'static Messages) -> fn(T) -> &'static str,
) -> Signal<Vec<MenuChoice>> {
    let words = use_i18n();
    Signal::derive(move || {
        let name = name(words.get());
        all.into_iter().map(|one| MenuChoice { text: name(one).to_owned(), value: word(one).to_owned() }).collect()
    })
}

/// Menu of the states of a session.
#[component]
pub(super) fn SessionStatusMenu(fleet: FleetState) -> impl IntoView {
    let value = FilterValue {
        label: |words| words.fleet().any_status,
        get: |filter| filter.status.map(|status| status.as_str().to_owned()),
        set: |filter, text| filter.status = text.parse().ok(),
    };
    let choices = fixed(Status::ALL, |status| status.as_str(), |words| words.common.status);
    view! { <FilterMenu fleet=fleet value=value choices=choices /> }
}

/// Menu of the categories.
#[component]
pub(super) fn CategoryMenu(fleet: FleetState) -> impl IntoView {
    let value = FilterValue {
        label: |words| words.fleet().any_category,
        get: |filter| filter.category.map(|category| category.as_str().to_owned()),
        set: |filter, text| filter.category = text.parse().ok(),
    };
    let choices = fixed(Category::ALL, Category::as_str, |words| words.common.category);
    view! { <FilterMenu fleet=fleet value=value choices=choices /> }
}

/// Menu of the states of a task.
#[component]
pub(super) fn TaskStatusMenu(fleet: FleetState) -> impl IntoView {
    let value = FilterValue {
        label: |words| words.fleet().any_status,
        get: |filter| filter.task_status.map(|status| status.as_str().to_owned()),
        set: |filter, text| filter.task_status = text.parse().ok(),
    };
    let choices = fixed(TaskStatus::ALL, TaskStatus::as_str, |words| words.common.task_status);
    view! { <FilterMenu fleet=fleet value=value choices=choices /> }
}

/// Menu of the roles of an event.
#[component]
pub(super) fn EventRoleMenu(fleet: FleetState) -> impl IntoView {
    let value = FilterValue {
        label: |words| words.fleet().any_role,
        get: |filter| filter.role.map(|role| role.as_str().to_owned()),
        set: |filter, text| filter.role = text.parse().ok(),
    };
    let choices = fixed(Role::ALL, Role::as_str, |words| words.common.role);
    view! { <FilterMenu fleet=fleet value=value choices=choices /> }
}

/// Menu of the agents of all machines, configured ones first. Agents of the same id on several machines are one choice.
#[component]
pub(super) fn FleetAgentMenu(fleet: FleetState) -> impl IntoView {
    let value = FilterValue {
        label: |words| words.fleet().any_agent,
        get: |filter| filter.agent.as_ref().map(ToString::to_string),
        set: |filter, text| filter.agent = (!text.is_empty()).then(|| AgentId::from(text)),
    };
    let agents = use_fleet_agents(fleet.query);
    let choices = Signal::derive(move || agents.with(|agents| agent_choices(agents)));
    view! { <FilterMenu fleet=fleet value=value choices=choices /> }
}

/// A choice for each id. Where machines call it differently, all names are given.
fn agent_choices(agents: &[AgentSummary]) -> Vec<MenuChoice> {
    let mut by_id: BTreeMap<(bool, &AgentId), Vec<&str>> = BTreeMap::new();
    for agent in agents {
        let is_configured = agents.iter().any(|other| other.id == agent.id && other.configured);
        let names = by_id.entry((!is_configured, &agent.id)).or_default();
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
