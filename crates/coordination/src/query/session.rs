//! Query of `GET sessions/{id}`: one session in detail.

use std::ops::Bound::{Excluded, Unbounded};
use std::sync::Arc;

use super::card::{card, link, overridden, previous, resuming};
use super::tasks::of_session;
use super::thread::thread_summary;
use crate::api::{CategoryEvidence, Chain, Neighbours, SessionCard, SessionDetail};
use crate::classify::Classifier;
use crate::hub::{Hub, Session};
use crate::ids::SessionId;

/// `GET sessions/{id}`.
#[must_use]
pub fn session(hub: &Hub, now: i64, id: &SessionId) -> Option<SessionDetail> {
    let session = hub.session(id)?;
    let mut threads: Vec<_> = session
        .state
        .threads
        .iter()
        .filter(|thread| thread.is_shown())
        .map(|thread| thread_summary(hub, now, thread))
        .collect();
    threads.sort_by(|a, b| b.last_time.cmp(&a.last_time).then_with(|| a.thread_id.cmp(&b.thread_id)));
    let mut evidence = session.state.votes.verdict().evidence;
    evidence.manual = hub.overrides().get(id).cloned();
    Some(SessionDetail {
        session: card(hub, now, session),
        threads,
        role_counts: session.state.roles,
        tasks: of_session(hub, session),
        chain: chain(hub, session),
        neighbours: neighbours(hub, session),
        evidence,
        shared: hub.inputs.shared.of_session(id).cloned().collect(),
        cursor: hub.cursor(),
        now,
    })
}

/// `GET sessions/{id}?classifier`: the same with its category, tags and evidence by that classifier.
#[must_use]
pub fn session_by(hub: &Hub, now: i64, id: &SessionId, classifier: Classifier) -> Option<SessionDetail> {
    let mut detail = session(hub, now, id)?;
    let target = hub.session(id)?;
    let verdict = hub.verdict_by(target, classifier);
    detail.session.category = overridden(hub, target, verdict.info);
    detail.session.sub_tags = verdict.sub_tags;
    detail.evidence = CategoryEvidence { manual: detail.evidence.manual, ..verdict.evidence };
    Some(detail)
}

/// The card of one session, as lists show it.
#[must_use]
pub fn session_card(hub: &Hub, now: i64, id: &SessionId) -> Option<SessionCard> {
    hub.session(id).map(|session| card(hub, now, session))
}

fn chain(hub: &Hub, session: &Session) -> Chain {
    Chain {
        previous: previous(hub, session).map(|id| link(hub, id)),
        next: resuming(hub, &session.id).into_iter().map(|other| link(hub, &other.id)).collect(),
    }
}

fn neighbours(hub: &Hub, session: &Session) -> Neighbours {
    let key = (std::cmp::Reverse(session.state.last), Arc::clone(&session.id));
    let newer = hub.sessions.newest.range(..&key).next_back();
    let older = hub.sessions.newest.range((Excluded(&key), Unbounded)).next();
    Neighbours { newer: newer.map(|((_, id), _)| link(hub, id)), older: older.map(|((_, id), _)| link(hub, id)) }
}
