//! Notices of the fleet page: a failed refresh, a lost connection to the servers, and each machine whose state is not
//! current, with numbers.

use coordination::api::{FleetLink, FleetMachine, FleetPage, FleetSource, FleetSourceState};
use coordination::text::hidden;
use leptos::prelude::*;

use super::state::FleetState;
use crate::components::machine_state::{machine_notice, state_style};
use crate::components::time_ago::use_now;
use crate::i18n::{time, use_i18n};
use crate::routes::FleetTab;
use crate::ui::band::Band;
use crate::ui::live_rows::LiveRows;
use crate::ui::{Icon, Tone};

/// Machines that the notices name. The list of machines has all.
const MAX_NOTICES: usize = 6;

/// All notices; nothing while every machine is current.
#[component]
pub(super) fn FleetNotices(fleet: FleetState) -> impl IntoView {
    view! {
        <OldBand fleet=fleet />
        <ServerBand fleet=fleet />
        <StartingBand fleet=fleet />
        <LimitBand fleet=fleet />
        <SourceNotices fleet=fleet />
    }
}

/// The refresh fails: since when the state is old.
#[component]
fn OldBand(fleet: FleetState) -> impl IntoView {
    let words = use_i18n();
    let now = use_now();
    let query = fleet.query;
    let is_old = Memo::new(move |_| query.is_old());
    let text = Signal::derive(move || {
        let at = query.received.get().unwrap_or_default();
        (words.get().fleet().old)(&time::short(words.locale(), now.at.get(), at))
    });
    move || {
        is_old.get().then(|| {
            view! {
                <Band tone=Tone::Warning icon=Icon::Clock text=text>
                    <button type="button" class="button is-small" on:click=move |_| query.refetch()>
                        {Icon::Retry}
                        {move || words.get().common.retry}
                    </button>
                </Band>
            }
        })
    }
}

/// The monitor of the fleet is not connected to the servers.
#[component]
fn ServerBand(fleet: FleetState) -> impl IntoView {
    let words = use_i18n();
    let link = fleet.slice(|page| Some(page.link));
    let cause = fleet.slice(|page| page.cause.clone());
    let text = Signal::derive(move || {
        let fleet = words.get().fleet();
        let sentence = if link.get() == Some(FleetLink::Lost) { fleet.lost } else { fleet.connecting };
        match cause.get() {
            Some(cause) => format!("{sentence} ({})", hidden::marked(&cause)),
            None => sentence.to_owned(),
        }
    });
    move || {
        let (tone, icon) = match link.get()? {
            FleetLink::Connected => return None,
            FleetLink::Connecting => (Tone::Info, Icon::Hourglass),
            FleetLink::Lost => (Tone::Danger, Icon::Offline),
        };
        Some(view! { <Band tone=tone icon=icon text=text /> })
    }
}

/// Machines whose history is being read. A list names those that it lacks itself.
#[component]
fn StartingBand(fleet: FleetState) -> impl IntoView {
    let words = use_i18n();
    let names = Memo::new(move |_| {
        let is_home = matches!(fleet.tab.get(), FleetTab::Home);
        let names = fleet.query.page.with(|page| page.as_deref().map(starting_names).unwrap_or_default());
        fleet.filter.with(|filter| names.into_iter().filter(|name| is_home && filter.shows(name)).collect::<Vec<_>>())
    });
    let text = Signal::derive(move || (words.get().fleet().starting)(&names.with(|names| joined(names))));
    move || {
        let any = names.with(|names| !names.is_empty());
        any.then(|| view! { <Band tone=Tone::Info icon=Icon::Hourglass text=text /> })
    }
}

/// Machines that are not shown because there are too many.
#[component]
fn LimitBand(fleet: FleetState) -> impl IntoView {
    let words = use_i18n();
    let names = fleet.slice(|page| page.beyond_limit.clone());
    let text = Signal::derive(move || {
        (words.get().fleet().beyond_limit)(FleetPage::MAX_SOURCES, &names.with(|names| joined(names)))
    });
    move || {
        let any = names.with(|names| !names.is_empty());
        any.then(|| view! { <Band tone=Tone::Warning icon=Icon::Warn text=text /> })
    }
}

/// Machines that are not shown in full yet.
fn starting_names(page: &FleetPage) -> Vec<String> {
    let starting = page.sources.iter().filter(|source| source.starting).map(|source| &source.name);
    let mut names: Vec<String> = starting.chain(&page.pending).cloned().collect();
    names.sort();
    names
}

fn joined(names: &[String]) -> String {
    names.iter().map(|name| hidden::marked(name)).collect::<Vec<_>>().join(", ")
}

/// One line for each machine whose state is not current.
#[component]
fn SourceNotices(fleet: FleetState) -> impl IntoView {
    let words = use_i18n();
    let now = use_now();
    let sources = fleet.rows(|page| &page.sources, |source| &source.name);
    let troubled = move || {
        let mut troubled = sources.get();
        troubled.retain(|source| source.state != FleetSourceState::Live);
        troubled
    };
    let lines = move || troubled().into_iter().take(MAX_NOTICES).collect::<Vec<_>>();
    let count = Memo::new(move |_| troubled().len());
    let any = Memo::new(move |_| count.get() > 0);
    let rest = Memo::new(move |_| count.get().saturating_sub(MAX_NOTICES));
    let line = move |source: Memo<FleetSource>| {
        let state = Memo::new(move |_| source.with(|source| source.state));
        let icon = move || state_style(state.get()).icon.into_render();
        let text = move || {
            source.with(|source| {
                machine_notice(&FleetMachine::new(source, FleetLink::Connected), now.at.get(), words.get())
            })
        };
        view! {
            <li class=move || format!("is-{}", state_style(state.get()).tone.as_str())>
                {icon} <span>{text}</span>
            </li>
        }
        .into_any()
    };
    move || {
        any.get().then(|| {
            view! {
                <div class="fleet__notices">
                    <ul aria-label=move || words.get().fleet().notices>
                        <LiveRows each=lines key=|source: &FleetSource| source.id.clone() draw=line />
                    </ul>
                    {move || {
                        let rest = rest.get();
                        (rest > 0).then(|| view! { <p>{move || (words.get().fleet().more_notices)(rest)}</p> })
                    }}
                </div>
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn starting_machines_are_named_with_those_without_a_row() {
        let source = |name: &str, starting| FleetSource { name: name.to_owned(), starting, ..FleetSource::default() };
        let page = FleetPage {
            sources: vec![source("b", true), source("c", false)],
            pending: vec!["a\u{202e}".to_owned()],
            ..FleetPage::default()
        };
        let names = starting_names(&page);
        assert_eq!(names, ["a\u{202e}", "b"]);
        assert!(!joined(&names).contains('\u{202e}'), "hidden letters are marked");
    }
}
