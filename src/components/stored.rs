//! Display of a stored session of OpenClaw in lists and headings: icon and label of its kind, title, agent, token
//! count, and a badge for the status of the last run.

use coordination::api::StoreRow;
use coordination::ids::AgentId;
use coordination::session_key::{Classification, ToolKind};
use coordination::store::RunStatus;
use leptos::prelude::*;

use super::people::PeopleNames;
use crate::i18n::messages::Messages;
use crate::i18n::{I18n, number, time, use_i18n};
use crate::ui::badge::Badge;
use crate::ui::{Icon, Tone};

/// Icon of a kind.
pub fn kind_icon(kind: ToolKind, class: Option<Classification>) -> Icon {
    match (kind, class) {
        (ToolKind::Main, _) => Icon::Home,
        (ToolKind::Group, _) => Icon::Talk,
        (ToolKind::Cron, _) | (ToolKind::Other, Some(Classification::Cron)) => Icon::Clock,
        (ToolKind::Hook, _) => Icon::Link,
        (ToolKind::Node, _) => Icon::Live,
        (ToolKind::Other, Some(Classification::Subagent)) => Icon::Event,
        (ToolKind::Other, Some(Classification::Direct)) => Icon::Person,
        (ToolKind::Other, _) => Icon::Dash,
    }
}

/// Kind of a stored session as an icon and a word.
#[component]
pub fn StoreKindLabel(kind: ToolKind, class: Option<Classification>) -> impl IntoView {
    let words = use_i18n();
    view! {
        <span class="store-kind">
            {kind_icon(kind, class)}
            {move || (words.get().stores().face)(kind, class)}
        </span>
    }
}

/// Badge with the status of the last run.
#[component]
pub fn RunStatusBadge(status: RunStatus) -> impl IntoView {
    let words = use_i18n();
    let (tone, icon) = match status {
        RunStatus::Running => (Tone::Success, Icon::Running),
        RunStatus::Done => (Tone::Neutral, Icon::Ok),
        RunStatus::Failed => (Tone::Danger, Icon::Warn),
        RunStatus::Killed => (Tone::Warning, Icon::Close),
        RunStatus::Timeout => (Tone::Danger, Icon::Hourglass),
    };
    view! { <Badge tone=tone icon=icon text=Signal::derive(move || (words.get().stores().run)(status).to_owned()) /> }
}

/// What a row is called: the title, else a word. A title that is only the beginning of an id names nothing: the end of
/// the key does.
pub fn store_title(row: &StoreRow, words: &Messages) -> String {
    let known_title = row.label.as_ref().or(row.derived_title.as_ref()).or(row.display_name.as_ref());
    let id_only = |title: &str| {
        let begins = row.session_id.as_ref().and_then(|id| id.get(..8));
        begins.is_some_and(|begins| title.starts_with(begins))
    };
    match known_title.map(|title| title.trim()).filter(|title| !title.is_empty() && !id_only(title)) {
        Some(title) => title.to_owned(),
        None => key_end(&row.key).unwrap_or(words.stores().nameless).to_owned(),
    }
}

/// `discord:channel:42` of `agent:eden:discord:channel:42`.
fn key_end(key: &str) -> Option<&str> {
    let rest = key.strip_prefix("agent:").and_then(|rest| rest.split_once(':')).map_or(key, |(_, rest)| rest);
    (!rest.trim().is_empty()).then_some(rest)
}

/// The agent that a key names.
pub fn agent_of(key: &str) -> Option<AgentId> {
    let mut parts = key.split(':').filter(|part| !part.is_empty());
    (parts.next()?.eq_ignore_ascii_case("agent")).then_some(())?;
    let agent = parts.next().filter(|agent| !agent.trim().is_empty())?;
    Some(AgentId::from(agent.to_lowercase()))
}

/// What a session is called by its key alone: `이든 · main`. Reactive.
pub fn key_name(key: &str, people: PeopleNames) -> String {
    let end = key_end(key).unwrap_or(key);
    // Long ids are unreadable: the beginning is enough.
    let end: String = end
        .split(':')
        .map(|part| if part.len() > 20 { part.get(..8).unwrap_or(part) } else { part })
        .collect::<Vec<_>>()
        .join(":");
    let end = coordination::text::hidden::marked(&end).into_owned();
    agent_of(key).map_or_else(|| end.clone(), |agent| format!("{} · {end}", people.name(&agent)))
}

/// Tokens of the session, and the share of the model's context where both are known and current.
pub fn tokens(row: &StoreRow, words: I18n) -> Option<(String, Option<String>)> {
    let total = row.total_tokens.filter(|total| row.total_tokens_fresh && *total >= 0)?;
    let locale = words.locale();
    let share = row.context_tokens.filter(|size| *size > 0).map(|size| number::share(total as f64 / size as f64));
    Some((time::count(locale, u64::try_from(total).unwrap_or_default()), share))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Locale;

    fn row(key: &str) -> StoreRow {
        StoreRow { key: key.to_owned(), session_id: Some("05ebf582-f366".to_owned()), ..StoreRow::default() }
    }

    #[test]
    fn stored_session_title_prefers_known_name() {
        let words = Locale::Ko.messages();
        let named = StoreRow { derived_title: Some("배포 점검".to_owned()), ..row("agent:eden:main") };
        assert_eq!(store_title(&named, words), "배포 점검");
        let id = StoreRow { derived_title: Some("05ebf582 (2026-11-21)".to_owned()), ..row("agent:ruda:main") };
        assert_eq!(store_title(&id, words), "main");
        let labelled = StoreRow { label: Some("docs-fix".to_owned()), ..id };
        assert_eq!(store_title(&labelled, words), "docs-fix");
        assert_eq!(store_title(&row("agent:eden:discord:channel:42"), words), "discord:channel:42");
        assert_eq!(store_title(&row("global"), words), "global");
        assert_eq!(store_title(&row(""), words), words.stores().nameless);
    }

    #[test]
    fn agent_is_second_part_of_key() {
        assert_eq!(agent_of("agent:Eden:main"), Some(AgentId::from("eden")));
        assert_eq!((agent_of("hook:1234"), agent_of("agent:"), agent_of("")), (None, None, None));
    }
}
