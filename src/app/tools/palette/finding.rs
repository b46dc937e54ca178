//! Search behind the command palette: sessions, messages, agents, tasks, tags and commands. The newest sessions and the
//! first 500 tasks are loaded when the palette opens. The monitor searches sessions and messages while the user types.

use coordination::api::{
    Marked, SearchHit, SearchKind, SearchPage, SearchQuery, SessionCard, SessionsPage, SessionsQuery, TasksPage,
    TasksQuery,
};
use coordination::text::hidden;
use gloo_timers::callback::Timeout;
use leptos::prelude::*;

use super::commands::Commands;
use super::item::{Face, PaletteAction, PaletteItem, PaletteScope, PaletteSection, is_for_messages, line_of, matching};
use crate::components::marked::bytes;
use crate::components::people::{PeopleNames, use_people};
use crate::components::session_card::title_text;
use crate::components::status::task_status_style;
use crate::components::time_ago::use_now;
use crate::i18n::{I18n, time, use_i18n};
use crate::queries::{Fetch, FetchOptions, use_fetch};
use crate::routes::{SearchFilter, SessionsFilter, TasksFilter, paths};
use crate::source::SourceError;
use crate::ui::Icon;

/// Newest sessions whose titles are loaded.
const KNOWN_SESSIONS: u32 = 200;
/// Characters shown of a message before the words found.
const EXCERPT_LEAD_CHARS: u32 = 18;
/// Typing rests this long before the monitor is queried.
const REST_MS: u32 = 180;

/// Result of the message search.
enum MessageHits {
    /// They are looked for in names only.
    Unasked,
    /// They hold a condition that cannot be read.
    Refused,
    There {
        sessions: Box<SearchPage>,
        messages: Box<SearchPage>,
    },
}

/// The searched text and its result.
type MessageSearch = (String, MessageHits);

/// What is known.
#[derive(Clone, Copy)]
pub(super) struct PaletteSearch {
    words: I18n,
    people: PeopleNames,
    now: Signal<i64>,
    /// What is typed, as it is typed.
    pub(super) query: RwSignal<String>,
    pub(super) sessions: Fetch<SessionsPage>,
    tasks: Fetch<TasksPage>,
    found: Fetch<MessageSearch>,
}

/// One part of the list.
#[derive(Clone, PartialEq)]
pub(super) struct PaletteGroup {
    pub(super) section: PaletteSection,
    pub(super) items: Vec<PaletteItem>,
    /// Text of an empty section.
    pub(super) instead: Option<String>,
    /// Reserved lines, so that later results move nothing.
    pub(super) room: usize,
}

pub(super) fn use_finding() -> PaletteSearch {
    let query = RwSignal::new(String::new());
    let rested = RwSignal::new(String::new());
    let timer = StoredValue::new_local(None::<Timeout>);
    // What is typed is searched when typing rests.
    Effect::new(move |_| {
        let text = query.with(|text| text.trim().to_owned());
        timer.set_value(Some(Timeout::new(REST_MS, move || {
            rested.try_set(text);
        })));
    });
    let search_text =
        Memo::new(move |_| rested.with(|text| is_for_messages(text).then(|| text.clone())).unwrap_or_default());
    let sessions = use_fetch(
        || (),
        FetchOptions::ignore_live_changes(),
        |source, ()| async move {
            source.sessions(&SessionsQuery { limit: Some(KNOWN_SESSIONS), ..SessionsQuery::default() }).await
        },
    );
    let tasks = use_fetch(
        || (),
        FetchOptions::ignore_live_changes(),
        |source, ()| async move { source.tasks(&TasksQuery::default()).await },
    );
    let found = use_fetch(
        move || search_text.get(),
        FetchOptions::ignore_live_changes(),
        |source, text: String| async move {
            if text.is_empty() {
                return Ok((text, MessageHits::Unasked));
            }
            let query = |within: SearchKind, room: usize| SearchQuery {
                q: text.clone(),
                within: vec![within],
                limit: Some(room as u32),
                ..SearchQuery::default()
            };
            let (sessions, messages) = (
                query(SearchKind::Sessions, PaletteSection::Sessions.room(true)),
                query(SearchKind::Messages, PaletteSection::Messages.room(true)),
            );
            match futures::join!(source.search(&sessions), source.search(&messages)) {
                (Ok(sessions), Ok(messages)) => {
                    Ok((text, MessageHits::There { sessions: Box::new(sessions), messages: Box::new(messages) }))
                }
                (Err(SourceError::Api { status: 400, .. }), _) => Ok((text, MessageHits::Refused)),
                (Err(error), _) | (_, Err(error)) => Err(error),
            }
        },
    );
    PaletteSearch { words: use_i18n(), people: use_people(), now: use_now().at, query, sessions, tasks, found }
}

impl PaletteSearch {
    /// The list for what is typed. Reactive.
    pub(super) fn parts(self, commands: &Commands) -> Vec<PaletteGroup> {
        let query = self.query.with(|text| text.trim().to_owned());
        let sessions = self.sessions_part(&query);
        if query.is_empty() {
            let commands = self.part(PaletteSection::Commands, commands.all(), &query);
            return vec![sessions, commands];
        }
        let mut rest = commands.all();
        rest.extend(self.tags());
        let agents = self.part(PaletteSection::Agents, self.agents(), &query);
        // Who is called by the whole name is meant.
        let is_named = agents.items.first().is_some_and(|item| item.ranges.first() == Some(&(0..item.text.len())));
        let (first, agents) = if is_named { (Some(agents), None) } else { (None, Some(agents)) };
        let parts = [
            first,
            Some(sessions),
            self.messages_part(&query),
            agents,
            Some(self.everywhere(&query, commands.on_session_list())),
            Some(self.part(PaletteSection::Tasks, self.task_items(), &query)),
            Some(self.part(PaletteSection::Commands, rest, &query)),
        ];
        parts.into_iter().flatten().filter(|part| part.room > 0 || !part.items.is_empty()).collect()
    }

    fn part(self, section: PaletteSection, items: Vec<PaletteItem>, query: &str) -> PaletteGroup {
        let items = matching(items, query, section.room(!query.is_empty()));
        PaletteGroup { section, items, instead: None, room: 0 }
    }

    /// Titles loaded here; the monitor may know older ones, for which space is reserved.
    fn sessions_part(self, query: &str) -> PaletteGroup {
        let known = self.sessions.data.with(|page| {
            page.as_ref()
                .map(|page| (page.sessions.iter().map(|card| self.session(card)).collect(), page.next.is_some()))
        });
        let (known, more): (Vec<PaletteItem>, bool) = known.unwrap_or_default();
        let mut part = self.part(PaletteSection::Sessions, known, query);
        if more && is_for_messages(query) {
            part.room = PaletteSection::Sessions.room(true);
            let older = self.answer(query, |outcome| match outcome {
                MessageHits::There { sessions, .. } => {
                    sessions.hits.iter().filter_map(|hit| self.found_session(hit)).collect()
                }
                _ => Vec::new(),
            });
            let answered = older.is_some();
            let known = part.items.clone();
            let older = older.unwrap_or_default().into_iter();
            part.items.extend(older.filter(|item: &PaletteItem| known.iter().all(|one| one.id != item.id)));
            part.items.truncate(part.room);
            if answered && part.items.is_empty() {
                part.instead = Some(self.words.get().tools().no_sessions.to_owned());
            }
        }
        if self.sessions.failure.with(Option::is_some) {
            part.instead = Some(self.words.get().tools().list_failed.to_owned());
            part.room = part.room.max(1);
        } else if self.sessions.data.with(Option::is_none) {
            part.instead = Some(self.words.get().common.loading.to_owned());
            part.room = PaletteSection::Sessions.room(false);
        }
        part
    }

    /// What the monitor answered to just these words.
    fn answer<T>(self, query: &str, read: impl FnOnce(&MessageHits) -> T) -> Option<T> {
        self.found.data.with(|found| {
            let (text, outcome) = &**found.as_ref()?;
            (text == query && !matches!(outcome, MessageHits::Unasked)).then(|| read(outcome))
        })
    }

    fn messages_part(self, query: &str) -> Option<PaletteGroup> {
        if !is_for_messages(query) {
            return None;
        }
        let tools = self.words.get().tools();
        let room = PaletteSection::Messages.room(true);
        let found = self.answer(query, |outcome| match outcome {
            MessageHits::There { messages, .. } => {
                Some(messages.hits.iter().filter_map(|hit| self.message(hit)).collect::<Vec<_>>())
            }
            _ => None,
        });
        let instead = match &found {
            Some(None) => Some(tools.search_refused.to_owned()),
            Some(Some(items)) if items.is_empty() => Some(tools.no_messages.to_owned()),
            Some(_) => None,
            None if self.found.error.with(Option::is_some) => Some(tools.search_failed.to_owned()),
            None => Some(tools.searching.to_owned()),
        };
        Some(PaletteGroup {
            section: PaletteSection::Messages,
            items: found.flatten().unwrap_or_default(),
            instead,
            room,
        })
    }

    /// Links to all hits, and to the hits within the current list. They come before the tasks, which may load
    /// after the pointer has moved: the space above them is reserved from the start.
    fn everywhere(self, query: &str, on_list: bool) -> PaletteGroup {
        let total = self.answer(query, |outcome| match outcome {
            MessageHits::There { messages, .. } => {
                let counts = messages.counts;
                Some(counts.sessions + counts.messages + counts.tasks + counts.agents + counts.events)
            }
            _ => None,
        });
        let (tools, shown) = (self.words.get().tools(), hidden::marked(query));
        let text = (tools.see_all)(&shown);
        let act = PaletteAction::Go(paths::search(&SearchFilter::from_text(query)));
        let mut all = PaletteItem::new("everywhere", Face::Icon(Icon::Search), text, act);
        let count = |total| time::count(self.words.locale(), u64::from(total));
        all.end = total.flatten().map(count).unwrap_or_default();
        let within = on_list.then(|| {
            let act = PaletteAction::Narrow(PaletteScope::Words(query.to_owned()));
            PaletteItem::new("within", Face::Icon(Icon::Filter), (tools.see_within)(&shown), act)
        });
        let items: Vec<PaletteItem> = std::iter::once(all).chain(within).collect();
        PaletteGroup { section: PaletteSection::Everywhere, room: items.len(), items, instead: None }
    }

    fn found_session(self, hit: &SearchHit) -> Option<PaletteItem> {
        let id = hit.session_id.as_ref()?;
        let default = || Marked { text: self.words.get().common.default_title.to_owned(), marks: Vec::new() };
        let (text, ranges) = line_of(&hit.title.clone().unwrap_or_else(default));
        let face = hit.category.map_or(Face::Icon(Icon::Talk), Face::Category);
        let mut item = PaletteItem::new(format!("s {id}"), face, text, PaletteAction::Go(paths::session(id)));
        item.ranges = ranges;
        let people: Vec<String> = hit.people.iter().take(3).map(|id| self.people.name(id)).collect();
        item.note = people.join(", ");
        item.end =
            hit.at.map(|at| time::relative(self.words.locale(), self.now.get_untracked(), at)).unwrap_or_default();
        Some(item)
    }

    fn session(self, card: &SessionCard) -> PaletteItem {
        let id = &card.work_session_id;
        let text = title_text(&card.title, card.title_source);
        let mut item = PaletteItem::new(
            format!("s {id}"),
            Face::Category(card.category.key),
            text,
            PaletteAction::Go(paths::session(id)),
        );
        let people: Vec<String> = card.participants.iter().take(3).map(|id| self.people.name(id)).collect();
        item.note = people.join(", ");
        let status = (self.words.get().common.status)(card.status_at(self.now.get_untracked()));
        item.end =
            format!("{status} · {}", time::relative(self.words.locale(), self.now.get_untracked(), card.last_time));
        item
    }

    fn message(self, hit: &SearchHit) -> Option<PaletteItem> {
        let (session, thread, at) = (hit.session_id.as_ref()?, hit.thread_id.as_ref()?, hit.event_id.as_ref()?);
        let from = hit.from.clone().unwrap_or_default();
        let name = if hit.human { self.words.get().tools().person.to_owned() } else { self.people.name(&from) };
        let act = PaletteAction::Go(paths::thread_at(session, thread, at));
        let mut item = PaletteItem::new(format!("m {at}"), Face::Agent(from), String::new(), act);
        let (text, ranges) = line_of(&last_words(&hit.snippet.clone().unwrap_or_default()));
        let before = format!("{name}: ");
        item.ranges = ranges.into_iter().map(|range| range.start + before.len()..range.end + before.len()).collect();
        item.text = before + &text;
        item.end = match &hit.session_title {
            Some(title) => hidden::marked(title).into_owned(),
            None => self.words.get().common.default_title.to_owned(),
        };
        Some(item)
    }

    fn agents(self) -> Vec<PaletteItem> {
        let note = self.words.get().tools().agent_sessions;
        let all = self.people.all().into_iter().map(|agent| {
            let filter = SessionsFilter { agent: Some(agent.id.clone()), ..SessionsFilter::default() };
            let act = PaletteAction::Go(paths::sessions(None, &filter));
            let mut item = PaletteItem::new(
                format!("a {}", agent.id),
                Face::Agent(agent.id.clone()),
                self.people.name(&agent.id),
                act,
            );
            item.note = note.to_owned();
            item.also = hidden::marked(agent.id.as_str()).into_owned();
            item.narrow = Some(PaletteScope::Agent(agent.id));
            item
        });
        all.collect()
    }

    fn task_items(self) -> Vec<PaletteItem> {
        self.tasks.data.with(|page| {
            let tasks = page.iter().flat_map(|page| &page.tasks).filter(|task| !task.title.is_empty());
            let item = |task: &coordination::api::TaskSummary| {
                let face = Face::Icon(task_status_style(task.status).icon);
                let act = PaletteAction::Go(paths::task_in(&task.agent_id, &task.id, &TasksFilter::default()));
                let mut item = PaletteItem::new(
                    format!("t {} {}", task.agent_id, task.id),
                    face,
                    hidden::marked(&task.title).into_owned(),
                    act,
                );
                item.note = self.people.name(&task.agent_id);
                item.end = (self.words.get().common.task_status)(task.status).to_owned();
                item
            };
            tasks.map(item).collect()
        })
    }

    /// The tags of the newest sessions.
    fn tags(self) -> Vec<PaletteItem> {
        let word = self.words.get().tools().only_tag;
        self.sessions.data.with(|page| {
            let tags = page.iter().flat_map(|page| &page.tags);
            let item = |(tag, _): &(String, u32)| {
                let narrow = PaletteScope::Tag(tag.clone());
                let item = PaletteItem::new(
                    format!("# {tag}"),
                    Face::Icon(Icon::Filter),
                    word(&hidden::marked(tag)),
                    PaletteAction::Narrow(narrow.clone()),
                );
                PaletteItem { narrow: Some(narrow), ..item }
            };
            tags.map(item).collect()
        })
    }
}

/// A snippet with a short lead, so that the found words are not cut off.
fn last_words(snippet: &Marked) -> Marked {
    let first = snippet.marks.first().map_or(0, |mark| mark[0]);
    let start = first.saturating_sub(EXCERPT_LEAD_CHARS);
    if start == 0 {
        return snippet.clone();
    }
    let text = snippet.text.get(bytes(&snippet.text, [start, u32::MAX])).unwrap_or_default();
    // The mark of what was left out is one unit.
    let moved = |at: u32| at.saturating_sub(start) + 1;
    Marked { text: format!("…{text}"), marks: snippet.marks.iter().map(|mark| mark.map(moved)).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn excerpt_starts_near_found_words() {
        let snippet = Marked {
            text: "아주 길게 이어지는 앞부분이 있는 배포 확인".to_owned(), marks: vec![[19, 21]]
        };
        let cut = last_words(&snippet);
        assert_eq!(cut.text, "…주 길게 이어지는 앞부분이 있는 배포 확인");
        assert_eq!(&cut.text[bytes(&cut.text, cut.marks[0])], "배포");
        let short = Marked { text: "내일 배포".to_owned(), marks: vec![[3, 5]] };
        assert_eq!(last_words(&short), short);
    }
}
