//! Task files and archives of one agent, cleaned, folded and dated once when a file is read, for lists and search.

use super::workspace_index::archived_id;
use crate::ids::TaskId;
use crate::search::{Sieve, Term, fold};
use crate::time::parse_iso;
use crate::title::{clean, heading};
use crate::workspace::{HistoryEntry, Task, TaskStatus};

/// The times of a task's first and newest event, in epoch milliseconds, where they can be believed.
pub(crate) type Times = (Option<i64>, Option<i64>);

/// Status and newest activity of a task: what a list is ordered by.
pub(crate) type Standing = (TaskStatus, Option<i64>);

/// Where a term stands of a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Holds {
    Title,
    Id,
    Text,
}

/// Tasks of one agent, by their positions in its folder.
#[derive(Debug, Clone, Default)]
pub(crate) struct TaskTexts {
    ids: Vec<TaskId>,
    standings: Vec<Standing>,
    titles: Sieve,
    names: Sieve,
    /// What else a task says, one after the other, and whose each is. What reads like its title is not in it again.
    texts: Sieve,
    owners: Vec<u32>,
    /// What a session is called after its task, where that reads otherwise than the task's own title.
    called: Sieve,
}

impl TaskTexts {
    /// Of open files.
    pub(super) fn of_files(files: &[Task], times: impl Fn(&TaskId) -> Times) -> Self {
        let mut shelf = Self::default();
        for file in files {
            let steps = file.steps.iter().map(|step| step.content.as_str());
            shelf.put(file.id.clone(), &file.description, steps, of_file(file, times(&file.id)));
        }
        shelf.closed()
    }

    /// Of archive entries.
    pub(super) fn of_entries(entries: &[HistoryEntry], times: impl Fn(&TaskId) -> Times) -> Self {
        let mut shelf = Self::default();
        for (position, entry) in entries.iter().enumerate() {
            let id = archived_id(entry, position);
            let standing = of_entry(entry, times(&id));
            shelf.put(id, &entry.description, std::iter::empty(), standing);
        }
        shelf.closed()
    }

    fn put<'a>(&mut self, id: TaskId, description: &'a str, steps: impl Iterator<Item = &'a str>, standing: Standing) {
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
        // Of a single line both are the same.
        if let Some(name) = clean(description).filter(|name| description.contains('\n') && *name != title) {
            self.called.set(position, &fold(&name).text);
        }
        self.ids.push(id);
        self.standings.push(standing);
    }

    /// Nothing more is put in.
    fn closed(mut self) -> Self {
        self.ids.shrink_to_fit();
        self.standings.shrink_to_fit();
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
    pub(crate) fn standings(&self) -> &[Standing] {
        &self.standings
    }

    pub(super) fn stand(&mut self, position: u32, standing: Standing) {
        self.standings[position as usize] = standing;
    }

    /// Shows every text that holds the term, with the position of its task; a task may be shown several times.
    pub(crate) fn find(&self, term: &Term, mut hit: impl FnMut(Holds, u32, &str)) {
        self.titles.find(term, |position, title| hit(Holds::Title, position, title));
        self.names.find(term, |position, id| hit(Holds::Id, position, id));
        self.texts.find(term, |number, text| hit(Holds::Text, self.owners[number as usize], text));
    }

    /// Tells the positions of the tasks after which a session may be called something that holds the term.
    pub(crate) fn calls(&self, term: &Term, mut hit: impl FnMut(u32)) {
        self.titles.find(term, |position, _| hit(position));
        self.called.find(term, |position, _| hit(position));
    }
}

/// How an open file stands.
pub(super) fn of_file(file: &Task, (first, newest): Times) -> Standing {
    let created = || file.created.as_deref().and_then(parse_iso).or(first);
    (file.status, newest.max(file.last_activity.as_deref().and_then(parse_iso)).or_else(created))
}

/// How an archive entry stands.
pub(super) fn of_entry(entry: &HistoryEntry, (_, newest): Times) -> Standing {
    (entry.status, newest.max(parse_iso(&entry.completed)))
}
