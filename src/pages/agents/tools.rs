//! Filters of the agents page by state and role. Each choice shows its number of agents.

use coordination::api::AgentState;
use leptos::prelude::*;

use super::{AgentsState, role_of};
use crate::components::status::agent_state_style;
use crate::components::time_ago::use_now;
use crate::i18n::use_i18n;
use crate::queries::use_go;
use crate::routes::{AgentsFilter, RoleShown, STATES, StateShown, paths};
use crate::ui::segments::{Segment, Segments};

/// States that any agent may have.
const ALWAYS: [AgentState; 4] = [AgentState::Working, AgentState::Waiting, AgentState::Blocked, AgentState::Idle];

/// Filters by state and by role, each choice with its number of agents.
#[component]
pub(super) fn AgentFilterBar(state: AgentsState) -> impl IntoView {
    let words = use_i18n();
    let go = use_go();
    let now = use_now();
    let set = Callback::new(move |filter: AgentsFilter| go.refine(&paths::agents(&filter)));
    let counts = Memo::new(move |_| {
        let all = state.all();
        let now = now.at.get();
        let of_state = STATES.map(|shown| all.iter().filter(|card| card.agent.state_by(now) == shown).count());
        let of_role = RoleShown::ALL.map(|shown| all.iter().filter(|card| role_of(state.roles, card) == shown).count());
        (of_state, of_role, all.len())
    });
    let every = move || {
        view! {
            {move || words.get().agents().all}
            " "
            <span class="n">{move || counts.get().2}</span>
        }
        .into_any()
    };
    // States that only agents at terminals have are offered where there is one of them.
    let offered = Memo::new(move |_| {
        let chosen = state.filter.with(|filter| filter.state);
        let counts = counts.get().0;
        let is_offered = |(number, shown): &(usize, AgentState)| {
            ALWAYS.contains(shown) || counts[*number] > 0 || chosen == Some(StateShown(*shown))
        };
        STATES.into_iter().enumerate().filter(is_offered).collect::<Vec<_>>()
    });
    let face_of = move |(number, shown): (usize, AgentState)| {
        let icon = agent_state_style(shown).icon;
        let face = move || {
            view! {
                {icon}
                {move || (words.get().common.agent_state)(shown)}
                " "
                <span class="n">{move || counts.get().0[number]}</span>
            }
            .into_any()
        };
        Segment { value: Some(StateShown(shown)), view: ViewFn::from(face) }
    };
    let roles = RoleShown::ALL.into_iter().enumerate().map(|(number, shown)| {
        let face = move || {
            view! {
                {move || (words.get().agents().role)(shown)}
                " "
                <span class="n">{move || counts.get().1[number]}</span>
            }
            .into_any()
        };
        Segment { value: Some(shown), view: ViewFn::from(face) }
    });
    let states = move || {
        let every = Segment { value: None, view: ViewFn::from(every) };
        std::iter::once(every).chain(offered.get().into_iter().map(face_of)).collect::<Vec<_>>()
    };
    let roles = std::iter::once(Segment { value: None, view: ViewFn::from(every) }).chain(roles).collect();
    view! {
        <div class="agents-tools">
            {move || {
                view! {
                    <Segments
                        label=Signal::derive(move || words.get().agents().states.to_owned())
                        choices=states()
                        value=Signal::derive(move || state.filter.get().state)
                        on_pick=Callback::new(move |picked| {
                            set.run(AgentsFilter { state: picked, ..state.filter.get_untracked() });
                        })
                    />
                }
            }}
            <Segments
                label=Signal::derive(move || words.get().agents().roles.to_owned())
                choices=roles
                value=Signal::derive(move || state.filter.get().role)
                on_pick=Callback::new(move |picked| {
                    set.run(AgentsFilter { role: picked, ..state.filter.get_untracked() });
                })
            />
        </div>
    }
}
