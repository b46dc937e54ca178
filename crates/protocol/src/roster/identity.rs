//! Parser of `IDENTITY.md`, the file with an agent's name, emoji, avatar and theme. It has one `label: value` per line
//! (`contract/workspace.md` §2).

/// Display fields of the file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Card {
    pub(super) name: Option<String>,
    pub(super) emoji: Option<String>,
    pub(super) avatar: Option<String>,
    pub(super) theme: Option<String>,
}

pub(super) fn read(text: &str) -> Card {
    let mut card = Card::default();
    for (label, value) in text.lines().filter_map(line) {
        let slot = match label.as_str() {
            "name" => &mut card.name,
            "emoji" => &mut card.emoji,
            "avatar" => &mut card.avatar,
            "theme" => &mut card.theme,
            _ => continue,
        };
        slot.get_or_insert(value);
    }
    card
}

fn line(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    let line = line.strip_prefix("- ").or_else(|| line.strip_prefix("* ")).unwrap_or(line);
    let (label, value) = line.split_once(':')?;
    let marks = |c: char| matches!(c, '*' | '_' | '`') || c.is_whitespace();
    let value = value.trim_matches(marks);
    let placeholder = value.starts_with('(') && value.ends_with(')');
    (!value.is_empty() && !placeholder).then(|| (label.trim_matches(marks).to_lowercase(), value.to_owned()))
}
