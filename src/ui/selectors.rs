//! Attributes and classes by which Rust code and browser tests find elements in the document. Views write them as
//! literals, because `view!` takes no constant. The tests below compare the literals with the constants.

/// A row of an event, a burst or a stored message: its name in the list.
pub const EVENT: &str = "data-event";
/// A focusable row of a list ([`super::rows`]).
pub const ROW: &str = "data-row";
/// Set on the rows of a list with one Tab stop ([`super::roving`]), and on the controls in them.
pub const ROVING: &str = "data-roving";
/// A session's card: the session's id.
pub const SESSION: &str = "data-session";

/// Rows with [`EVENT`].
pub const EVENT_ROW: &str = "[data-event]";
/// The row that the address points at.
pub const TARGET_ROW: &str = "[data-event].is-target";
/// Messages and runs of a thread, without the small lines between them.
pub const ARTICLE_ROW: &str = "article[data-event]";
/// Messages of a thread.
pub const BUBBLE_ROW: &str = ".bubble[data-event]";
/// Rows of the page of events.
pub const EVENTS_LIST_ROW: &str = ".events-list [data-event]";
/// Rows of such a list and the controls in them.
pub const ROVING_PARTS: &str = ":is([data-event], [data-event] :is(a[href], button, summary))";
/// Rows that the keys of a list step through.
pub const KEY_ROWS: &str = "main [data-row], main [data-event][data-roving]";
/// What opens a row, inside it.
pub const OPENS: &str = "[data-open]";
/// Cards with [`SESSION`].
pub const SESSION_CARD: &str = "[data-session]";
/// The link of a card's heading.
pub const CARD_LINK: &str = "h3 a";
/// A card with its tools.
pub const SESSION_ROW: &str = ".session-row";

/// What a person or agent said, below a stream.
pub const THREAD_TEXTS: &str = ".bubble__text, .notice p";
/// The text of a message.
pub const BUBBLE_TEXT: &str = ".bubble__text";
/// The same where nothing of it is folded.
pub const WHOLE_BUBBLE_TEXT: &str = ".bubble__text:not(.is-folded)";
/// The button that unfolds a message.
pub const FOLDED_BUBBLE: &str = ".bubble__fold[aria-expanded=false]";
/// Parts of a message that the system added.
pub const BUBBLE_SYSTEM: &str = "details.bubble__system";
/// Parts of a long message: blocks, items, table rows, terms.
pub const MESSAGE_PARTS: &str = ".md > *, .md li, .md tr, dt";
/// The line above the first unread message.
pub const UNREAD_LINE: &str = ".stream-unread";
/// The column of a thread.
pub const THREAD: &str = ".thread";
/// Bars above a thread's text; the first that is drawn covers it.
pub const THREAD_BARS: [&str; 2] = [".thread-bar", ".thread-pick"];
/// The bar below it.
pub const THREAD_TAIL: &str = ".thread-tail";

/// The open row of the list of tasks.
pub const OPEN_TASK_ROW: &str = ".task-row.is-open";
/// The task beside it.
pub const TASK_DETAIL: &str = ".task-detail";
/// The drawing of a flow with its heads.
pub const FLOW_FRAME: &str = ".flow-frame";

/// The page's own search field, for the key that leads to it.
pub const OWN_FIELD: &str = "main .search-field";
/// Placeholder lines of the page.
pub const PAGE_SKELETON: &str = "main .skeleton";
/// An open dialog.
pub const OPEN_DIALOG: &str = "dialog[open]";
/// One that is not the command palette.
pub const OTHER_DIALOG: &str = "dialog[open]:not(.palette)";

/// The rows of one name. A name is an event's id or made of ids, which hold no quotation marks.
pub fn event_row(name: &str) -> String {
    format!("[{EVENT}=\"{name}\"]")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::path::Path;

    /// The other files of the page.
    fn sources(folder: &Path, out: &mut Vec<(String, String)>) {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                sources(&path, out);
            } else if !path.ends_with("ui/selectors.rs") {
                out.push((path.display().to_string(), std::fs::read_to_string(&path).unwrap()));
            }
        }
    }

    fn page() -> Vec<(String, String)> {
        let mut out = Vec::new();
        sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut out);
        out
    }

    fn words(text: &str) -> impl Iterator<Item = &str> {
        text.split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_')))
    }

    #[test]
    fn every_selector_is_written_by_a_view() {
        let own = include_str!("selectors.rs").split("#[cfg(test)]").next().unwrap();
        let literals =
            own.lines().filter(|line| !line.starts_with("//")).flat_map(|line| line.split('"').skip(1).step_by(2));
        let wanted: BTreeSet<&str> = literals
            .flat_map(|literal| literal.split(['.', '[']).skip(usize::from(!literal.starts_with("data-"))))
            .filter_map(|part| words(part).next())
            .filter(|word| !word.is_empty() && *word != "open" && *word != "aria-expanded")
            .collect();
        assert!(["data-event", "bubble__text", "is-folded", "thread-tail"].iter().all(|word| wanted.contains(word)));
        let page = page();
        let written: BTreeSet<&str> = page.iter().flat_map(|(_, text)| words(text)).collect();
        // Rust sets it itself.
        let missing: Vec<_> = wanted.difference(&written).filter(|word| **word != super::ROVING).collect();
        assert!(missing.is_empty(), "{missing:?}");
    }

    #[test]
    fn attributes_are_looked_up_by_constants_only() {
        for (file, text) in page() {
            let literal = ["[data-", "attribute(\"data-"]
                .iter()
                .find(|literal| text.match_indices(**literal).any(|(at, _)| !text[..at].ends_with("root_")));
            assert_eq!(literal, None, "{file}");
        }
    }
}
