//! Search index of one agent's tasks, from open task files and archives: titles, ids and texts, normalised when they
//! are read. It also stores status and newest activity of each task, by which lists are sorted.

use std::sync::Arc;

use super::workspace_index::archived_id;
use crate::ids::TaskId;
use crate::search::{SubstringIndex, Term, fold};
use crate::time::parse_iso;
use crate::title::{clean, heading};
use crate::workspace::{HistoryEntry, Task, TaskStatus};

/// The times of a task's first and newest event, in epoch milliseconds, where they are plausible.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Times {
    pub(crate) first: Option<i64>,
    pub(crate) newest: Option<i64>,
    /// The task's number among those that events name.
    pub(crate) number: Option<u32>,
}

/// Status and newest activity of a task: the sort key of lists.
pub(crate) type DatedStatus = (TaskStatus, Option<i64>);

/// The part of a task in which a term occurs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    Title,
    Id,
    Text,
}

/// Tasks of one agent, by their positions in its folder.
#[derive(Debug, Clone, Default)]
pub(crate) struct TaskTexts {
    /// By position, as are `statuses`, `titles`, `names` and `called`.
    ids: Vec<TaskId>,
    /// Status and newest activity.
    statuses: Vec<DatedStatus>,
    /// Number among the tasks that events name.
    numbers: Vec<Option<u32>>,
    /// Folded titles.
    titles: SubstringIndex,
    /// Folded ids.
    names: SubstringIndex,
    /// Folded other texts of the tasks. A text equal to its title is left out.
    texts: SubstringIndex,
    /// Position of the task to which each text in `texts` belongs.
    owners: Vec<u32>,
    /// Titles that a task gives to its session, where they differ from the task's own title.
    called: SubstringIndex,
}

impl TaskTexts {
    /// From open files.
    pub(super) fn of_files(files: &[Task], times: impl Fn(&TaskId) -> Times) -> Self {
        let mut shelf = Self::default();
        for file in files {
            let steps = file.steps.iter().map(|step| step.content.as_str());
            let times = times(&file.id);
            shelf.put(file.id.clone(), &file.description, steps, of_file(file, times), times.number);
        }
        shelf.closed()
    }

    /// From archive entries.
    pub(super) fn of_entries(entries: &[Arc<HistoryEntry>], times: impl Fn(&TaskId) -> Times) -> Self {
        let mut shelf = Self::default();
        for (position, entry) in entries.iter().enumerate() {
            let id = archived_id(entry, position);
            let times = times(&id);
            shelf.put(id, &entry.description, std::iter::empty(), of_entry(entry, times), times.number);
        }
        shelf.closed()
    }

    fn put<'a>(
        &mut self,
        id: TaskId,
        description: &'a str,
        steps: impl Iterator<Item = &'a str>,
        status: DatedStatus,
        number: Option<u32>,
    ) {
        let Ok(position) = u32::try_from(self.ids.len()) else { return };
        let title = heading(description);
        let folded = fold(&title).text;
        self.titles.set(position, &folded);
        self.names.set(position, &fold(id.as_str()).text);
        for text in std::iter::once(description).chain(steps) {
            let text = fold(text).text;
            if text != folded
                && let Ok(number) = u32::try_from(self.owners.len())
            {
                self.texts.set(number, &text);
                self.owners.push(position);
            }
        }
        // For a single line both are equal.
        if let Some(name) = clean(description).filter(|name| description.contains('\n') && *name != title) {
            self.called.set(position, &fold(&name).text);
        }
        self.ids.push(id);
        self.statuses.push(status);
        self.numbers.push(number);
    }

    /// Finishes the index.
    fn closed(mut self) -> Self {
        self.ids.shrink_to_fit();
        self.statuses.shrink_to_fit();
        self.numbers.shrink_to_fit();
        self.owners.shrink_to_fit();
        for sieve in [&mut self.titles, &mut self.names, &mut self.texts, &mut self.called] {
            sieve.shrink();
        }
        self
    }

    /// By position.
    pub(crate) fn ids(&self) -> &[TaskId] {
        &self.ids
    }

    /// By position.
    pub(crate) fn statuses(&self) -> &[DatedStatus] {
        &self.statuses
    }

    /// By position: number among the tasks that events name.
    pub(crate) fn numbers(&self) -> &[Option<u32>] {
        &self.numbers
    }

    pub(super) fn set_status(&mut self, position: u32, status: DatedStatus, number: Option<u32>) {
        self.statuses[position as usize] = status;
        self.numbers[position as usize] = number;
    }

    /// Calls `hit` with every text that contains the term, and the position of its task; a task may occur repeatedly.
    pub(crate) fn find(&self, term: &Term, mut hit: impl FnMut(Holds, u32, &str)) {
        self.titles.find(term, |position, title| hit(Holds::Title, position, title));
        self.names.find(term, |position, id| hit(Holds::Id, position, id));
        self.texts.find(term, |number, text| hit(Holds::Text, self.owners[number as usize], text));
    }

    /// Calls `hit` with the positions of tasks that give their session a title with the term.
    pub(crate) fn calls(&self, term: &Term, mut hit: impl FnMut(u32)) {
        self.titles.find(term, |position, _| hit(position));
        self.called.find(term, |position, _| hit(position));
    }
}

/// Status of an open file.
pub(super) fn of_file(file: &Task, Times { first, newest, .. }: Times) -> DatedStatus {
    let created = || file.created.as_deref().and_then(parse_iso).or(first);
    (file.status, newest.max(file.last_activity.as_deref().and_then(parse_iso)).or_else(created))
}

/// Status of an archive entry.
pub(super) fn of_entry(entry: &HistoryEntry, Times { newest, .. }: Times) -> DatedStatus {
    (entry.status, newest.max(parse_iso(&entry.completed)))
}
