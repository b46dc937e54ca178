//! What later hooks tell of earlier ones in a session: its team, which call made which agent, which calls were
//! answered (`contract/event-schema-v1_1.md` §C.2, §C.3). Facts follow from the set of hooks, never from the order in
//! which they came.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::seen::{Hook, Place};
use super::tool::makes_agents;
use super::who::{Party, Team, Who, is_leader};

/// The agent that a call makes when it names no type.
const DEFAULT_TYPE: &str = "general-purpose";
/// How long after its call a guess waits for being confirmed.
pub(super) const GUESS_MS: i64 = 60_000;

/// A call that makes an agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Call {
    pub(super) place: Place,
    /// Where it was told before it ran.
    pub(super) before: Option<Place>,
    /// Native id of the agent that called; none for the main thread.
    pub(super) by: Option<String>,
    pub(super) name: Option<String>,
    pub(super) team: Option<String>,
    pub(super) kind: Option<String>,
    pub(super) label: Option<String>,
    /// Native id in its answer, and where that stands.
    answer: Option<(Place, String)>,
    failed: Option<Place>,
}

/// An agent that hooks name by a native id.
#[derive(Debug, Clone, Default, PartialEq)]
struct Native {
    first: Place,
    kind: Option<(Place, String)>,
    started: Option<Place>,
}

/// A call that would make or end a task.
#[derive(Debug, Clone, PartialEq)]
struct Asked {
    place: Place,
    about: About,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum About {
    /// The digest of its subject.
    Created(String),
    /// Its id.
    Completed(String),
}

/// What is known of a session as a whole.
#[derive(Debug, Default)]
pub(super) struct Names {
    team: Option<(Place, String)>,
    calls: BTreeMap<String, Call>,
    natives: BTreeMap<String, Native>,
    /// The call that made an agent.
    calls_of: BTreeMap<String, String>,
    /// The agent that a call made.
    made_by: HashMap<String, String>,
    asked: BTreeMap<String, Asked>,
    /// The same by when their time is over.
    waiting: BTreeSet<(i64, String)>,
    answered: BTreeSet<String>,
    confirmed: BTreeMap<About, BTreeSet<Place>>,
}

fn earlier(one: Option<Place>, other: Place) -> Option<Place> {
    Some(one.map_or(other.clone(), |one| one.min(other)))
}

/// Keeps the value of the first place; whether that changed it.
fn keep_first(slot: &mut Option<(Place, String)>, place: &Place, value: &str) -> bool {
    let replace = slot.as_ref().is_none_or(|(at, _)| place < at);
    let differs = slot.as_ref().is_none_or(|(_, known)| known != value);
    if replace {
        *slot = Some((place.clone(), value.to_owned()));
    }
    replace && differs
}

impl Names {
    /// Learns of a hook. What it tells of earlier ones makes them be read again from the place in the answer on.
    pub(super) fn learn(&mut self, hook: &Hook<'_>, clock: i64) -> Option<Place> {
        let place = hook.place();
        let mut from = self.learn_team(hook, &place).then(|| (i64::MIN, String::new()));
        let mut joins = false;
        if let Some(id) = hook.text("agent_id") {
            let native = self
                .natives
                .entry(id.to_owned())
                .or_insert_with(|| Native { first: place.clone(), ..Native::default() });
            native.first = native.first.clone().min(place.clone());
            if let Some(kind) = hook.text("agent_type")
                && keep_first(&mut native.kind, &place, kind)
            {
                from = earlier(from, native.first.clone());
                joins = true;
            }
            if hook.name() == "SubagentStart" && native.started.as_ref().is_none_or(|started| place < *started) {
                native.started = Some(place.clone());
                joins = true;
            }
        }
        if makes_agents(hook.tool())
            && let Some(id) = hook.call()
        {
            from = self.learn_call(id, hook, &place).into_iter().chain(from).min();
            joins = true;
        }
        if joins {
            from = self.join().into_iter().chain(from).min();
        }
        self.learn_task(hook, &place, clock).into_iter().chain(from).min()
    }

    /// Takes back what a hook said that turned out to stand earlier.
    pub(super) fn forget(&mut self, hook: &Hook<'_>) {
        if let Some(about) = confirms(hook)
            && let Some(places) = self.confirmed.get_mut(&about)
        {
            places.remove(&hook.place());
        }
    }

    /// The session's own team; the first that was named.
    pub(super) fn team(&self) -> Option<&str> {
        self.team.as_ref().map(|(_, name)| name.as_str())
    }

    /// The call that made an agent.
    pub(super) fn call_of(&self, native: &str) -> Option<(&str, &Call)> {
        let id = self.calls_of.get(native)?;
        Some((id, self.calls.get(id)?))
    }

    /// The agent that a call made.
    pub(super) fn made_by(&self, call: &str) -> Option<&str> {
        self.made_by.get(call).map(String::as_str)
    }

    /// An agent with a native id.
    pub(super) fn native(&self, team: Team<'_>, id: &str) -> Who {
        let call = self.call_of(id).map(|(_, call)| call);
        let team = call.and_then(|call| call.team.as_deref()).map_or(team, |name| Team { name });
        match call.and_then(|call| call.name.as_deref()) {
            Some(name) => {
                let mate = call.is_some_and(|call| call.team.is_some());
                team.named(name, if mate { Party::Teammate } else { Party::Subagent }, Some(id))
            }
            None => team.unnamed(
                self.natives.get(id).and_then(|native| native.kind.as_ref()).map(|(_, kind)| kind.as_str()),
                id,
            ),
        }
    }

    /// The agent that a call is about to make, as far as it is known.
    pub(super) fn target(&self, team: Team<'_>, call: &str) -> Option<Who> {
        if let Some(native) = self.made_by(call) {
            return Some(self.native(team, native));
        }
        let call = self.calls.get(call)?;
        let team = call.team.as_deref().map_or(team, |name| Team { name });
        let party = if call.team.is_some() && call.name.is_some() { Party::Teammate } else { Party::Subagent };
        let name = call.name.as_deref().or(call.kind.as_deref()).unwrap_or(DEFAULT_TYPE);
        Some(team.named(name, party, None))
    }

    /// Whom others mean by a name, at a place: an agent made before it, else a teammate.
    pub(super) fn called(&self, team: Team<'_>, name: &str, at: &Place) -> Who {
        let (name, team) = match name.split_once('@') {
            Some((name, of)) if !name.is_empty() && !of.is_empty() => (name, Team { name: of }),
            _ => (name, team),
        };
        if is_leader(name) {
            return team.leader();
        }
        if self.natives.get(name).is_some_and(|native| native.first < *at) {
            return self.native(team, name);
        }
        let before = |call: &&Call| call.place < *at && call.name.as_deref() == Some(name);
        match self.calls.iter().filter(|(_, call)| before(call)).max_by(|one, other| one.1.place.cmp(&other.1.place)) {
            Some((id, _)) => self.target(team, id).unwrap_or_else(|| team.named(name, Party::Teammate, None)),
            None => team.named(name, Party::Teammate, None),
        }
    }

    /// A guess about a task that nothing confirmed, and its time is over.
    pub(super) fn stands(&self, call: &str, clock: i64) -> bool {
        self.asked
            .get(call)
            .is_some_and(|asked| !self.is_settled(call, asked) && asked.place.0.saturating_add(GUESS_MS) <= clock)
    }

    /// The next guess whose time is not over.
    pub(super) fn due(&self, clock: i64) -> Option<i64> {
        self.open(clock).map(|asked| asked.place.0.saturating_add(GUESS_MS)).min()
    }

    /// The first guess whose time is over between two moments.
    pub(super) fn ripe(&self, before: i64, now: i64) -> Option<Place> {
        let ripe = |asked: &&Asked| asked.place.0.saturating_add(GUESS_MS) <= now;
        self.open(before).filter(ripe).map(|asked| asked.place.clone()).min()
    }

    fn open(&self, clock: i64) -> impl Iterator<Item = &Asked> {
        // Only those of the last minute: what was asked before is decided.
        let ahead = self.waiting.range((clock.saturating_add(1), String::new())..);
        let asked = ahead.filter_map(|(_, call)| Some((call, self.asked.get(call)?)));
        asked.filter(|(call, asked)| !self.is_settled(call, asked)).map(|(_, asked)| asked)
    }

    fn is_settled(&self, call: &str, asked: &Asked) -> bool {
        let told = self.confirmed.get(&asked.about).and_then(BTreeSet::last);
        self.answered.contains(call) || told.is_some_and(|told| *told > asked.place)
    }

    fn learn_team(&mut self, hook: &Hook<'_>, place: &Place) -> bool {
        let of_call = hook.input("team_name").filter(|_| makes_agents(hook.tool()));
        let Some(name) = hook.text("team_name").or(of_call).map(str::trim).filter(|name| !name.is_empty()) else {
            return false;
        };
        keep_first(&mut self.team, place, name)
    }

    fn learn_call(&mut self, id: &str, hook: &Hook<'_>, place: &Place) -> Option<Place> {
        let before = self.calls.get(id).cloned();
        let call = self.calls.entry(id.to_owned()).or_insert_with(|| Call { place: place.clone(), ..Call::default() });
        if before.is_none() || *place < call.place {
            let text = |name: &str| hook.input(name).map(str::to_owned);
            call.place = place.clone();
            call.by = hook.text("agent_id").map(str::to_owned);
            (call.name, call.team, call.kind) = (text("name"), text("team_name"), text("subagent_type"));
            call.label = text("description");
        }
        match hook.name() {
            "PreToolUse" => call.before = earlier(call.before.take(), place.clone()),
            "PostToolUse" if !hook.answer_failed() => {
                if let Some(native) = hook.answer("agentId") {
                    keep_first(&mut call.answer, place, native);
                }
            }
            "PostToolUse" | "PostToolUseFailure" | "PermissionDenied" => {
                call.failed = earlier(call.failed.take(), place.clone());
            }
            _ => {}
        }
        let before = before.filter(|before| before != call)?;
        let (named, first) = (call.place.clone(), before.place.clone().min(call.place.clone()));
        let same = before.name == call.name
            && before.team == call.team
            && before.kind == call.kind
            && before.label == call.label
            && before.place == named
            && before.before == call.before
            && before.by == call.by;
        let child = self.made_by.get(id).and_then(|native| self.natives.get(native)).map(|native| native.first.clone());
        (!same).then(|| child.map_or(first.clone(), |child| child.min(first)))
    }

    /// Joins agents to the calls that made them: by the answers, then by order and type. Tells from where on names have
    /// changed.
    fn join(&mut self) -> Option<Place> {
        let mut calls_of: BTreeMap<String, String> = BTreeMap::new();
        let mut made_by: HashMap<String, String> = HashMap::new();
        let mut calls: Vec<(&String, &Call)> = self.calls.iter().collect();
        calls.sort_by(|one, other| one.1.place.cmp(&other.1.place));
        for (id, call) in &calls {
            // An agent that is spoken to again by another call was made by the first.
            if let Some((_, native)) = &call.answer
                && !calls_of.contains_key(native)
            {
                calls_of.insert(native.clone(), (*id).clone());
                made_by.insert((*id).clone(), native.clone());
            }
        }
        let mut starts: Vec<(&Place, &String, &Native)> =
            self.natives.iter().filter_map(|(id, native)| Some((native.started.as_ref()?, id, native))).collect();
        starts.sort_unstable_by(|one, other| one.0.cmp(other.0));
        for (started, id, native) in starts {
            if calls_of.contains_key(id) {
                continue;
            }
            let kind = native.kind.as_ref().map(|(_, kind)| kind.as_str());
            let fits = |(call_id, call): &&(&String, &Call)| {
                call.answer.is_none()
                    && !made_by.contains_key(*call_id)
                    && call.before.as_ref().is_some_and(|before| before < started)
                    && call.failed.as_ref().is_none_or(|failed| failed > started)
                    && (kind.is_none() || call.kind.is_none() || call.kind.as_deref() == kind)
            };
            if let Some((call, _)) = calls.iter().find(fits) {
                calls_of.insert(id.clone(), (*call).clone());
                made_by.insert((*call).clone(), id.clone());
            }
        }
        let touched = |native: &String, call: &String| {
            let first = self.natives.get(native).map(|native| native.first.clone());
            first.into_iter().chain(self.calls.get(call).map(|call| call.place.clone())).min()
        };
        let lost = self.calls_of.iter().filter(|(native, call)| calls_of.get(*native) != Some(call));
        let won = calls_of.iter().filter(|(native, call)| self.calls_of.get(*native) != Some(call));
        let from = lost.chain(won).filter_map(|(native, call)| touched(native, call)).min();
        (self.calls_of, self.made_by) = (calls_of, made_by);
        from
    }

    fn learn_task(&mut self, hook: &Hook<'_>, place: &Place, clock: i64) -> Option<Place> {
        if let Some(about) = confirms(hook) {
            self.confirmed.entry(about.clone()).or_default().insert(place.clone());
            let shown = |asked: &&Asked| {
                asked.about == about && asked.place < *place && asked.place.0.saturating_add(GUESS_MS) <= clock
            };
            return self.asked.values().filter(shown).map(|asked| asked.place.clone()).min();
        }
        let call = hook.call().filter(|_| matches!(hook.tool(), "TaskCreate" | "TaskUpdate"))?;
        if hook.name() != "PreToolUse" {
            let settles = matches!(hook.name(), "PostToolUse" | "PostToolUseFailure" | "PermissionDenied");
            let new = settles && self.answered.insert(call.to_owned());
            let shown = self.asked.get(call).filter(|asked| new && asked.place.0.saturating_add(GUESS_MS) <= clock);
            return shown.map(|asked| asked.place.clone());
        }
        let about = match (hook.tool(), hook.input("status")) {
            ("TaskCreate", _) => About::Created(hook.input("subject_digest").unwrap_or_default().to_owned()),
            ("TaskUpdate", Some("completed")) => About::Completed(hook.input("taskId")?.to_owned()),
            _ => return None,
        };
        let asked = Asked { place: place.clone(), about };
        if self.asked.get(call).is_none_or(|known| asked.place < known.place) {
            let due = asked.place.0.saturating_add(GUESS_MS);
            if let Some(known) = self.asked.insert(call.to_owned(), asked) {
                self.waiting.remove(&(known.place.0.saturating_add(GUESS_MS), call.to_owned()));
            }
            self.waiting.insert((due, call.to_owned()));
        }
        None
    }
}

/// What a task's own hook confirms.
fn confirms(hook: &Hook<'_>) -> Option<About> {
    match hook.name() {
        "TaskCreated" => hook.text("subject_digest").map(|digest| About::Created(digest.to_owned())),
        "TaskCompleted" => hook.text("task_id").map(|id| About::Completed(id.to_owned())),
        _ => None,
    }
}
