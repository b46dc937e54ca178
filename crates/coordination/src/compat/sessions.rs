//! Queries of `GET /api/work-sessions`, `GET /api/work-sessions/:id` and `GET /api/work-sessions/search`
//! (`contract/monitor-api.md` §4.2–§4.4). Filters by role and type choose which events of a session are shown. Its status,
//! times, category and role counts come from all its events.
//!
//! Defects D1, D4, D5 and D7 of the original 1.x monitor (same document) are corrected here.

use std::borrow::Cow;
use std::collections::HashSet;

use super::answer::{AnswerNode, V1Answer};
use super::events::{category_filter, holding, known_category};
use super::threads::written_session;
use super::{ByteLimit, WorkSessionsQuery};
use crate::category::Category;
use crate::hub::{Hub, V1Group, V1GroupKey, V1Groups};
use crate::ids::SessionId;
use crate::role::Role;
use crate::session::Status;

/// Sessions that a search shows at most.
const MAX_FOUND: usize = 50;

/// One session before it is written out.
pub(super) struct V1Session<'a> {
    pub(super) id: SessionId,
    pub(super) group: &'a V1Group,
    /// Numbers of its events in order of time, and whether each is shown.
    pub(super) seen: Vec<(u32, bool)>,
    pub(super) category: Category,
    pub(super) tags: Vec<Cow<'static, str>>,
    /// Whether the classifier in force gave its category, and not `v1`.
    pub(super) by_hub: bool,
    /// A person set the category.
    pub(super) overridden: bool,
}

/// `GET /api/work-sessions` (§4.2). Without a status, it counts over all sessions in brief; the lines are read of those
/// sessions only that it shows.
#[must_use]
pub fn work_sessions(hub: &Hub, by_v1: bool, now: i64, query: &WorkSessionsQuery) -> V1Answer {
    let view = SessionView::new(hub, by_v1);
    let shown = ShownEvents::new(hub, query);
    let tag = query.sub_tag.as_deref().map(|tag| tag.trim().to_lowercase()).filter(|tag| !tag.is_empty());
    let category = category_filter(query.view_category.as_deref()).map(known_category);
    let fits = |group: &&V1Group| {
        (query.status.is_empty() || query.status.contains(&group.status(now)))
            && shown.is_any_of(group)
            && category.is_none_or(|wanted| wanted == Some(view.category(group)))
            && tag.as_ref().is_none_or(|tag| view.tags(group).iter().any(|own| own.to_lowercase() == *tag))
    };
    let groups = hub.v1_groups();
    let total = match shown.is_all() {
        true => groups.len(),
        false => groups.newest().filter(|group| shown.is_any_of(group)).count(),
    };
    let matched: Vec<&V1Group> = candidates(groups, &query.status, now).filter(fits).collect();
    let mut counts: Vec<(Category, u64)> = Vec::new();
    for category in matched.iter().map(|group| view.category(group)) {
        match counts.iter_mut().find(|(key, _)| *key == category) {
            Some((_, count)) => *count += 1,
            None => counts.push((category, 1)),
        }
    }
    let sessions = written(&view, matched.iter().take(query.limit).copied(), query.bound, &shown, now);
    let count = sessions.len();
    V1Answer::new(vec![
        ("sessions", AnswerNode::Array(sessions)),
        ("count", count.into()),
        ("totalMatched", matched.len().into()),
        ("totalSessions", total.into()),
        ("role", query.role.iter().map(|role| role.as_str()).collect::<Vec<_>>().into()),
        ("type", query.types.clone().into()),
        ("status", query.status.iter().map(|status| status.as_str()).collect::<Vec<_>>().into()),
        ("viewCategory", query.view_category.clone().into()),
        ("subTag", query.sub_tag.clone().into()),
        (
            "categoryCounts",
            AnswerNode::Object(counts.iter().map(|(key, count)| (key.as_str(), (*count).into())).collect()),
        ),
    ])
}

/// `GET /api/work-sessions/search?q=`: sessions one of whose events holds `q`, newest first, shown completely.
#[must_use]
pub fn search_work_sessions(hub: &Hub, by_v1: bool, now: i64, q: &str, bound: ByteLimit) -> V1Answer {
    let view = SessionView::new(hub, by_v1);
    let (mut slots, mut conversations) = (HashSet::new(), HashSet::new());
    holding(hub, q, |index, event| match event.conversation_id() {
        _ if event.work_session_id().is_some() => drop(slots.insert(hub.meta_of(index).session)),
        Some(id) if !conversations.contains(id) => drop(conversations.insert(id.to_owned())),
        _ => {}
    });
    let found = |group: &&V1Group| match &group.key {
        V1GroupKey::Session(slot) => slots.contains(slot),
        V1GroupKey::Conversation(id) => conversations.contains(&**id),
    };
    let query = WorkSessionsQuery::default();
    let groups = hub.v1_groups().newest().filter(found).take(MAX_FOUND);
    let sessions = written(&view, groups, bound, &ShownEvents::new(hub, &query), now);
    let count = sessions.len();
    V1Answer::new(vec![("sessions", AnswerNode::Array(sessions)), ("count", count.into()), ("query", q.into())])
}

/// `GET /api/work-sessions/:id` (§4.3); `None` when there is no such session or the filter leaves no event.
#[must_use]
pub fn work_session(hub: &Hub, by_v1: bool, now: i64, id: &SessionId, query: &WorkSessionsQuery) -> Option<V1Answer> {
    let view = SessionView::new(hub, by_v1);
    let groups = hub.v1_groups();
    let named = hub.slot_of(id).and_then(|slot| groups.of_slot(slot));
    let conversation = id.as_str().strip_prefix("conv:").and_then(|id| groups.of_conversation(id));
    // A work session may be called like a conversation: the newer one with a shown event is meant.
    let mut found: Vec<&V1Group> = named.into_iter().chain(conversation).collect();
    if let [one, other] = found[..]
        && V1Groups::is_before(other, one)
    {
        found.reverse();
    }
    let sessions = written(&view, found.into_iter(), query.bound, &ShownEvents::new(hub, query), now);
    let session = sessions.into_iter().next()?;
    let role = query.role.first().map(|role| role.as_str());
    Some(V1Answer::new(vec![("session", session), ("role", role.into()), ("type", query.types.clone().into())]))
}

/// The groups of these statuses and perhaps others, newest first.
fn candidates<'a>(groups: &'a V1Groups, wanted: &[Status], now: i64) -> Box<dyn Iterator<Item = &'a V1Group> + 'a> {
    match wanted.contains(&Status::Archived) {
        _ if wanted.is_empty() => Box::new(groups.newest()),
        false => Box::new(groups.recent(now)),
        true if wanted.iter().all(|status| *status == Status::Archived) => Box::new(groups.archived(now)),
        true => Box::new(groups.newest()),
    }
}

/// The sessions of these groups within the limit: session by session, the newest events of each. Sessions without a
/// shown event are left out; `totalEventCount` of the last one shows that it is cut.
fn written<'a>(
    view: &SessionView<'a>,
    groups: impl Iterator<Item = &'a V1Group>,
    mut bound: ByteLimit,
    shown: &ShownEvents<'_>,
    now: i64,
) -> Vec<AnswerNode> {
    let mut sessions = Vec::new();
    for group in groups {
        let members = view.hub.v1_members(group);
        let mut seen: Vec<(u32, bool)> = members.into_iter().map(|index| (index, shown.is_shown(index))).collect();
        for (index, shown) in seen.iter_mut().rev().filter(|(_, shown)| *shown) {
            *shown = bound.fits(view.hub.event(*index).raw.len());
        }
        if seen.iter().any(|(_, shown)| *shown) {
            sessions.push(written_session(view, &view.session(group, seen), now));
        }
        if bound.0 == 0 {
            break;
        }
    }
    sessions
}

/// What answers about sessions read of the hub.
pub(super) struct SessionView<'a> {
    pub(super) hub: &'a Hub,
    /// Whether `v1` gives the categories.
    pub(super) by_v1: bool,
}

impl<'a> SessionView<'a> {
    fn new(hub: &'a Hub, by_v1: bool) -> Self {
        Self { hub, by_v1: hub.is_by_v1(by_v1) }
    }

    fn id(&self, group: &V1Group) -> SessionId {
        match &group.key {
            V1GroupKey::Session(slot) => {
                self.hub.session_at(*slot).map_or_else(|| "".into(), |session| session.id.as_ref().clone())
            }
            V1GroupKey::Conversation(id) => SessionId::from(format!("conv:{id}")),
        }
    }

    /// The session of the hub that has the group's id, when the classifier in force gives categories.
    fn slot(&self, group: &V1Group) -> Option<u32> {
        match &group.key {
            _ if self.by_v1 => None,
            V1GroupKey::Session(slot) => Some(*slot),
            V1GroupKey::Conversation(_) => self.hub.slot_of(&self.id(group)),
        }
    }

    /// The category in force.
    fn category(&self, group: &V1Group) -> Category {
        if let Some(slot) = self.slot(group) {
            return self.hub.sessions.overview.brief(slot).category;
        }
        let overrides = self.hub.overrides();
        let manual = if overrides.is_empty() { None } else { overrides.get(&self.id(group)) };
        manual.map_or_else(|| self.hub.v1_verdict(group).0, |manual| manual.collab_category)
    }

    fn tags(&self, group: &V1Group) -> Vec<Cow<'static, str>> {
        match self.slot(group).and_then(|slot| self.hub.session_at(slot)) {
            Some(session) => session.state.votes.verdict().sub_tags.into_iter().map(Cow::Owned).collect(),
            None => self.tags_of(self.hub.v1_verdict(group).1),
        }
    }

    /// The tags that an event gives its group by `v1`.
    pub(super) fn tags_of(&self, from: Option<u32>) -> Vec<Cow<'static, str>> {
        let tags = |index| {
            let role = self.hub.meta_of(index).own_role();
            crate::event::category::v1(self.hub.event(index), role).sub_tags
        };
        from.map(tags).unwrap_or_default()
    }

    fn session(&self, group: &'a V1Group, seen: Vec<(u32, bool)>) -> V1Session<'a> {
        let id = self.id(group);
        V1Session {
            category: self.category(group),
            overridden: self.hub.overrides().contains_key(&id),
            tags: self.tags(group),
            by_hub: self.slot(group).is_some(),
            group,
            seen,
            id,
        }
    }
}

/// Filter of the events that are shown.
struct ShownEvents<'a> {
    hub: &'a Hub,
    roles: &'a [Role],
    types: &'a [String],
    /// Numbers of the types, modulo 64.
    kinds: u64,
    numbers: Vec<u16>,
    /// Some types have no number of their own, so the line of such an event decides.
    by_line: bool,
}

impl<'a> ShownEvents<'a> {
    fn new(hub: &'a Hub, query: &'a WorkSessionsQuery) -> Self {
        let numbers: Vec<u16> = query.types.iter().filter_map(|name| hub.indexes.kinds.find(name)).collect();
        let by_line = hub.indexes.kinds.len() >= usize::from(u16::MAX);
        let kinds = numbers.iter().fold(0, |bits, kind| bits | 1 << (kind % 64));
        let kinds = if by_line { u64::MAX } else { kinds };
        Self { hub, roles: &query.role, types: &query.types, kinds, numbers, by_line }
    }

    fn is_all(&self) -> bool {
        self.roles.is_empty() && self.types.is_empty()
    }

    fn is_shown(&self, index: u32) -> bool {
        let fact = self.hub.meta_of(index);
        (self.roles.is_empty() || self.roles.contains(&fact.own_role()))
            && (self.types.is_empty()
                || self.numbers.contains(&fact.kind)
                || (self.by_line
                    && fact.kind == u16::MAX
                    && self.types.iter().any(|kind| kind == self.hub.event(index).event_type())))
    }

    /// Whether an event of the group is shown. Looks at its events only where roles and types in brief do not decide.
    fn is_any_of(&self, group: &V1Group) -> bool {
        let has_role = self.roles.is_empty() || self.roles.iter().any(|role| group.has_role(*role));
        if self.types.is_empty() || !has_role {
            return has_role;
        }
        let is_exact = self.roles.is_empty() && self.hub.indexes.kinds.len() <= 64;
        group.kinds & self.kinds != 0
            && (is_exact || self.hub.v1_members(group).into_iter().any(|index| self.is_shown(index)))
    }
}
