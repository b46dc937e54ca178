//! Derived title and display name of a stored session (`contract/sessions.md` §5, §2.2). The rules differ between file
//! stores and database stores.

use super::{Release, SessionEntry};
use crate::transcript::derived_title;
use protocol::session_key::{KeyForm, SessionKey};

/// The title of a session. `first_text` is its first user message, where that is known.
///
/// The file era goes by display name, subject, first text; the database era puts the label first. Both end with the
/// beginning of the id.
#[must_use]
pub fn derived(entry: &SessionEntry, release: Release, first_text: Option<&str>) -> Option<String> {
    let label = (release == Release::Database).then(|| entry.label()).flatten();
    if let Some(label) = label {
        return Some(label.trim().to_owned());
    }
    let id = entry.session_id().unwrap_or_default();
    derived_title(entry.display_name(), entry.subject(), first_text, id, entry.updated_at())
}

/// `displayName` of a row. The file era names what has a channel by that and the group; then comes the label, then
/// what the client calls itself. The database era has the label first.
#[must_use]
pub fn display_name(key: &SessionKey, entry: &SessionEntry, release: Release) -> Option<String> {
    let named = entry.display_name().map(str::to_owned);
    let label = entry.label().map(str::to_owned);
    if release == Release::Database {
        return label.or(named);
    }
    let client = || entry.origin()?.get("label")?.as_str().map(str::to_owned);
    named.or_else(|| of_group(key, entry)).or(label).or_else(client)
}

/// `<channel>:g-<name or id>`, as the file era's lists call whatever has a channel [seen 2026.2.26].
fn of_group(key: &SessionKey, entry: &SessionEntry) -> Option<String> {
    let group = match key.form() {
        KeyForm::Group { channel, id, .. } => Some((channel.as_str(), id.as_str())),
        _ => None,
    };
    let channel = entry.channel().or(group.map(|(channel, _)| channel))?.trim().to_lowercase();
    let named = entry.group_channel().or_else(|| entry.subject()).or_else(|| entry.space());
    let name = match (entry.group_channel(), entry.space()) {
        (Some(room), Some(space)) if room.starts_with('#') => format!("{space}{room}"),
        (Some(room), Some(space)) => format!("{space}#{room}"),
        _ => named.or(group.map(|(_, id)| id)).unwrap_or(key.as_str()).to_owned(),
    };
    let mut slug = slug(&name);
    if entry.group_channel().is_none() {
        slug = slug.trim_start_matches('#').to_owned();
    }
    if slug.is_empty() {
        return Some(channel);
    }
    let marked = slug.starts_with(['@', '#']) || slug.starts_with("g-") || slug.contains('#');
    Some(if marked { format!("{channel}:{slug}") } else { format!("{channel}:g-{slug}") })
}

/// Lower-cased, with one hyphen for each run of characters that are neither letters of ASCII, digits nor `#@._+-`.
fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.trim().to_lowercase().chars() {
        let allowed = c.is_ascii_alphanumeric() || matches!(c, '#' | '@' | '.' | '_' | '+' | '-');
        let c = if allowed { c } else { '-' };
        if c != '-' || !slug.ends_with('-') {
            slug.push(c);
        }
    }
    slug.trim_matches(['-', '.']).to_owned()
}
