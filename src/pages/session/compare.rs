//! Comparison of the open session with another one, of the same category at first: what differs in status, category, times,
//! sizes, outcomes of requests, tasks and agents. The other session is in the address.

use std::collections::BTreeSet;
use std::sync::Arc;

use coordination::api::{SessionCard, SessionDetail, SessionsQuery, ThreadSummary};
use coordination::delivery::DeliveryState;
use coordination::ids::{AgentId, SessionId};
use coordination::workspace::TaskStatus;
use leptos::prelude::*;
use leptos_router::hooks::use_location;

use super::SessionState;
use crate::components::compare_table::{CompareRow, CompareTable, count_row};
use crate::components::people::{PeopleNames, use_people};
use crate::components::session::session_title;
use crate::i18n::messages::Messages;
use crate::i18n::{Locale, time, use_i18n};
use crate::queries::{Fetch, FetchOptions, use_fetch, use_go, use_pairs};
use crate::routes::{paths, query_string};
use crate::ui::Icon;
use crate::ui::dialog::Dialog;
use crate::ui::search_field::SearchField;

/// Query parameter with the other session.
const WITH: &str = "with";
/// Sessions to choose from.
const MAX_CHOICES: u32 = 20;

/// The other session of an address.
pub(super) fn compared_session(pairs: &[(String, String)]) -> Option<SessionId> {
    let (_, id) = pairs.iter().find(|(name, _)| name == WITH)?;
    Some(id.as_str()).filter(|id| !id.is_empty()).map(SessionId::from)
}

/// An address of the session page, with these pairs otherwise, that compares with another session, or with none.
pub(super) fn comparing(path: &str, pairs: &[(String, String)], other: Option<&SessionId>) -> String {
    let mut pairs: Vec<(String, String)> = pairs.iter().filter(|(name, _)| name != WITH).cloned().collect();
    pairs.extend(other.map(|other| (WITH.to_owned(), other.to_string())));
    format!("{path}{}", query_string(&pairs))
}

/// Section with the button that opens the comparison.
#[component]
pub(super) fn CompareSection(state: SessionState) -> impl IntoView {
    let words = use_i18n();
    let open = move |_| {
        // On a phone the details are a dialog themselves.
        state.about.set(false);
        state.compare.set(true);
    };
    view! {
        <section>
            <h2>{move || words.get().past().compare_sessions}</h2>
            <button type="button" class="button is-small" aria-haspopup="dialog" on:click=open>
                {Icon::Chart}
                {move || words.get().past().compare_choose}
            </button>
        </section>
    }
}

/// The dialog with the comparison. An address that names another session opens it.
#[component]
pub(super) fn CompareDialog(state: SessionState, #[prop(into)] detail: Signal<Arc<SessionDetail>>) -> impl IntoView {
    let words = use_i18n();
    let (go, path, pairs) = (use_go(), use_location().pathname, use_pairs());
    let with = Memo::new(move |_| pairs.with(|pairs| compared_session(pairs)));
    let open = state.compare;
    Effect::new(move |_| {
        if with.with(Option::is_some) {
            open.set(true);
        }
    });
    // The other session was gone to, or another one.
    Effect::new(move |before: Option<SessionId>| {
        let id = state.id.get();
        if before.is_some_and(|before| before != id) && with.get_untracked().is_none() {
            open.set(false);
        }
        id
    });
    // Closing leaves no entry behind that would open it again.
    let choose = Callback::new(move |other: Option<SessionId>| {
        go.adjust(&comparing(&path.get_untracked(), &pairs.get_untracked(), other.as_ref()));
    });
    let on_close = Callback::new(move |()| {
        open.set(false);
        if with.get_untracked().is_some() {
            choose.run(None);
        }
    });
    view! {
        <Dialog
            open=open
            on_close=on_close
            title=Signal::derive(move || words.get().past().compare_sessions.to_owned())
            close_label=Signal::derive(move || words.get().common.close.to_owned())
        >
            {move || match with.get() {
                Some(other) => view! { <ComparedSessions detail=detail other=other on_choose=choose /> }.into_any(),
                None => view! { <SessionChoice detail=detail on_choose=choose /> }.into_any(),
            }}
        </Dialog>
    }
}

/// List of sessions to compare with: of the same category, or those that a text finds.
#[component]
fn SessionChoice(detail: Signal<Arc<SessionDetail>>, on_choose: Callback<Option<SessionId>>) -> impl IntoView {
    let words = use_i18n();
    let wanted = RwSignal::new(String::new());
    let found = use_fetch(
        move || (detail.with(|detail| detail.session.category.key), wanted.get()),
        FetchOptions::ignore_live_changes(),
        |source, (category, wanted)| async move {
            let q = Some(wanted.trim().to_owned()).filter(|wanted| !wanted.is_empty());
            let category = Some(category).filter(|_| q.is_none());
            // The open session is among them.
            let limit = Some(MAX_CHOICES + 1);
            source.sessions(&SessionsQuery { category, q, limit, ..SessionsQuery::default() }).await
        },
    );
    let others = move || {
        let own = detail.with(|detail| detail.session.work_session_id.clone());
        let page = found.data.get()?;
        Some(page.sessions.iter().filter(|card| card.work_session_id != own).cloned().collect::<Vec<SessionCard>>())
    };
    let list = move || {
        let Some(others) = others() else {
            return found.failure.get().map(|error| {
                view! { <p role="alert" class="files__error">{error.sentence(words.get())}</p> }.into_any()
            });
        };
        if others.is_empty() {
            return Some(view! { <p>{words.get().past().compare_none}</p> }.into_any());
        }
        let choice = move |card: SessionCard| {
            let id = card.work_session_id.clone();
            view! {
                <li>
                    <button type="button" class="button" on:click=move |_| on_choose.run(Some(id.clone()))>
                        <span>{move || session_title(&card.title, card.title_source, words)}</span>
                        <small class="is-dim compare__day">{move || time::day(words.locale(), card.last_time)}</small>
                    </button>
                </li>
            }
        };
        Some(view! { <ul class="compare__choices">{others.into_iter().map(choice).collect_view()}</ul> }.into_any())
    };
    view! {
        <SearchField
            label=Signal::derive(move || words.get().past().compare_search.to_owned())
            value=wanted
            on_type=Callback::new(move |text| wanted.set(text))
            on_commit=Callback::new(move |(_, text)| wanted.set(text))
        />
        {list}
    }
}

/// The table of what differs.
#[component]
fn ComparedSessions(
    detail: Signal<Arc<SessionDetail>>,
    other: SessionId,
    on_choose: Callback<Option<SessionId>>,
) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let fetched: Fetch<SessionDetail> = use_fetch(
        move || other.clone(),
        FetchOptions::refetch_when(|change, id: &SessionId| change.touches_session(id) || change.touches_tasks()),
        |source, id| async move { source.session(&id).await },
    );
    let table = move || {
        let Some(other) = fetched.data.get() else {
            return fetched.failure.get().map(|error| {
                view! { <p role="alert" class="files__error">{error.sentence(words.get())}</p> }.into_any()
            });
        };
        let own = detail.get();
        let title = |card: &SessionCard| session_title(&card.title, card.title_source, words);
        let past = words.get().past();
        let [_, _, difference] = past.compare_columns;
        let [first, second] = past.compare_pair;
        Some(
            view! {
                <p class="compare__titles">
                    <b>{first}</b> " " {title(&own.session)} <br /> <b>{second}</b> " "
                    <a class="link" href=paths::session(&other.session.work_session_id)>
                        {title(&other.session)}
                    </a>
                </p>
                <CompareTable
                    columns=[first, second, difference]
                    groups=groups(&own, &other, words.get(), words.locale(), people)
                    same=past.compare_same_sessions
                />
            }
            .into_any(),
        )
    };
    view! {
        {table}
        <button type="button" class="button is-small" on:click=move |_| on_choose.run(None)>
            {move || words.get().past().compare_another}
        </button>
    }
}

/// What differs between two sessions, by area.
fn groups(
    one: &SessionDetail,
    other: &SessionDetail,
    words: &Messages,
    locale: Locale,
    people: PeopleNames,
) -> Vec<(&'static str, Vec<CompareRow>)> {
    let (common, past) = (&words.common, words.past());
    let both = |pick: &dyn Fn(&SessionDetail) -> String, name: &str| {
        let (one, other) = (pick(one), pick(other));
        (one != other).then(|| (name.to_owned(), one, other, String::new()))
    };
    let number = |pick: fn(&SessionCard) -> u32, name: &str| {
        count_row(name, pick(&one.session).into(), pick(&other.session).into(), locale)
    };
    let kind = [
        both(&|it| (common.status)(it.session.status).to_owned(), past.compare_status),
        both(&|it| (common.category)(it.session.category.key).to_owned(), past.compare_category),
    ];
    let length = |it: &SessionDetail| it.session.last_time - it.session.start_time;
    let mut lasted = both(&|it| time::duration(locale, length(it)), past.compare_duration);
    if let Some((.., difference)) = &mut lasted {
        let more = length(other) - length(one);
        *difference = format!("{}{}", if more > 0 { "+" } else { "−" }, time::duration(locale, more.abs()));
    }
    let times = [both(&|it| time::exact(locale, it.session.start_time), past.compare_start), lasted];
    let sizes = [
        number(|card| card.message_count, past.compare_messages),
        number(|card| card.thread_count, past.compare_threads),
        number(|card| card.delegation_count, past.compare_delegations),
        number(|card| card.event_count, past.compare_events),
    ];
    let sum = |it: &SessionDetail, pick: fn(&ThreadSummary) -> u32| it.threads.iter().map(pick).map(u64::from).sum();
    let outcome = |state: DeliveryState, pick: fn(&ThreadSummary) -> u32| {
        count_row((common.delivery)(state), sum(one, pick), sum(other, pick), locale)
    };
    let outcomes = [
        outcome(DeliveryState::Answered, |thread| thread.answered),
        outcome(DeliveryState::Waiting, |thread| thread.trouble.waiting),
        outcome(DeliveryState::NoReply, |thread| thread.trouble.no_reply),
        outcome(DeliveryState::Blocked, |thread| thread.trouble.blocked),
        outcome(DeliveryState::NoTrace, |thread| thread.trouble.no_trace),
    ];
    let statuses: BTreeSet<TaskStatus> = one.tasks.iter().chain(&other.tasks).map(|task| task.status).collect();
    let in_status = |it: &SessionDetail, status| it.tasks.iter().filter(|task| task.status == status).count() as u64;
    let tasks = statuses.into_iter().map(|status| {
        count_row((common.task_status)(status), in_status(one, status), in_status(other, status), locale)
    });
    let names = |it: &SessionDetail, without: &SessionDetail| {
        let is_own = |agent: &&AgentId| !without.session.participants.contains(agent);
        let own: Vec<String> = it.session.participants.iter().filter(is_own).map(|agent| people.name(agent)).collect();
        own.join(", ")
    };
    let (only_one, only_other) = (names(one, other), names(other, one));
    let agents = (only_one != only_other).then(|| (past.compare_only.to_owned(), only_one, only_other, String::new()));
    vec![
        (past.compare_kind, kind.into_iter().flatten().collect()),
        (past.compare_times, times.into_iter().flatten().collect()),
        (past.compare_sizes, sizes.into_iter().flatten().collect()),
        (past.sends_of, outcomes.into_iter().flatten().collect()),
        (past.compare_tasks, tasks.flatten().collect()),
        (past.compare_agents, agents.into_iter().collect()),
    ]
}
