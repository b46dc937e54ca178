//! Length limit of ids in log events. Every answer of the monitor contains ids, so an id of more than 256 bytes is
//! replaced by its beginning and a digest. Real programs write shorter ids.

use super::Field;
use message_text::beginning;
use protocol::digest::digest_hex;

/// Longer ids are shortened: ids are part of home and of every answer, and no program makes longer ones.
const MAX_ID_BYTES: usize = 256;
/// Letters of the digest of a shortened id.
const DIGEST_LETTERS: usize = 16;

/// Whether the field is an id by which events are assigned and that answers contain.
fn is_id(field: Field) -> bool {
    matches!(
        field,
        Field::AgentId
            | Field::FromAgent
            | Field::ToAgent
            | Field::SenderAgentId
            | Field::TargetAgentId
            | Field::ConversationId
            | Field::ParentConversationId
            | Field::WorkSessionId
            | Field::PreviousWorkSessionId
            | Field::TaskId
            | Field::RootTaskId
            | Field::RunId
            | Field::ParentRunId
            | Field::TargetSessionKey
            | Field::SourceSessionKey
            | Field::RequesterSessionKey
            | Field::SessionKey
            | Field::Assignee
            | Field::ChannelId
            | Field::MilestoneId
            | Field::PlanId
    )
}

/// Whether it has to be shortened.
pub(super) fn is_too_long(field: Field, text: &str) -> bool {
    text.len() > MAX_ID_BYTES && is_id(field)
}

/// The beginning of an id that is too long, and a digest of all of it: different ids stay different.
pub(super) fn shortened(id: &str) -> String {
    format!("{}…{}", beginning(id, MAX_ID_BYTES / 4), digest_hex(id, DIGEST_LETTERS))
}

/// True of what [`shortened`] makes.
pub(crate) fn is_shortened(id: &str) -> bool {
    let (head, digest) = id.rsplit_once('…').unwrap_or_default();
    digest.len() == DIGEST_LETTERS
        && head.len() + 4 > MAX_ID_BYTES / 4
        && digest.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::{is_shortened, shortened};

    #[test]
    fn long_ids_are_shortened_and_stay_apart() {
        for unit in ["a", "가", "😀"] {
            let (one, other) = (unit.repeat(400), unit.repeat(401));
            assert_ne!(shortened(&one), shortened(&other));
            assert!(shortened(&one).len() < 100 && is_shortened(&shortened(&one)));
            assert!(!is_shortened(&one) && !is_shortened(unit));
        }
    }
}
