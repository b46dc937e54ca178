//! English texts of the tree of waiting agents.

use coordination::api::WaitKind;

use crate::i18n::messages::WaitTreeMessages;

pub(in crate::i18n) static WAITS: WaitTreeMessages = WaitTreeMessages {
    title: "Waiting agents",
    nobody: "No agent waits any more.",
    failed: "The waiting agents could not be loaded.",
    root: "Bottleneck",
    deadlock: "Deadlock",
    kind: |kind| match kind {
        WaitKind::Reply => "waits for an answer",
        WaitKind::NoReply => "got no answer",
        WaitKind::Refused => "request was refused",
        WaitKind::Task => "task is blocked",
        WaitKind::Unknown => "waits",
    },
    queue: |place| format!("number {place} in the queue"),
    times: |n| format!("{n} in all"),
    also: |names| format!("also waits for {names}"),
    elsewhere: |n| if n == 1 { "also waits for 1 other".to_owned() } else { format!("also waits for {n} others") },
    more: |n| format!("and {n} more"),
};
