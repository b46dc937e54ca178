//! English texts of the dialog that sends messages to agents.

use coordination::api::{Delivered, ErrorCode, SpeakState};

use crate::i18n::messages::SpeakMessages;

pub(in crate::i18n) static SPEAK: SpeakMessages = SpeakMessages {
    act: "Send a message",
    act_to: |name| format!("Send {name} a message"),
    intervene: "Step in",
    title: "Send an agent a message",
    off_hint: "Sending messages to agents is off.",
    off_how: "How to switch it on",
    off_title: "Sending messages is off",
    off_why: "It is on once the monitor knows the gateway's address and token. The token stays in the monitor and never comes to the browser.",
    monitor_settings: "Settings of the monitor",
    monitor_settings_why: "The address of the gateway on this machine, and a file that holds nothing but its token (gateway.auth.token). The environment may say the same: TASK_MONITOR_GATEWAY_URL, TASK_MONITOR_GATEWAY_TOKEN.",
    gateway_settings: "Settings of the gateway (openclaw.json)",
    gateway_settings_why: "Sending over HTTP, and speaking to other agents, is barred at first. Add this and restart the gateway. Where tools.agentToAgent.allow is set, it must name the agent too.",
    copy_settings: "Copy the settings",
    to: "To",
    text: "Message",
    text_hint: "For example: check staging first, please",
    too_long: |over| {
        if over == 1 { "1 character too long.".to_owned() } else { format!("{over} characters too long.") }
    },
    wait: |secs| format!("Wait up to {secs} seconds for the answer"),
    name: "Your name (optional)",
    name_hint: "Kept on the record",
    check: "Check before sending",
    sure: |name| format!("This goes to {name}"),
    sure_why: "It cannot be taken back. It is marked as sent by a person, and the agent may start to work at once.",
    edit: "Edit",
    send: "Send",
    sending: "Sending",
    sending_wait: |secs| format!("Waiting up to {secs} seconds for the answer."),
    sending_close: "You may close this. Sending continues, and you will see the result.",
    state: |state| match state {
        SpeakState::Off => "Not sent: sending messages is off",
        SpeakState::Accepted => "Sent",
        SpeakState::Answered => "Answered",
        SpeakState::TimedOut => "Sent, and not answered yet",
        SpeakState::NoReply => "Sent, and the agent chose not to answer",
        SpeakState::Failed => "The agent's run failed",
        SpeakState::Forbidden => "This agent may not be spoken to",
        SpeakState::NotAllowed => "The gateway does not let messages be sent",
        SpeakState::NoSession => "The gateway has no such session",
        SpeakState::Refused => "The gateway did not accept the request",
        SpeakState::Unauthorized => "The gateway does not accept the token",
        SpeakState::TooMany => "No more messages can be sent for now",
        SpeakState::Draining => "The gateway is about to stop or restart",
        SpeakState::Unreachable => "The gateway could not be reached",
        SpeakState::NotGateway => "What answers at that address is no gateway",
        SpeakState::Uncertain | SpeakState::Unknown => "It is not known whether it was sent",
    },
    why: |state| match state {
        SpeakState::Off => "The monitor's settings have changed meanwhile.",
        SpeakState::Accepted => "Nobody waited for the answer. When it comes, it shows in the conversation.",
        SpeakState::Answered => "",
        SpeakState::TimedOut => {
            "The agent is still at it. There is no need to send again: the answer shows in the conversation."
        }
        SpeakState::NoReply => "The agent has read the message and said that it has nothing to answer.",
        SpeakState::Failed => "The model or a tool failed. Look at the conversation before you send again.",
        SpeakState::Forbidden => "The gateway's rules of tools.agentToAgent do not allow it. See the settings below.",
        SpeakState::NotAllowed => "The tool sessions_send is barred over HTTP. The settings below allow it.",
        SpeakState::NoSession => "The session was removed, or was never made.",
        SpeakState::Refused => "The form of the request does not fit this gateway.",
        SpeakState::Unauthorized => "See whether the monitor's token is the gateway's gateway.auth.token.",
        SpeakState::TooMany => "Send it again in a while.",
        SpeakState::Draining => "Send it again once it is back.",
        SpeakState::Unreachable => "See whether the gateway runs, and whether the monitor has its right address.",
        SpeakState::NotGateway => "See whether the monitor has the right address and port.",
        SpeakState::Uncertain | SpeakState::Unknown => {
            "The link was lost on the way, or the answer could not be read. It may have been delivered: look at the conversation before you send again."
        }
    },
    delivered: |delivered| match delivered {
        Delivered::Yes => "delivered to the agent",
        Delivered::No => "not delivered",
        Delivered::Unknown => "may have been delivered",
    },
    reply_of: |name| format!("Answer of {name}"),
    reply_cut: "Only part of the answer arrived. The session's transcript has all of it.",
    detail: "Details",
    retry_after: |secs| {
        if secs == 1 { "It asks to wait 1 second.".to_owned() } else { format!("It asks to wait {secs} seconds.") }
    },
    unrecorded: "This outcome could not be written into the record. See the monitor's log.",
    lost: "The monitor did not answer",
    lost_why: "It is not known whether it was sent. “Check the result” asks for the outcome of this very request: if it was sent, you see how it went; if not, it is sent this once.",
    ask_again: "Check the result",
    refused: "The monitor did not send it",
    refusal: |code| match code {
        ErrorCode::NotCommitted => Some(
            "It was not sent, because the record of messages cannot be kept. See the monitor's disk and its folder logs.",
        ),
        ErrorCode::InvalidValue => Some("It cannot be sent to this agent, or with this text."),
        _ => None,
    },
    copy_text: "Copy the message",
    another: "Write another message",
};
