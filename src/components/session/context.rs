//! Side panel of a message thread: counts of answered, pending and failed requests, median answer time, turns used,
//! related threads, and the tasks of the session.

use coordination::text::hidden;
use std::sync::Arc;

use coordination::api::{Exchange, SessionDetail, TaskSummary, ThreadSummary};
use coordination::delivery::DeliveryState;
use coordination::ids::SessionId;
use leptos::prelude::*;

use crate::components::people::use_people;
use crate::components::status::TaskStatusBadge;
use crate::components::time_ago::use_now;
use crate::i18n::{time, use_i18n};
use crate::routes::paths;
use crate::ui::{Icon, Tone, badge::Badge};

/// Numbers of a thread's deliveries. Answer time and turns are those of the loaded part.
#[component]
pub fn DeliverySummary(
    #[prop(into)] thread: Signal<Option<ThreadSummary>>,
    #[prop(into)] exchanges: Signal<Vec<Exchange>>,
) -> impl IntoView {
    let words = use_i18n();
    let counts = Memo::new(move |_| {
        thread.with(|thread| thread.as_ref().map(|thread| (thread.answered, thread.trouble)).unwrap_or_default())
    });
    let median = Memo::new(move |_| {
        exchanges.with(|list| median_answer(list)).map(|median| time::duration(words.locale(), median))
    });
    let turns = Memo::new(move |_| exchanges.with(|list| turns_used(list)));
    // Inferred ones count with recorded ones, and are distinguished below.
    let missing = move || counts.with(|(_, trouble)| trouble.no_reply + trouble.no_trace);
    let sent = move || counts.with(|(answered, it)| answered + it.waiting + it.blocked) + missing();
    let inferred = Memo::new(move |_| counts.with(|(_, trouble)| trouble.no_trace));
    let cell = move |n: Box<dyn Fn() -> u32 + Send + Sync>,
                     tone,
                     icon,
                     word: fn(&crate::i18n::messages::ThreadMessages) -> &'static str| {
        let n = Memo::new(move |_| n());
        // Counts change with every message, tones hardly ever.
        let tone = Memo::new(move |_| if n.get() == 0 { Tone::Neutral } else { tone });
        view! {
            <div>
                <dt>
                    {move || {
                        let tone = tone.get();
                        let text = Signal::derive(move || word(words.get().thread()).to_owned());
                        view! { <Badge tone=tone icon=icon text=text /> }
                    }}
                </dt>
                <dd>{n}</dd>
            </div>
        }
    };
    view! {
        <section>
            <h2>
                {move || words.get().thread().delivery_heading}
                <small>{move || (words.get().thread().sent_n)(sent() as usize)}</small>
            </h2>
            <dl class="context-sum">
                {cell(Box::new(move || counts.get().0), Tone::Success, Icon::Ok, |words| words.short_answered)}
                {cell(Box::new(move || counts.get().1.waiting), Tone::Warning, Icon::Hourglass, |words| words.short_waiting)}
                {cell(Box::new(missing), Tone::Danger, Icon::NoReply, |words| words.short_no_reply)}
                {cell(Box::new(move || counts.get().1.blocked), Tone::Danger, Icon::Blocked, |words| words.short_blocked)}
            </dl>
            <dl class="facts-list">
                {move || {
                    (inferred.get() > 0)
                        .then(|| {
                            view! {
                                <dt>{words.get().thread().among_inferred}</dt>
                                <dd>{inferred}</dd>
                            }
                        })
                }}
                {move || {
                    median
                        .get()
                        .map(|median| {
                            view! {
                                <dt>{words.get().thread().median_answer}</dt>
                                <dd>{median}</dd>
                            }
                        })
                }}
                {move || {
                    turns
                        .get()
                        .map(|(used, max)| {
                            view! {
                                <dt>{words.get().thread().turns_used}</dt>
                                <dd>{(words.get().thread().turns_per_send)(&used, max)}</dd>
                            }
                        })
                }}
            </dl>
        </section>
    }
}

/// The thread that caused this one and those that this one caused, where they lie in the same session.
#[component]
pub fn RelatedThreads(
    #[prop(into)] detail: Signal<Arc<SessionDetail>>,
    #[prop(into)] thread: Signal<Option<ThreadSummary>>,
) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let related = Memo::new(move |_| {
        let open = thread.get()?;
        let (parent, children) = detail.with(|detail| related(&open, &detail.threads));
        (parent.is_some() || !children.is_empty())
            .then(|| (detail.with(|detail| detail.session.work_session_id.clone()), parent, children))
    });
    let link = move |session: &SessionId, thread: &ThreadSummary| {
        let (from, to) = (thread.from.clone(), thread.to.clone());
        view! {
            <a class="link" href=paths::thread(session, &thread.thread_id)>
                {move || format!("{} ↔ {}", people.name(&from), people.name(&to))}
            </a>
        }
    };
    move || {
        related.get().map(|(session, parent, children)| {
            let parent = parent.map(|parent| {
                view! {
                    <dt>{words.get().thread().caused_by}</dt>
                    <dd>{link(&session, &parent)}</dd>
                }
            });
            let caused = children.iter().map(|child| view! { <dd>{link(&session, child)}</dd> }).collect_view();
            let any = !children.is_empty();
            view! {
                <section>
                    <h2>{words.get().thread().related}</h2>
                    <dl class="facts-list">
                        {parent} {any.then(|| view! { <dt>{words.get().thread().caused}</dt> })} {caused}
                    </dl>
                </section>
            }
        })
    }
}

/// The parent of a thread among these, and its children.
fn related(open: &ThreadSummary, all: &[ThreadSummary]) -> (Option<ThreadSummary>, Vec<ThreadSummary>) {
    let parent = open.parent.as_ref().and_then(|parent| all.iter().find(|thread| thread.thread_id == *parent));
    let children = all.iter().filter(|thread| thread.parent.as_ref() == Some(&open.thread_id));
    (parent.cloned(), children.cloned().collect())
}

/// Median time from send to answer.
fn median_answer(exchanges: &[Exchange]) -> Option<i64> {
    let mut times: Vec<i64> = exchanges
        .iter()
        .filter(|exchange| exchange.delivery.settled == Some(DeliveryState::Answered) && exchange.sent_at > 0)
        .filter_map(|exchange| exchange.delivery.settled_at.map(|at| at - exchange.sent_at))
        .filter(|ms| *ms >= 0)
        .collect();
    times.sort_unstable();
    let middle = times.len() / 2;
    match times.len() {
        0 => None,
        n if n % 2 == 1 => Some(times[middle]),
        _ => Some(i64::midpoint(times[middle - 1], times[middle])),
    }
}

/// Average turns a send, and the maximum if all sends share one.
fn turns_used(exchanges: &[Exchange]) -> Option<(String, Option<u32>)> {
    let with_turns: Vec<_> = exchanges.iter().filter(|e| e.delivery.turns > 0).collect();
    if with_turns.is_empty() {
        return None;
    }
    let sum: u32 = with_turns.iter().map(|e| e.delivery.turns).sum();
    let tenths = (f64::from(sum) / with_turns.len() as f64 * 10.0).round() / 10.0;
    let max = with_turns.iter().map(|e| e.delivery.max_turns).collect::<std::collections::BTreeSet<_>>();
    let max = if max.len() == 1 { max.into_iter().next().flatten() } else { None };
    Some((tenths.to_string(), max))
}

/// The tasks of the session, linked.
#[component]
pub fn LinkedTasks(#[prop(into)] detail: Signal<Arc<SessionDetail>>) -> impl IntoView {
    let words = use_i18n();
    let tasks = Memo::new(move |_| detail.with(|detail| detail.tasks.clone()));
    view! {
        <section>
            <h2>
                {move || words.get().thread().linked_tasks} <small>{move || tasks.with(Vec::len)}</small>
            </h2>
            {move || {
                let tasks = tasks.get();
                if tasks.is_empty() {
                    view! { <p class="is-dim context-pane__none">{words.get().thread().no_linked_tasks}</p> }.into_any()
                } else {
                    tasks.into_iter().map(|task| view! { <TaskLink task=task /> }).collect_view().into_any()
                }
            }}
        </section>
    }
}

#[component]
fn TaskLink(task: TaskSummary) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let now = use_now();
    let title = hidden::marked(&task.title).into_owned();
    let steps = task.steps_progress;
    let (since, agent) = (task.blocked_since, task.agent_id.clone());
    let facts = move || {
        let mut parts = vec![people.name(&agent)];
        if steps.total > 0 {
            parts.push((words.get().tasks().steps_of)(steps.done, steps.total));
        }
        if let Some(since) = since {
            parts.push(time::since(words.locale(), now.at.get(), since));
        }
        parts.join(" · ")
    };
    view! {
        <a class="task-link" href=paths::task(&task.agent_id, &task.id)>
            <TaskStatusBadge status=task.status />
            <b>
                {move || if title.is_empty() { words.get().tasks().untitled.to_owned() } else { title.clone() }}
            </b>
            <span class="is-dim">{facts}</span>
        </a>
    }
}

#[cfg(test)]
mod tests {
    use coordination::delivery::Delivery;

    use super::*;

    fn answered(after_ms: i64, turns: u32, max: Option<u32>) -> Exchange {
        Exchange {
            id: "e".into(),
            sent_at: 1_000,
            state: DeliveryState::Answered,
            delivery: Delivery {
                settled: Some(DeliveryState::Answered),
                settled_at: Some(1_000 + after_ms),
                turns,
                max_turns: max,
                ..Delivery::default()
            },
        }
    }

    #[test]
    fn median_counts_answered_sends_only() {
        let waiting = Exchange { state: DeliveryState::Waiting, delivery: Delivery::default(), ..answered(0, 0, None) };
        assert_eq!(median_answer(&[]), None);
        assert_eq!(median_answer(std::slice::from_ref(&waiting)), None);
        assert_eq!(
            median_answer(&[answered(90, 0, None), waiting, answered(10, 0, None), answered(20, 0, None)]),
            Some(20)
        );
        assert_eq!(median_answer(&[answered(10, 0, None), answered(20, 0, None)]), Some(15));
    }

    #[test]
    fn turns_average_used_sends_and_shared_maximum() {
        let list = [answered(1, 2, Some(3)), answered(1, 1, Some(3)), answered(1, 0, None)];
        assert_eq!(turns_used(&list), Some(("1.5".to_owned(), Some(3))));
        assert_eq!(turns_used(&[answered(1, 2, Some(3)), answered(1, 2, Some(5))]), Some(("2".to_owned(), None)));
        assert_eq!(turns_used(&[]), None);
    }
}
