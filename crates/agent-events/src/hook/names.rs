//! Names of the agents and the team of a Claude Code session, and the tool calls that started the agents
//! (`contract/event-schema-v1_1.md` §C.2, §C.3). They are derived from the session's hooks. The order in which the
//! hooks arrive has no effect.

use std::collections::{BTreeMap, HashMap};

use super::guess::Guesses;
use super::seen::{HookOrderKey, HookView};
use super::tool::makes_agents;
use super::who::{TeamName, TeamRole, Who, is_leader};

/// The agent that a call makes when it names no type.
const DEFAULT_TYPE: &str = "general-purpose";

/// A call that makes an agent.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct AgentCall {
    /// Position of the call's earliest hook, from which the fields are.
    pub(super) place: HookOrderKey,
    /// Position of the hook before the call ran.
    pub(super) before: Option<HookOrderKey>,
    /// Native id of the agent that called; none for the main thread.
    pub(super) by: Option<String>,
    /// The name that the call gives to the agent.
    pub(super) name: Option<String>,
    /// The team that it requested.
    pub(super) team: Option<String>,
    /// The requested type of agent.
    pub(super) kind: Option<String>,
    /// The description in the call.
    pub(super) label: Option<String>,
    /// Position of the hook with the call's result, and the native id of the agent in it.
    answer: Option<(HookOrderKey, String)>,
    /// The call's result names a teammate: position of that hook, and the teammate's team, which may be empty.
    mate: Option<(HookOrderKey, String)>,
    /// Position of the hook that reports that the call failed.
    failed: Option<HookOrderKey>,
}

impl AgentCall {
    /// It makes a named member of a team.
    fn makes_mate(&self) -> bool {
        self.name.is_some() && (self.mate.is_some() || self.team.is_some())
    }
}

/// An agent that hooks name by a native id, or by its name alone.
#[derive(Debug, Clone, Default, PartialEq)]
struct Native {
    first: HookOrderKey,
    /// Its name, where its own hooks say it.
    name: Option<(HookOrderKey, String)>,
    /// The team that they say.
    team: Option<(HookOrderKey, String)>,
    kind: Option<(HookOrderKey, String)>,
    started: Option<HookOrderKey>,
}

/// Facts about a session as a whole. Each value is the earliest one, with the position of its hook.
#[derive(Debug, Default)]
pub(super) struct SessionNames {
    /// The team that hooks and answers named.
    team: Option<(HookOrderKey, String)>,
    /// The team that calls requested. The program may give it another name.
    requested_team: Option<(HookOrderKey, String)>,
    /// The name of a teammate whose own session this is: it runs in a terminal of its own.
    own: Option<(HookOrderKey, String)>,
    /// Calls that make agents, by call id.
    calls: BTreeMap<String, AgentCall>,
    /// Agents by native id, or by name alone.
    natives: BTreeMap<String, Native>,
    /// Id of the call that made an agent, by the agent's native id.
    calls_of: BTreeMap<String, String>,
    /// Native id of the agent that a call made, by call id.
    made_by: HashMap<String, String>,
    /// New facts may join agents to calls; [`Self::join`] has not run since.
    unjoined: bool,
    pub(super) guesses: Guesses,
}

fn earlier(one: Option<HookOrderKey>, other: HookOrderKey) -> Option<HookOrderKey> {
    Some(one.map_or(other.clone(), |one| one.min(other)))
}

/// Keeps the value of the first place; whether that changed it.
fn keep_first(slot: &mut Option<(HookOrderKey, String)>, place: &HookOrderKey, value: &str) -> bool {
    let replace = slot.as_ref().is_none_or(|(at, _)| place < at);
    let differs = slot.as_ref().is_none_or(|(_, known)| known != value);
    if replace {
        *slot = Some((place.clone(), value.to_owned()));
    }
    replace && differs
}

impl SessionNames {
    /// Learns of a hook. If it changes earlier ones, they are read again from the place in the answer on; what
    /// agents are called is known once [`Self::join`] was asked as well.
    pub(super) fn learn(&mut self, hook: &HookView<'_>, clock: i64) -> Option<HookOrderKey> {
        let place = hook.place();
        let before = (self.team().map(str::to_owned), self.own().map(str::to_owned));
        self.learn_team(hook, &place);
        self.learn_own(hook, &place);
        let mut from = None;
        if let Some(id) = hook.agent() {
            let native = self
                .natives
                .entry(id.to_owned())
                .or_insert_with(|| Native { first: place.clone(), ..Native::default() });
            native.first = native.first.clone().min(place.clone());
            if let Some(name) = hook.text("agent_name") {
                let named = keep_first(&mut native.name, &place, name);
                let team = hook.text("team_name").is_some_and(|team| keep_first(&mut native.team, &place, team));
                if named || team {
                    from = earlier(from, native.first.clone());
                }
            }
            if let Some(kind) = hook.text("agent_type")
                && keep_first(&mut native.kind, &place, kind)
            {
                from = earlier(from, native.first.clone());
                // The call that made it names it as well, and may have been answered before its first hook.
                let call = self.calls_of.get(id).and_then(|call| self.calls.get(call));
                from = call.map(|call| call.place.clone()).into_iter().chain(from).min();
                self.unjoined = true;
            }
            if hook.name() == "SubagentStart" && native.started.as_ref().is_none_or(|started| place < *started) {
                native.started = Some(place.clone());
                self.unjoined = true;
            }
        }
        if makes_agents(hook.tool())
            && let Some(id) = hook.call()
        {
            from = self.learn_call(id, hook, &place).into_iter().chain(from).min();
            self.unjoined = true;
        }
        if (self.team(), self.own()) != (before.0.as_deref(), before.1.as_deref()) {
            // Everybody has another name.
            from = Some((i64::MIN, String::new()));
        }
        self.guesses.learn(hook, &place, clock).into_iter().chain(from).min()
    }

    /// The session's own team: the first that was named, else the first that was requested.
    pub(super) fn team(&self) -> Option<&str> {
        self.team.as_ref().or(self.requested_team.as_ref()).map(|(_, name)| name.as_str())
    }

    /// The teammate whose own session this is. `None` for a leader's session and for one without a team.
    pub(super) fn own(&self) -> Option<&str> {
        let (_, name) = self.own.as_ref()?;
        // A leader that is of a type itself names the agents that it made.
        let made = self.calls.values().any(|call| call.makes_mate() && call.name.as_ref() == Some(name));
        // A session in which several agents name themselves belongs to none of them.
        let others =
            || self.natives.values().any(|native| native.name.as_ref().is_some_and(|(_, other)| other != name));
        (!made && !others()).then_some(name.as_str())
    }

    /// The team in which a call makes an agent.
    fn team_of<'a>(&'a self, team: TeamName<'a>, call: &'a AgentCall) -> TeamName<'a> {
        let answered = call.mate.as_ref().map(|(_, name)| name.as_str()).filter(|name| !name.is_empty());
        let requested = || call.team.as_deref().filter(|_| self.team.is_none());
        answered.or_else(requested).map_or(team, |name| team.or_named(name))
    }

    /// The call that made an agent.
    pub(super) fn call_of(&self, native: &str) -> Option<(&str, &AgentCall)> {
        let id = self.calls_of.get(native)?;
        Some((id, self.calls.get(id)?))
    }

    /// The agent that a call made.
    pub(super) fn made_by(&self, call: &str) -> Option<&str> {
        self.made_by.get(call).map(String::as_str)
    }

    /// An agent with a native id.
    pub(super) fn native(&self, team: TeamName<'_>, id: &str) -> Who {
        let call = self.call_of(id).map(|(_, call)| call);
        let known = self.natives.get(id);
        if let Some((_, name)) = known.and_then(|native| native.name.as_ref()) {
            let own = known.and_then(|native| native.team.as_ref()).map(|(_, team)| team.as_str());
            let mate = own.is_some() || call.is_some_and(AgentCall::makes_mate);
            let team = own.map_or(team, |name| team.or_named(name));
            let party = if mate { TeamRole::Teammate } else { TeamRole::Subagent };
            return team.named(name, party, (name != id).then_some(id));
        }
        let team = call.map_or(team, |call| self.team_of(team, call));
        match call.and_then(|call| call.name.as_deref()) {
            Some(name) => {
                let mate = call.is_some_and(AgentCall::makes_mate);
                team.named(name, if mate { TeamRole::Teammate } else { TeamRole::Subagent }, Some(id))
            }
            None => {
                let own = known.and_then(|native| native.kind.as_ref()).map(|(_, kind)| kind.as_str());
                team.unnamed(own.or_else(|| call.and_then(|call| call.kind.as_deref())), id)
            }
        }
    }

    /// The agent that a call is about to make, as far as it is known.
    pub(super) fn target(&self, team: TeamName<'_>, call: &str) -> Option<Who> {
        if let Some(native) = self.made_by(call) {
            return Some(self.native(team, native));
        }
        let call = self.calls.get(call)?;
        let team = self.team_of(team, call);
        let party = if call.makes_mate() { TeamRole::Teammate } else { TeamRole::Subagent };
        let name = call.name.as_deref().or(call.kind.as_deref()).unwrap_or(DEFAULT_TYPE);
        Some(team.named(name, party, None))
    }

    /// The agent that a name means at a place: one made before it, else a teammate.
    pub(super) fn called(&self, team: TeamName<'_>, name: &str, at: &HookOrderKey) -> Who {
        let (name, team) = match name.split_once('@') {
            Some((name, of)) if !name.is_empty() && !of.is_empty() => (name, team.or_named(of)),
            _ => (name, team),
        };
        if is_leader(name) {
            return team.leader();
        }
        if self.natives.get(name).is_some_and(|native| native.first < *at) {
            return self.native(team, name);
        }
        let before = |call: &&AgentCall| call.place < *at && call.name.as_deref() == Some(name);
        match self.calls.iter().filter(|(_, call)| before(call)).max_by(|one, other| one.1.place.cmp(&other.1.place)) {
            Some((id, _)) => self.target(team, id).unwrap_or_else(|| team.named(name, TeamRole::Teammate, None)),
            None => team.named(name, TeamRole::Teammate, None),
        }
    }

    fn learn_team(&mut self, hook: &HookView<'_>, place: &HookOrderKey) {
        let named = |name: Option<&str>| name.map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned);
        let of_call = |name: Option<&str>| named(name).filter(|_| makes_agents(hook.tool()));
        if let Some(team_name) = named(hook.text("team_name")).or_else(|| of_call(hook.answer("team_name"))) {
            keep_first(&mut self.team, place, &team_name);
        }
        if let Some(requested) = of_call(hook.input("team_name")) {
            keep_first(&mut self.requested_team, place, &requested);
        }
    }

    /// A teammate in its own terminal has a session like a leader's. It is known as a teammate when it rests, or by
    /// the sender of its messages.
    fn learn_own(&mut self, hook: &HookView<'_>, place: &HookOrderKey) {
        if hook.text("agent_id").is_some() {
            return;
        }
        // A subagent in a session of its own names its parent session.
        let apart = hook.text("parent_session_id").is_some_and(|parent| parent != hook.session());
        if apart && let Some(name) = hook.agent() {
            keep_first(&mut self.own, place, name);
        }
        if hook.agent().is_some() {
            return;
        }
        let rests = hook.text("teammate_name").filter(|_| hook.text("agent_type").is_some());
        let sends = hook.answer("sender").filter(|_| hook.tool() == "SendMessage");
        let name = rests.or(sends).map(|name| name.trim_start_matches('@')).filter(|name| !is_leader(name));
        if let Some(name) = name {
            keep_first(&mut self.own, place, name);
        }
    }

    fn learn_call(&mut self, id: &str, hook: &HookView<'_>, place: &HookOrderKey) -> Option<HookOrderKey> {
        let before = self.calls.get(id).cloned();
        let call = self
            .calls
            .entry(id.to_owned())
            .or_insert_with(|| AgentCall { place: place.clone(), ..AgentCall::default() });
        if before.is_none() || *place < call.place {
            let text = |name: &str| hook.input(name).map(str::to_owned);
            call.place = place.clone();
            call.by = hook.agent().map(str::to_owned);
            (call.name, call.team, call.kind) = (text("name"), text("team_name"), text("subagent_type"));
            call.label = text("description");
        }
        match hook.name() {
            "PreToolUse" => call.before = earlier(call.before.take(), place.clone()),
            "PostToolUse" if !hook.answer_failed() => {
                if hook.inside("tool_response").is_some_and(|answer| answer.contains_key("teammate")) {
                    keep_first(&mut call.mate, place, hook.answer("team_name").unwrap_or_default());
                }
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
            && before.mate == call.mate
            && before.label == call.label
            && before.place == named
            && before.before == call.before
            && before.by == call.by;
        let child = self.made_by.get(id).and_then(|native| self.natives.get(native)).map(|native| native.first.clone());
        (!same).then(|| child.map_or(first.clone(), |child| child.min(first)))
    }

    /// Joins agents to the calls that made them: by the answers, then by order and type. Tells from where on names have
    /// changed. Asked once for all hooks that came together: it looks at every call and every agent of the session.
    pub(super) fn join(&mut self) -> Option<HookOrderKey> {
        if !std::mem::take(&mut self.unjoined) {
            return None;
        }
        let mut calls_of: BTreeMap<String, String> = BTreeMap::new();
        let mut made_by: HashMap<String, String> = HashMap::new();
        let mut calls: Vec<(&String, &AgentCall)> = self.calls.iter().collect();
        calls.sort_by(|one, other| one.1.place.cmp(&other.1.place));
        for (id, call) in &calls {
            // An agent that gets a message from another call was made by the first.
            if let Some((_, native)) = &call.answer
                && !calls_of.contains_key(native)
            {
                calls_of.insert(native.clone(), (*id).clone());
                made_by.insert((*id).clone(), native.clone());
            }
        }
        // Those that a start may still be joined to: a session may have made hundreds of agents.
        let mates: Vec<(&String, &AgentCall)> = calls.iter().copied().filter(|(_, call)| call.makes_mate()).collect();
        let mut open: Vec<(&String, &AgentCall)> =
            calls.into_iter().filter(|(_, call)| call.answer.is_none()).collect();
        let mut starts: Vec<(&HookOrderKey, &String, &Native)> =
            self.natives.iter().filter_map(|(id, native)| Some((native.started.as_ref()?, id, native))).collect();
        starts.sort_unstable_by(|one, other| one.0.cmp(other.0));
        for (started, id, native) in starts {
            if calls_of.contains_key(id) {
                continue;
            }
            let kind = native.kind.as_ref().map(|(_, kind)| kind.as_str());
            // A teammate has its name for its type, and a new id when it is called back.
            let is_mate = |(_, call): &&(&String, &AgentCall)| call.name.as_deref() == kind && call.place < *started;
            if let Some((call, _)) = mates.iter().rfind(is_mate) {
                calls_of.insert(id.clone(), (*call).clone());
                made_by.entry((*call).clone()).or_insert_with(|| id.clone());
                open.retain(|(other, _)| other != call);
                continue;
            }
            let fits = |(_, call): &(&String, &AgentCall)| {
                call.before.as_ref().is_some_and(|before| before < started)
                    && call.failed.as_ref().is_none_or(|failed| failed > started)
                    && (kind.is_none() || call.kind.is_none() || call.kind.as_deref() == kind)
            };
            if let Some(at) = open.iter().position(fits) {
                let (call, _) = open.remove(at);
                calls_of.insert(id.clone(), call.clone());
                made_by.insert(call.clone(), id.clone());
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
}
