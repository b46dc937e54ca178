//! Message text of an event: the displayed text, its intent, and whether it reports a missing answer
//! (`contract/events.md` §5.1, §6, §7).

use super::{Event, Field};
use message_text::{
    clean, is_machinery, is_missing_word, is_no_answer, is_over_limit, outcome, reason_class, token_intent, waited_secs,
};
use protocol::delivery::{DeliveryState, ReasonClass};

/// Units at which the writer cuts a send's message, from E4 on (`contract/events.md` §2, §5.1).
const MESSAGE_CUT: usize = 4000;
/// Units at which it cuts every preview, and messages before E4, of spawns and of routed mentions.
const PREVIEW_CUT: usize = 200;

/// Why a send has no answer, as far as its own event states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnansweredSend {
    /// [`DeliveryState::NoReply`] or [`DeliveryState::Blocked`].
    pub state: DeliveryState,
    /// Class of the reason.
    pub reason: ReasonClass,
    /// The reason as written; for display on demand only.
    pub detail: Option<String>,
    /// Seconds waited, if the text says so.
    pub waited_secs: Option<u32>,
}

impl Event {
    /// The text as the log has it: `message`, else `replyPreview`.
    #[must_use]
    pub fn written_text(&self) -> Option<&str> {
        self.message().or_else(|| self.reply_preview())
    }

    /// The text to show: [`Event::written_text`], cleaned. Nothing for texts that say a reply is missing, lone control
    /// tokens, bare result markers, `spawn accepted · run …` and empty texts. Markdown is kept.
    #[must_use]
    pub fn display_text(&self) -> Option<String> {
        if self.event_type() == "a2a.spawn_result" || self.missing_answer().is_some() {
            return None;
        }
        clean(self.written_text()?)
    }

    /// The log cut this event's text: it is exactly as long as the writer's limit.
    #[must_use]
    pub fn is_truncated(&self) -> bool {
        let Some(message) = self.message() else {
            return self.reply_preview().is_some_and(|preview| units(preview) == PREVIEW_CUT);
        };
        match self.event_type() {
            "a2a.response" => false,
            "a2a.send" if self.text(Field::EventRole).is_some() => units(message) == MESSAGE_CUT,
            _ => matches!(units(message), PREVIEW_CUT | MESSAGE_CUT),
        }
    }

    /// Purpose of a message: `messageIntent`, else the intent its tokens state (`contract/events.md` §7.1, §7.2).
    /// Informational.
    #[must_use]
    pub fn intent(&self) -> Option<&str> {
        self.message_intent().or_else(|| token_intent(self.written_text()?))
    }

    /// Reads a response that says there is no response. `data.outcome` decides, then the text, then the wait's own
    /// status.
    ///
    /// E4–E5 wrote `blocked` for a missing reply; only the concurrency limit is a refusal by the target.
    #[must_use]
    pub fn missing_answer(&self) -> Option<UnansweredSend> {
        if self.event_type() != "a2a.response" {
            return None;
        }
        let text = self.written_text().and_then(outcome);
        let word = self.outcome().map(str::to_lowercase).filter(|word| is_missing_word(word)).or_else(|| {
            let parsed = text.as_ref().filter(|parsed| is_missing_word(&parsed.word))?;
            let by_machine = parsed.word == "no_reply" || is_machinery(&parsed.text) || !parsed.text.contains('\n');
            by_machine.then(|| parsed.word.clone())
        });
        let wait_status = self.wait_status();
        let silent = word.is_none()
            && self.written_text().is_none()
            && (matches!(wait_status, Some("timeout" | "error" | "not_found" | "forbidden"))
                || self.wait_error().is_some());
        if word.is_none() && !silent {
            return None;
        }
        let no_answer = text.as_ref().is_some_and(|parsed| is_no_answer(&parsed.text));
        let refused_by_target = self.is_concurrency_block() && !no_answer && wait_status.is_none();
        let over_limit = refused_by_target
            || self.flag(Field::ConcurrencyBlocked) == Some(true)
            || text.as_ref().is_some_and(|parsed| is_over_limit(&parsed.text));
        let own_words = || text.as_ref().filter(|parsed| !is_machinery(&parsed.text)).map(|parsed| parsed.text.clone());
        let detail = text
            .as_ref()
            .and_then(|parsed| parsed.reason.clone())
            .or_else(|| self.wait_error().map(str::to_owned))
            .or_else(own_words)
            .filter(|detail| !detail.is_empty());
        let reason = if over_limit {
            ReasonClass::Concurrency
        } else {
            reason_class(word.as_deref().unwrap_or_default(), detail.as_deref(), wait_status)
        };
        let state = match word.as_deref() {
            _ if reason == ReasonClass::Policy => DeliveryState::Blocked,
            Some("blocked") if over_limit || !(no_answer || wait_status.is_some()) => DeliveryState::Blocked,
            _ => DeliveryState::NoReply,
        };
        let waited_secs = detail.as_deref().and_then(waited_secs);
        Some(UnansweredSend { state, reason, detail, waited_secs })
    }

    /// Whether a response only says that its speaker took the work: no answer is missing, and nothing has ended
    /// (`contract/event-schema-v1_1.md` §D.2).
    #[must_use]
    pub fn acknowledges(&self) -> bool {
        self.event_type() == "a2a.response" && self.outcome() == Some("acknowledged")
    }

    /// The text that tells what kind of work it belongs to; none for what machines write.
    #[must_use]
    pub fn subject_text(&self) -> Option<&str> {
        let fields = [Field::Message, Field::ReplyPreview, Field::Description, Field::Summary, Field::Title];
        let text = fields.into_iter().find_map(|field| self.text(field))?;
        let by_machine = text.starts_with('[') && (message_text::is_machine(text) || outcome(text).is_some());
        (!by_machine).then_some(text)
    }
}

fn units(text: &str) -> usize {
    // A text of fewer bytes than the limit cannot reach it: the common case, without counting.
    if text.len() < PREVIEW_CUT { text.len() } else { text.encode_utf16().count() }
}
