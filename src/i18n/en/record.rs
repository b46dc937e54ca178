//! English texts of the page of category changes.

use crate::i18n::messages::RecordMessages;

pub(in crate::i18n) static RECORD: RecordMessages = RecordMessages {
    title: "Change record",
    subtitle: "Who changed which category, when and why",
    count: |n| if n == 1 { "1 change".to_owned() } else { format!("{n} changes") },
    find: "Title or id of a session",
    anyone: "Changed by",
    from: "Category before",
    to: "Category after",
    since: "From",
    until: "To",
    export: |format| format!("Download as {format}"),
    saved: |n| if n == 1 { "1 change downloaded".to_owned() } else { format!("{n} changes downloaded") },
    save_failed: "The record was not downloaded",
    columns: ["Time", "Session", "Title", "Before", "After", "Changed by", "Reason", "Change", "Takes back", "Origin"],
    event_missing: "not in the log",
    here_of: |here, all| format!("{here} of {all} changes."),
    bad_lines: |n| {
        let lines = if n == 1 { "1 line".to_owned() } else { format!("{n} lines") };
        format!("{lines} of the record could not be read and are missing below.")
    },
    empty: ("No category was changed yet", "Changes made by hand appear here: who, when and why."),
    none_match: ("No change fits", "Without filters they are all here."),
    unreadable: "The change record cannot be read",
    unreadable_why: "Its file is there but cannot be opened. That does not mean that nothing was changed.",
    unsupported: "This monitor keeps no record of changes",
    unsupported_why: "A newer monitor keeps one from its start on.",
    open: "Change record",
    open_all: "All changes",
};
