//! Extraction of the visible text of a message (`contract/sessions.md` §4). What OpenClaw added is removed: metadata,
//! sender and time in brackets, and `[[directives]]`. A text that is only a control token, such as `NO_REPLY`, is not
//! shown. Private data in titles and previews is masked by another module ([`super::mask`]).

use super::{MessageRole, envelope};
use message_text as text;

/// The whole text is a token that says nothing, such as `NO_REPLY`.
#[must_use]
pub fn is_silent(text: &str) -> bool {
    text::is_control_token(text)
}

/// The text without what the program wrapped around it: metadata, notes about the sender, the envelope, names of
/// messages. Directives and tokens are still in it.
#[must_use]
pub fn stored(text: &str, role: MessageRole) -> String {
    if role != MessageRole::User {
        return text.to_owned();
    }
    let text = envelope::without_metadata(text);
    let text = envelope::without_session_note(&text);
    envelope::without_message_ids(envelope::without_envelope(text))
}

/// The text as it is shown; nothing when there is nothing to show.
#[must_use]
pub fn shown(text: &str, role: MessageRole) -> Option<String> {
    let text = stored(text, role);
    let task = (role == MessageRole::User).then(|| envelope::subagent_task(&text)).flatten();
    let text = text::strip_directives(task.unwrap_or(&text));
    let text = text.trim();
    (!text.is_empty() && !is_silent(text)).then(|| text.to_owned())
}
