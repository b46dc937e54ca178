//! Message struct of the dialog that sends messages to agents: one field per text. Each language is a value of it.

use coordination::api::{Delivered, ErrorCode, SpeakState};

/// Messages of speaking to agents.
pub struct SpeakMessages {
    /// The button of an agent and of a session.
    pub act: &'static str,
    pub act_to: fn(name: &str) -> String,
    /// The button of a thread.
    pub intervene: &'static str,
    pub title: &'static str,
    /// Where it is off: the way to what would switch it on.
    pub off_hint: &'static str,
    pub off_how: &'static str,
    pub off_title: &'static str,
    pub off_why: &'static str,
    pub monitor_settings: &'static str,
    pub monitor_settings_why: &'static str,
    pub gateway_settings: &'static str,
    pub gateway_settings_why: &'static str,
    pub copy_settings: &'static str,
    pub to: &'static str,
    pub text: &'static str,
    pub text_hint: &'static str,
    pub too_long: fn(over: usize) -> String,
    pub wait: fn(secs: u32) -> String,
    pub name: &'static str,
    pub name_hint: &'static str,
    pub check: &'static str,
    pub sure: fn(name: &str) -> String,
    pub sure_why: &'static str,
    pub edit: &'static str,
    pub send: &'static str,
    pub sending: &'static str,
    pub sending_wait: fn(secs: u32) -> String,
    pub sending_close: &'static str,
    pub state: fn(SpeakState) -> &'static str,
    pub why: fn(SpeakState) -> &'static str,
    pub delivered: fn(Delivered) -> &'static str,
    pub reply_of: fn(name: &str) -> String,
    pub reply_cut: &'static str,
    pub detail: &'static str,
    pub retry_after: fn(secs: u32) -> String,
    pub unrecorded: &'static str,
    /// No answer of the monitor itself.
    pub lost: &'static str,
    pub lost_why: &'static str,
    pub ask_again: &'static str,
    /// The monitor refused and gave a reason.
    pub refused: &'static str,
    /// Why, where that means something else here than elsewhere.
    pub refusal: fn(ErrorCode) -> Option<&'static str>,
    pub copy_text: &'static str,
    pub another: &'static str,
}
