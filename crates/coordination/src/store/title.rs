//! What a session is called in lists (`contract/sessions.md` §5, §2.2).

use super::{Release, SessionEntry};
use crate::session_key::{Form, SessionKey};
use crate::time;

/// UTF-16 units of a title made of a message.
const TITLE_UNITS: usize = 60;
/// A space behind this unit is where such a title is cut.
const WORD_UNITS: usize = 36;

/// The title of a session. `first_text` is its first user message, where that is known.
///
/// The file era goes by display name, subject, first text; the database era puts the label first. Both end with the
/// beginning of the id.
#[must_use]
pub fn derived(entry: &SessionEntry, release: Release, first_text: Option<&str>) -> Option<String> {
    let label = (release == Release::Database).then(|| entry.label()).flatten();
    if let Some(name) = label.or_else(|| entry.display_name()).or_else(|| entry.subject()) {
        return Some(name.trim().to_owned());
    }
    let text = first_text.map(cut).filter(|text| !text.is_empty());
    text.or_else(|| by_id(entry))
}

/// A message as a title: white space collapsed; of more than 60 UTF-16 units the first 59, or less up to a space
/// behind unit 36, and an ellipsis.
#[must_use]
pub fn cut(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.encode_utf16().count() <= TITLE_UNITS {
        return text;
    }
    let (mut units, mut end, mut space) = (0, 0, None);
    for (at, c) in text.char_indices() {
        if units + c.len_utf16() > TITLE_UNITS - 1 {
            break;
        }
        if c == ' ' && units > WORD_UNITS {
            space = Some(at);
        }
        units += c.len_utf16();
        end = at + c.len_utf8();
    }
    format!("{}…", &text[..space.unwrap_or(end)])
}

/// The first eight characters of the id, and the day of the last change where there is one.
fn by_id(entry: &SessionEntry) -> Option<String> {
    let id: String = entry.session_id()?.chars().take(8).collect();
    let day = entry.updated_at().filter(|at| *at > 0).map(time::to_iso);
    match day.as_deref().and_then(|day| day.get(..10)) {
        Some(day) => Some(format!("{id} ({day})")),
        None => Some(id),
    }
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
        Form::Group { channel, id, .. } => Some((channel.as_str(), id.as_str())),
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
        let kept = c.is_ascii_alphanumeric() || matches!(c, '#' | '@' | '.' | '_' | '+' | '-');
        let c = if kept { c } else { '-' };
        if c != '-' || !slug.ends_with('-') {
            slug.push(c);
        }
    }
    slug.trim_matches(['-', '.']).to_owned()
}
