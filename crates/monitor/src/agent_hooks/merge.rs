//! Insertion and removal of the monitor's hooks in the text of a settings file, without IO. Other settings stay byte
//! for byte. Removal also takes lists and objects that held only these hooks. A text with an unexpected structure is
//! rejected as a whole.

use std::ops::Range;

use serde::Serialize as _;
use serde_json::{Value, json};

use super::command::{flags, for_event, is_ours};
use super::events::HookEvent;
use super::json::{JsonKind, Node, parse};

/// A hook of ours as it is in the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct InstalledHook {
    /// The event's name.
    pub(super) event: String,
    /// Its command.
    pub(super) command: String,
}

/// The settings with our command for exactly these events, in the form that [`for_event`] gives it for each. Equal
/// settings come back as they were.
///
/// # Errors
/// Why nothing can be put there, in a part of a sentence.
pub(super) fn install(text: &str, command: &str, events: &[HookEvent]) -> Result<String, String> {
    let mut text = if blank(text) { "{}\n".to_owned() } else { text.to_owned() };
    checked(&text)?;
    let unwanted = |found: &InstalledHook| !events.iter().any(|event| event.name == found.event);
    text = without(&text, &unwanted)?;
    for event in events {
        let of_event: Vec<InstalledHook> = ours(&text)?.into_iter().filter(|found| found.event == event.name).collect();
        let (command, timeout) = for_event(command, event.name);
        if let [one] = of_event.as_slice() {
            if one.command == command {
                continue;
            }
            // The time limit depends on it.
            if flags(&one.command).answer == flags(&command).answer {
                text = with_command(&text, event.name, &command)?;
                continue;
            }
        }
        text = without(&text, &|found| found.event == event.name)?;
        text = with_event(&text, *event, &command, timeout)?;
    }
    Ok(text)
}

/// The settings without any hook of ours, and without what held nothing else.
///
/// # Errors
/// As [`install`].
pub(super) fn uninstall(text: &str) -> Result<String, String> {
    if blank(text) {
        return Ok(text.to_owned());
    }
    checked(text)?;
    without(text, &|_| true)
}

/// All hooks of ours, in the order of the text.
///
/// # Errors
/// As [`install`].
pub(super) fn ours(text: &str) -> Result<Vec<InstalledHook>, String> {
    if blank(text) {
        return Ok(Vec::new());
    }
    let root = checked(text)?;
    let found = places(&root).into_iter();
    Ok(found.map(|place| InstalledHook { event: place.event, command: place.command.1 }).collect())
}

/// The command from which [`install`] makes these hooks.
pub(super) fn command_of(hooks: &[InstalledHook]) -> Option<&str> {
    let asking = hooks.iter().find(|hook| flags(&hook.command).answer.is_some());
    asking.or_else(|| hooks.first()).map(|hook| hook.command.as_str())
}

/// Whether the settings switch all hooks off.
pub(super) fn switched_off(text: &str) -> bool {
    let settings: Value = serde_json::from_str(bare(text)).unwrap_or_default();
    settings["disableAllHooks"] == Value::Bool(true)
}

fn bare(text: &str) -> &str {
    text.strip_prefix('\u{feff}').unwrap_or(text)
}

fn blank(text: &str) -> bool {
    bare(text).trim().is_empty()
}

/// Reads settings strictly, and refuses what has no room for hooks.
fn checked(text: &str) -> Result<Node, String> {
    if let Err(error) = serde_json::from_str::<Value>(bare(text)) {
        let line = bare(text).lines().nth(error.line().saturating_sub(1)).unwrap_or_default();
        let at = line.get(error.column().saturating_sub(1)..).unwrap_or_default();
        let comment = at.starts_with("//") || at.starts_with("/*");
        let what = if comment { "has a comment, which JSON does not allow" } else { "is not valid JSON" };
        return Err(format!("line {} {what}", error.line()));
    }
    let root = parse(text).ok_or("the settings are nested too deeply")?;
    let members = root.members().ok_or("the settings are not a JSON object")?;
    if members.iter().filter(|member| member.name == "hooks").count() > 1 {
        return Err("`hooks` occurs twice".to_owned());
    }
    if let Some(hooks) = root.get("hooks") {
        let events = hooks.members().ok_or("`hooks` is not an object")?;
        for (number, event) in events.iter().enumerate() {
            if events[..number].iter().any(|other| other.name == event.name) {
                return Err(format!("`hooks.{}` occurs twice", event.name));
            }
            event.value.items().ok_or_else(|| format!("`hooks.{}` is not a list", event.name))?;
        }
    }
    Ok(root)
}

/// One hook of ours: the ways down to it, and its command with its place.
struct HookLocation {
    event: String,
    command: (Range<usize>, String),
    /// `hooks` in the settings, the event in it, the group in that, the handler in that: which part of which value.
    way: Vec<(Node, usize)>,
}

fn places(root: &Node) -> Vec<HookLocation> {
    let mut found = Vec::new();
    let Some((hooks_at, hooks)) = member(root, "hooks") else { return found };
    for (event_at, event) in hooks.members().unwrap_or_default().iter().enumerate() {
        for (group_at, group) in event.value.items().unwrap_or_default().iter().enumerate() {
            let Some(handlers) = group.get("hooks") else { continue };
            for (handler_at, handler) in handlers.items().unwrap_or_default().iter().enumerate() {
                let Some((command, text)) = handler.get("command").and_then(|node| Some((node, node.text()?))) else {
                    continue;
                };
                if is_ours(text) {
                    let way = [(root, hooks_at), (hooks, event_at), (&event.value, group_at), (handlers, handler_at)];
                    found.push(HookLocation {
                        event: event.name.clone(),
                        command: (command.at.clone(), text.to_owned()),
                        way: way.map(|(node, at)| (node.clone(), at)).to_vec(),
                    });
                }
            }
        }
    }
    found
}

fn member<'a>(node: &'a Node, name: &str) -> Option<(usize, &'a Node)> {
    let mut members = node.members()?.iter().enumerate();
    members.find(|(_, member)| member.name == name).map(|(at, member)| (at, &member.value))
}

/// Takes out hooks one after the other, each with all that would hold nothing afterwards.
fn without(text: &str, unwanted: &dyn Fn(&InstalledHook) -> bool) -> Result<String, String> {
    let mut text = text.to_owned();
    loop {
        let root = parse(&text).ok_or("the settings are nested too deeply")?;
        let is_unwanted = |place: &HookLocation| {
            unwanted(&InstalledHook { event: place.event.clone(), command: place.command.1.clone() })
        };
        let Some(place) = places(&root).into_iter().find(is_unwanted) else { return Ok(text) };
        // From the innermost outwards: the first that holds something else loses one part.
        let holds_more = |(node, _): &&(Node, usize)| node.parts().len() > 1;
        let (node, at) = place.way.iter().rev().find(holds_more).or_else(|| place.way.first()).ok_or("no way")?;
        text.replace_range(cut(node, *at), "");
    }
}

/// The range to cut with a part: the comma before it, or after the first one, or all between the brackets.
fn cut(node: &Node, at: usize) -> Range<usize> {
    let parts = node.parts();
    match (at.checked_sub(1).and_then(|before| parts.get(before)), parts.get(at), parts.get(at + 1)) {
        (_, Some(part), Some(next)) => part.start..next.start,
        (Some(before), Some(part), None) => before.end..part.end,
        _ => node.at.start + 1..node.at.end - 1,
    }
}

fn with_command(text: &str, event: &str, command: &str) -> Result<String, String> {
    let root = checked(text)?;
    let place = places(&root).into_iter().find(|place| place.event == event).ok_or("it is gone")?;
    let mut text = text.to_owned();
    text.replace_range(place.command.0, &Value::from(command).to_string());
    Ok(text)
}

fn with_event(text: &str, event: HookEvent, command: &str, timeout: u32) -> Result<String, String> {
    let mut group = json!({"hooks": [{"type": "command", "command": command, "timeout": timeout}]});
    if let Some(matcher) = event.matcher {
        group = json!({"matcher": matcher, "hooks": group["hooks"].take()});
    }
    let root = checked(text)?;
    let style = JsonStyle::detect(text, &root);
    let Some(hooks) = root.get("hooks") else {
        let with_hooks = style.with_part(text, &root, Some("hooks"), &json!({}));
        return with_event(&with_hooks, event, command, timeout);
    };
    Ok(match hooks.get(event.name) {
        Some(groups) => style.with_part(text, groups, None, &group),
        None => style.with_part(text, hooks, Some(event.name), &json!([group])),
    })
}

/// How a text is laid out.
struct JsonStyle {
    end: &'static str,
    indent: String,
    /// All on one line.
    inline: bool,
}

impl JsonStyle {
    fn detect(text: &str, root: &Node) -> Self {
        let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let first = root.parts().first().map(|part| whitespace_before(text, root.at.start + 1, part.start));
        let indent = first.and_then(|space| Some(space.rsplit_once('\n')?.1)).filter(|space| !space.is_empty());
        let inline = matches!(&root.kind, JsonKind::Object(members) if !members.is_empty())
            && !text.get(root.at.clone()).unwrap_or_default().contains('\n');
        Self { end, indent: indent.unwrap_or("  ").to_owned(), inline }
    }

    /// The text with one more part at the end of an object or list, laid out as its neighbours are.
    fn with_part(&self, text: &str, node: &Node, name: Option<&str>, value: &Value) -> String {
        let parts = node.parts();
        let inner = node.at.start + 1..node.at.end - 1;
        let space = parts.first().map(|part| whitespace_before(text, inner.start, part.start));
        let own = self.line_of(text, node.at.start);
        let (range, new) = match (space, parts.last()) {
            (Some(space), Some(last)) => {
                let part = match space.rsplit_once('\n') {
                    Some((_, indent)) => self.part(name, value, Some(indent)),
                    None => self.part(name, value, None),
                };
                (last.end..last.end, format!(",{space}{part}"))
            }
            _ if self.inline => (inner, self.part(name, value, None)),
            _ => {
                let indent = format!("{own}{}", self.indent);
                let part = self.part(name, value, Some(&indent));
                (inner, format!("{end}{indent}{part}{end}{own}", end = self.end))
            }
        };
        let mut text = text.to_owned();
        text.replace_range(range, &new);
        text
    }

    /// The white space with which a place's line begins.
    fn line_of<'a>(&self, text: &'a str, at: usize) -> &'a str {
        let line = text.get(..at).unwrap_or_default().rsplit('\n').next().unwrap_or_default();
        let line = bare(line);
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    fn part(&self, name: Option<&str>, value: &Value, indent: Option<&str>) -> String {
        let (value, colon) = match indent {
            Some(indent) => (self.pretty(value, indent), ": "),
            None => (value.to_string(), ":"),
        };
        name.map_or_else(|| value.clone(), |name| format!("{}{colon}{value}", Value::from(name)))
    }

    fn pretty(&self, value: &Value, indent: &str) -> String {
        let formatter = serde_json::ser::PrettyFormatter::with_indent(self.indent.as_bytes());
        let mut bytes = Vec::new();
        let written = value.serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, formatter));
        match (written, String::from_utf8(bytes)) {
            (Ok(()), Ok(text)) => text.replace('\n', &format!("{}{indent}", self.end)),
            // A value in memory can always be written.
            _ => value.to_string(),
        }
    }
}

fn whitespace_before(text: &str, from: usize, to: usize) -> &str {
    text.get(from..to).unwrap_or_default()
}

#[cfg(test)]
mod tests;
