//! Row of an archived transcript: name, reason, time and link.

use coordination::api::ArchiveRow;
use coordination::ids::AgentId;
use coordination::store::{ArchiveCause, ArchiveReason};
use coordination::text::hidden;
use leptos::prelude::*;

use super::hidden::Name;
use super::people::PeopleNames;
use super::stored::key_name;
use super::time_ago::TimeAgo;
use crate::i18n::use_i18n;
use crate::routes::{StoreView, paths};
use crate::ui::Icon;

/// Characters of a shortened id.
const SHORT_ID_CHARS: usize = 8;

/// The beginning of a session's id.
pub fn short_id(session: &str) -> String {
    hidden::marked(session.get(..SHORT_ID_CHARS).unwrap_or(session)).into_owned()
}

/// Name by key, or by agent and session id where the key is unknown. Reactive.
pub fn archive_name(key: Option<&str>, (agent, session): (&AgentId, &str), people: PeopleNames) -> String {
    match key.filter(|key| !key.is_empty()) {
        Some(key) => key_name(key, people),
        None => format!("{} · {}", people.name(agent), short_id(session)),
    }
}

/// Why it was archived, and what it continues in where a store records that.
#[component]
pub fn ArchiveMark(reason: ArchiveReason, cause: Option<ArchiveCause>) -> impl IntoView {
    let words = use_i18n();
    let because = move || {
        let cause_text = cause.as_ref().and_then(|cause| (words.get().stores().archive_cause)(cause));
        cause_text.map(|cause_text| view! { <span class="is-dim">{hidden::marked(&format!("· {cause_text}")).into_owned()}</span> })
    };
    view! {
        <span class="store-kind">
            {Icon::Archive} <span>{move || (words.get().stores().archive_reason)(reason)}</span> {because}
        </span>
    }
}

/// One of a list: its name, why and when it was archived, and its file.
#[component]
pub fn ArchiveLine(
    row: ArchiveRow,
    /// What distinguishes it from the others of the list.
    #[prop(into)]
    called: Signal<String>,
    /// The line that is looked for in it.
    #[prop(into)]
    at: Signal<Option<String>>,
) -> impl IntoView {
    let ArchiveRow { agent_id, session_id, reason, cause, at: archived_at, name, .. } = row;
    let event = format!("archive {agent_id} {session_id} {name}");
    let file = (!name.is_empty()).then(|| view! { <code class="file-path"><Name text=name /></code> });
    let href = move || {
        let view = StoreView { at: at.get(), ..StoreView::default() };
        paths::archive_as(&agent_id, &session_id, &view)
    };
    view! {
        <li class="archive-row" data-event=event tabindex="-1">
            <a class="link" href=href data-open="">
                {called}
            </a>
            <ArchiveMark reason=reason cause=cause />
            <TimeAgo at=archived_at.unwrap_or_default() />
            {file}
        </li>
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ids with multi-byte characters are never cut within a character.
    #[test]
    fn archived_id_is_shortened_to_prefix() {
        assert_eq!(short_id("3c9a7697-63fb-4f04"), "3c9a7697");
        assert_eq!(short_id("s1"), "s1");
        assert_eq!(short_id("세션-이름"), "세션-이름", "no character is cut");
    }
}
