//! Types of `GET` and `POST /api/v2/speak`: a message to an agent through OpenClaw's gateway, and its result
//! (`contract/sessions.md` §8.2).

use serde::{Deserialize, Serialize};

use super::strict;

/// Longest message, in characters, as the existing hub has it (`contract/monitor-api.md` §10).
pub const MAX_MESSAGE_CHARS: usize = 10_000;
/// Longest wait for an answer, in seconds.
pub const MAX_SPEAK_SECONDS: u32 = 60;
/// Default wait for an answer, in seconds.
pub const SPEAK_SECONDS: u32 = 30;

/// `GET /api/v2/speak`: whether messages can be sent to agents.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SpeakInfo {
    /// Gateway and token are configured in the monitor. Whether they are right shows only when something is sent.
    pub on: bool,
    /// The session as which messages are sent; absent where they are not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
}

/// `POST /api/v2/speak`: one message.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SpeakRequest {
    /// To whom: an agent's id, which means its main session, or a session key `agent:<id>:…`.
    #[cfg_attr(
        feature = "openapi",
        schema(
            pattern = "^([a-z0-9][a-z0-9_-]{0,63}|agent:[a-z0-9][a-z0-9_-]{0,63}:[!-9;-~]{1,100}(:[!-9;-~]{1,20}){0,4})$"
        )
    )]
    pub to: String,
    /// The message, without the mark of a human intervention: the monitor adds it. Characters that
    /// control a terminal become blanks.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 10000, pattern = r"[^\s\x00-\x1f\x7f-\x9f]"))]
    pub text: String,
    /// The conversation it belongs to. Gateways with conversations store it there; others ignore it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 200))]
    pub conversation: Option<String>,
    /// The work session it belongs to, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 200))]
    pub work_session: Option<String>,
    /// How long the gateway waits for the answer, in seconds, default 30; 0 does not wait.
    #[serde(default, deserialize_with = "strict::optional_whole_number", skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 60))]
    pub timeout_seconds: Option<u32>,
    /// Idempotency key of this message, chosen by the client. A repeated key gets the first answer; nothing is sent
    /// twice.
    #[cfg_attr(feature = "openapi", schema(pattern = "^[A-Za-z0-9_-]{8,64}$"))]
    pub request_id: String,
    /// Who speaks, for the record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 200))]
    pub updated_by: Option<String>,
}

/// What became of a message.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct SpeakAnswer {
    /// How it went.
    pub state: SpeakState,
    /// Whether the agent has got it.
    pub delivered: Delivered,
    /// The session that received it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session_key: Option<String>,
    /// The gateway's run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run_id: Option<String>,
    /// What the agent answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
    /// The answer was longer: all of it is in the transcript.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub reply_cut: bool,
    /// Error text of the gateway or the system, for debugging.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// Seconds after which the gateway accepts the next request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after: Option<u32>,
    /// This is the answer of an earlier request of the same name; nothing was sent this time.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeated: bool,
    /// The result could not be written to the record; the record holds the attempt.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unrecorded: bool,
}

/// How a message went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum SpeakState {
    /// Not sent: no gateway is configured.
    Off,
    /// Accepted; no answer was waited for.
    Accepted,
    /// Answered in time.
    Answered,
    /// Not answered in time; the agent's run continues.
    TimedOut,
    /// The agent had nothing to say.
    NoReply,
    /// The agent's run failed, or the gateway did.
    Failed,
    /// The gateway's rules forbid to speak to this agent.
    Forbidden,
    /// The gateway does not let messages be sent over HTTP.
    NotAllowed,
    /// The gateway knows no such session.
    NoSession,
    /// The gateway did not accept the request.
    Refused,
    /// The gateway does not accept the token.
    Unauthorized,
    /// The gateway is asked too often, or too many messages wait already.
    TooMany,
    /// The gateway is about to stop or restart.
    Draining,
    /// Nobody answers at the gateway's address.
    Unreachable,
    /// Who answers there is no gateway.
    NotGateway,
    /// It was sent, and no answer came that can be read.
    Uncertain,
    /// A state this build does not know.
    #[default]
    #[serde(other)]
    Unknown,
}

/// Whether an agent has got a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum Delivered {
    /// It has.
    Yes,
    /// It has not.
    No,
    /// Nobody knows.
    #[default]
    #[serde(other)]
    Unknown,
}
