//! Link to a task by its title, and the lookup of title and owner by task id. Unknown tasks are shown by a shortened
//! id.

use crate::components::hidden::Name;
use std::collections::BTreeMap;
use std::sync::Arc;

use coordination::api::TaskSummary;
use coordination::ids::{AgentId, TaskId};
use leptos::prelude::*;

use crate::routes::paths;

/// Owner and title of the tasks the page knows.
#[derive(Clone, Copy)]
struct TaskTitles(Memo<Arc<BTreeMap<TaskId, (AgentId, String)>>>);

/// Makes owners and titles of `tasks` available below.
pub fn provide_task_titles(tasks: impl Fn() -> Vec<TaskSummary> + Send + Sync + 'static) {
    // What an earlier answer named stays known when the list is narrowed.
    let titles = Memo::new(move |known: Option<&Arc<BTreeMap<_, _>>>| {
        let mut titles = known.map(|known| BTreeMap::clone(known)).unwrap_or_default();
        let titled = |task: TaskSummary| (!task.title.is_empty()).then_some((task.id, (task.agent_id, task.title)));
        titles.extend(tasks().into_iter().filter_map(titled));
        Arc::new(titles)
    });
    provide_context(TaskTitles(titles));
}

/// A link to a task by its title; by a shortened id where nothing else names it.
#[component]
pub fn TaskRef(
    /// Whose it is taken to be while the page does not know it.
    agent: AgentId,
    /// Its id.
    task: TaskId,
) -> impl IntoView {
    let titles = use_context::<TaskTitles>();
    move || match titles.and_then(|titles| titles.0.with(|titles| titles.get(&task).cloned())) {
        Some((owner, title)) => {
            view! { <a class="link" href=paths::task(&owner, &task)><Name text=title /></a> }.into_any()
        }
        None => {
            let short = short_id(task.as_str());
            view! { <a class="link code-inline" href=paths::task(&agent, &task)><Name text=short /></a> }.into_any()
        }
    }
}

/// `task_7f3a…5a60`: enough to distinguish ids where nothing else names a task.
fn short_id(id: &str) -> String {
    let chars: Vec<char> = id.chars().collect();
    if chars.len() <= 16 {
        return id.to_owned();
    }
    let (head, tail): (String, String) = (chars[..9].iter().collect(), chars[chars.len() - 4..].iter().collect());
    format!("{head}…{tail}")
}

#[cfg(test)]
mod tests {
    use super::short_id;

    #[test]
    fn long_id_is_shortened_in_the_middle() {
        assert_eq!(short_id("task_7f3a91c02b4de8815a60"), "task_7f3a…5a60");
        assert_eq!(short_id("task_1"), "task_1");
    }
}
