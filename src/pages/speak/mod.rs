//! Dialog that sends a message to an agent, and the state of the message. The user writes the message, reviews it and
//! sends it once; then the dialog shows the result. A failed attempt does not lose the text.

mod dialog;
mod offer;
mod outcome;
mod write;

pub(super) use offer::{SpeakButton, SpeakHint};

use std::collections::BTreeMap;

use coordination::api::{Delivered, ErrorCode, SPEAK_SECONDS, SpeakAnswer, SpeakInfo, SpeakRequest};
use coordination::gateway_message;
use coordination::ids::{AgentId, SessionId};
use coordination::session_key::KeyRules;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::components::people::{PeopleNames, use_people};
use crate::i18n::messages::Messages;
use crate::i18n::{I18n, use_i18n};
use crate::queries::{Fetch, FetchOptions, use_fetch};
use crate::source::SourceError;
use crate::state::{HubState, Preferences, use_hub, use_preferences};
use crate::ui::toast::{Toasts, use_toasts};

pub(super) use dialog::SpeakDialog;

/// Recipient and context of a message.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) struct SpeakTarget {
    /// Those one may choose from.
    pub(super) agents: Vec<AgentId>,
    /// The conversation that is stepped into.
    pub(super) conversation: Option<String>,
    /// The work session.
    pub(super) session: Option<SessionId>,
    /// Key of the agent's session that receives the message; else it is the main one.
    pub(super) key: Option<String>,
}

impl SpeakTarget {
    /// One agent, about nothing in particular.
    pub(super) fn agent(id: AgentId) -> Self {
        Self { agents: vec![id], ..Self::default() }
    }

    /// One session of an agent's own, by its key. None where that names no agent, and for the session as which messages
    /// are sent: nobody works in it.
    pub(super) fn stored(key: &str, agent: AgentId) -> Option<Self> {
        let named = gateway_message::target(key, &KeyRules::default()).is_some_and(|target| target == key);
        let ours = key.rsplit_once(':').is_some_and(|(_, end)| end == gateway_message::CALLER_KEY_PART);
        (named && !ours).then(|| Self { key: Some(key.to_owned()), ..Self::agent(agent) })
    }

    /// Some agents of a session; an agent without a name cannot receive messages. None without any.
    pub(super) fn of_session<'a>(
        session: &SessionId,
        synthetic: bool,
        agents: impl IntoIterator<Item = &'a AgentId>,
        conversation: Option<String>,
    ) -> Option<Self> {
        let mut named: Vec<AgentId> = Vec::new();
        for agent in agents {
            if !matches!(agent.as_str(), "" | "unknown") && !named.contains(agent) {
                named.push(agent.clone());
            }
        }
        // The gateway does not know a synthetic session.
        let session = (!synthetic).then(|| session.clone());
        (!named.is_empty()).then_some(Self { agents: named, conversation, session, key: None })
    }
}

/// State of a message.
#[derive(Debug, Clone, PartialEq)]
enum SendStage {
    /// It is written.
    Write,
    /// It is looked at once more.
    Check,
    /// It is on its way.
    Sending,
    /// What became of it, or why nobody knows.
    Answered(Result<SpeakAnswer, SourceError>),
}

/// What is written for one target.
#[derive(Debug, Clone, PartialEq)]
struct MessageDraft {
    text: String,
    to: AgentId,
    stage: SendStage,
    /// Names the message once it is looked at; a changed one gets another name.
    request: Option<SpeakRequest>,
}

/// What a page needs to speak.
#[derive(Clone, Copy)]
pub(super) struct SpeakTools {
    info: Fetch<SpeakInfo>,
    /// The dialog shows.
    open: RwSignal<bool>,
    target: RwSignal<SpeakTarget>,
    draft: RwSignal<MessageDraft>,
    /// What was written for other targets of this page.
    others: StoredValue<BTreeMap<SpeakTarget, MessageDraft>>,
    wait: RwSignal<bool>,
    hub: HubState,
    words: I18n,
    people: PeopleNames,
    toasts: Toasts,
    preferences: Preferences,
}

/// Asks whether messages can be sent to agents, and provides the tools to the page below.
pub(super) fn provide_speak() -> SpeakTools {
    let options = FetchOptions::ignore_live_changes();
    let info = use_fetch(|| (), options, |source, ()| async move { source.speak_info().await });
    let tools = SpeakTools {
        info,
        open: RwSignal::new(false),
        target: RwSignal::new(SpeakTarget::default()),
        draft: RwSignal::new(MessageDraft::new(&SpeakTarget::default())),
        others: StoredValue::new(BTreeMap::new()),
        wait: RwSignal::new(true),
        hub: use_hub(),
        words: use_i18n(),
        people: use_people(),
        toasts: use_toasts(),
        preferences: use_preferences(),
    };
    provide_context(tools);
    tools
}

impl MessageDraft {
    fn new(target: &SpeakTarget) -> Self {
        let to = target.agents.last().cloned().unwrap_or_default();
        Self { text: String::new(), to, stage: SendStage::Write, request: None }
    }
}

impl SpeakTools {
    /// Messages can be sent to agents. Reactive.
    pub(super) fn is_on(self) -> bool {
        self.info.data.with(|info| info.as_ref().is_some_and(|info| info.on))
    }

    /// They could be, with other settings. Reactive.
    fn is_off(self) -> bool {
        self.info.data.with(|info| info.as_ref().is_some_and(|info| !info.on))
    }

    /// Opens the dialog for a target, with what was written for it before.
    pub(super) fn begin(self, target: SpeakTarget) {
        let before = self.target.get_untracked();
        if before != target {
            let previous = self.draft.get_untracked();
            self.others.update_value(|others| drop(others.insert(before, previous)));
            let own = self.others.try_update_value(|others| others.remove(&target)).flatten();
            self.draft.set(own.unwrap_or_else(|| MessageDraft::new(&target)));
            self.target.set(target);
        }
        self.open.set(true);
    }

    /// Closes it. A finished message is discarded; a draft, or a pending message, stays.
    fn close(self) {
        self.open.set(false);
        self.draft.update(|draft| match &draft.stage {
            SendStage::Answered(Ok(SpeakAnswer { delivered: Delivered::Yes, .. })) => {
                draft.text.clear();
                draft.reset();
            }
            SendStage::Answered(Ok(_)) | SendStage::Check => draft.reset(),
            SendStage::Answered(Err(_)) | SendStage::Write | SendStage::Sending => {}
        });
    }

    /// Names the message that is written and shows it once more.
    fn check(self) {
        let SpeakTarget { conversation, session, key, .. } = self.target.get_untracked();
        let wait = self.wait.get_untracked();
        let by = self.preferences.name.get_untracked();
        self.draft.update(|draft| {
            draft.request = Some(SpeakRequest {
                to: key.unwrap_or_else(|| draft.to.to_string()),
                text: draft.text.trim().to_owned(),
                conversation,
                work_session: session.map(String::from),
                timeout_seconds: Some(if wait { SPEAK_SECONDS } else { 0 }),
                request_id: fresh_name(),
                updated_by: Some(by.trim().to_owned()).filter(|by| !by.is_empty()),
            });
            draft.stage = SendStage::Check;
        });
    }

    /// Sends the reviewed message, or queries its result: the request id makes these one. A second press finds it sent.
    fn send(self) {
        let (target, draft) = (self.target.get_untracked(), self.draft.get_untracked());
        let Some(request) = draft.request.filter(|_| draft.stage != SendStage::Sending) else { return };
        let Some(source) = self.hub.source.get_untracked() else { return };
        self.draft.update(|draft| draft.stage = SendStage::Sending);
        spawn_local(async move {
            let answer = source.speak(&request).await;
            self.finish(&target, &request, answer);
        });
    }

    /// The result goes to the draft it was sent from, whose dialog or page may be closed by then.
    fn finish(self, target: &SpeakTarget, request: &SpeakRequest, answer: Result<SpeakAnswer, SourceError>) {
        let mine = |draft: &MessageDraft| draft.request.as_ref().is_some_and(|it| it.request_id == request.request_id);
        let open = self.open.try_get_untracked().unwrap_or_default();
        let shown = self.target.try_with_untracked(|now| now == target).unwrap_or_default();
        let stage = SendStage::Answered(answer.clone());
        if shown {
            self.draft.try_update(|draft| {
                if mine(draft) {
                    draft.stage = stage;
                }
            });
        } else {
            self.others.try_update_value(|others| {
                if let Some(draft) = others.get_mut(target).filter(|draft| mine(draft)) {
                    draft.stage = stage;
                }
            });
        }
        if !(open && shown) {
            self.toast_result(&answer);
        }
    }

    fn toast_result(self, answer: &Result<SpeakAnswer, SourceError>) {
        let words = self.words.now();
        match answer {
            Ok(answer) => {
                let text = (words.speak().state)(answer.state);
                match answer.delivered {
                    Delivered::Yes => self.toasts.done(text),
                    _ => self.toasts.failed(text),
                }
            }
            Err(error) if may_be_sent(error) => self.toasts.failed(words.speak().lost),
            Err(error) => self.toasts.failed(format!("{}. {}", words.speak().refused, refusal(error, words))),
        }
    }
}

impl MessageDraft {
    /// Back to writing; the next look gives it another name.
    fn reset(&mut self) {
        self.stage = SendStage::Write;
        self.request = None;
    }
}

/// The monitor may have sent it: no answer of it came, or it failed in a way of which nothing is known.
fn may_be_sent(error: &SourceError) -> bool {
    match error {
        SourceError::Network | SourceError::Decode => true,
        SourceError::Unsupported => false,
        SourceError::Api { body, .. } => matches!(body.code, ErrorCode::Internal | ErrorCode::Unknown),
    }
}

/// Why the monitor did not send it.
fn refusal(error: &SourceError, words: &Messages) -> String {
    let own = match error {
        SourceError::Api { body, .. } => (words.speak().refusal)(body.code),
        _ => None,
    };
    own.map_or_else(|| error.sentence(words), str::to_owned)
}

/// A name that nobody else has.
fn fresh_name() -> String {
    let part = || (js_sys::Math::random() * f64::from(u32::MAX)) as u32;
    format!("page-{:x}-{:08x}{:08x}{:08x}", js_sys::Date::now() as u64, part(), part(), part())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_excludes_unnamed_agents_and_own_session() {
        let ids: Vec<AgentId> = ["eden", "unknown", "seum", "eden", ""].map(AgentId::from).into();
        let session = SessionId::from("ws_1");
        let target = SpeakTarget::of_session(&session, false, &ids, Some("c1".to_owned())).unwrap();
        assert_eq!(target.agents, ["eden", "seum"].map(AgentId::from));
        assert_eq!(target.session, Some(session.clone()));
        assert_eq!(SpeakTarget::of_session(&session, true, &ids, None).unwrap().session, None);
        assert_eq!(SpeakTarget::of_session(&session, false, &ids[1..2], None), None);
    }

    /// Only a key that names an agent can receive messages.
    #[test]
    fn stored_session_target_uses_its_key() {
        let target = SpeakTarget::stored("agent:seum:discord:channel:42", "seum".into()).unwrap();
        assert_eq!(target.key.as_deref(), Some("agent:seum:discord:channel:42"));
        assert_eq!(target.agents, [AgentId::from("seum")]);
        for key in
            ["global", "unknown", "agent:seum", "agent::main", "agent:seum:", "seum", "cron:7", "agent:seum:task-hub"]
        {
            assert_eq!(SpeakTarget::stored(key, "seum".into()), None, "{key}");
        }
    }
}
