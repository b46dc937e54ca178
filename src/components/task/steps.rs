//! Steps of a task: a progress bar for lists, a step list for the detail view.

use crate::components::hidden::Said;
use coordination::api::{Step, StepState, StepsProgress, TaskStatus};
use leptos::prelude::*;

use crate::i18n::use_i18n;
use crate::ui::Icon;

/// Beyond this many steps the bar draws shares instead of single steps.
const MAX_BARS: u32 = 24;

/// Parts of the bar in the order they are drawn: class and how many.
fn parts(progress: StepsProgress, status: TaskStatus) -> Vec<(&'static str, u32)> {
    let now = if status == TaskStatus::Blocked { "is-stuck" } else { "is-now" };
    let mut pending = progress.pending;
    let mut parts = vec![("is-done", progress.done), (now, progress.in_progress)];
    // A stuck task with no step under way is stuck at the next one.
    if status == TaskStatus::Blocked && progress.in_progress == 0 && pending > 0 {
        parts.push((now, 1));
        pending -= 1;
    }
    parts.extend([("", pending), ("is-skipped", progress.skipped)]);
    parts.retain(|(_, n)| *n > 0);
    parts
}

/// `▮▮▨▯ 2/4 단계`
#[component]
pub fn StepsBar(progress: StepsProgress, status: TaskStatus) -> impl IntoView {
    let words = use_i18n();
    let text = move || (words.get().tasks().steps_of)(progress.done, progress.total);
    let shares = progress.total > MAX_BARS;
    let bars = parts(progress, status)
        .into_iter()
        .flat_map(|(class, n)| {
            let (count, grow) = if shares { (1, n) } else { (n, 1) };
            (0..count).map(move |_| view! { <i class=class style:flex-grow=grow.to_string()></i> })
        })
        .collect_view();
    (progress.total > 0).then(|| {
        view! {
            <div class="steps-bar">
                <div class="steps-bar__bar" role="img" aria-label=text>
                    {bars}
                </div>
                <span aria-hidden="true">{text}</span>
            </div>
        }
    })
}

/// The steps in order.
#[component]
pub fn StepList(steps: Vec<Step>, status: TaskStatus) -> impl IntoView {
    let words = use_i18n();
    let blocked = status == TaskStatus::Blocked;
    let under_way = steps.iter().any(|step| step.status == StepState::InProgress);
    let next = steps.iter().position(|step| step.status == StepState::Pending);
    let items = steps
        .into_iter()
        .enumerate()
        .map(|(index, step)| {
            let stuck = blocked && (step.status == StepState::InProgress || (!under_way && next == Some(index)));
            let (class, icon) = match step.status {
                _ if stuck => ("is-stuck", Icon::Blocked),
                StepState::Done => ("is-done", Icon::Ok),
                StepState::InProgress => ("is-now", Icon::Running),
                StepState::Skipped => ("is-skipped", Icon::Dash),
                StepState::Pending | StepState::Unknown => ("is-pending", Icon::Todo),
            };
            let word = move || {
                let words = words.get().tasks();
                if stuck { words.stuck_here } else { (words.step_state)(step.status) }
            };
            view! {
                <li class=class>
                    {icon} <span><Said text=step.content /></span> <small>{word}</small>
                </li>
            }
        })
        .collect_view();
    view! { <ol class="step-list">{items}</ol> }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stuck_task_without_active_step_shows_position() {
        let progress = StepsProgress { total: 4, done: 1, in_progress: 0, pending: 2, skipped: 1 };
        assert_eq!(parts(progress, TaskStatus::Blocked), [("is-done", 1), ("is-stuck", 1), ("", 1), ("is-skipped", 1)]);
        assert_eq!(parts(progress, TaskStatus::InProgress), [("is-done", 1), ("", 2), ("is-skipped", 1)]);
    }

    #[test]
    fn each_step_has_a_bar_segment() {
        let progress = StepsProgress { total: 6, done: 2, in_progress: 1, pending: 2, skipped: 1 };
        for status in TaskStatus::ALL {
            assert_eq!(parts(progress, status).iter().map(|(_, n)| n).sum::<u32>(), 6);
        }
    }
}
