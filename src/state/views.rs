//! Saved views of the user, stored in this browser: names for list URLs. The URL contains all filters, so its link is
//! enough to share a view.

use coordination::api::{TeamView, is_own_path};
use leptos::prelude::*;
use serde_json::{Value, json};

use super::stored::{Persistent, Stored};

/// Maximum number of saved views.
const MAX_VIEWS: usize = 40;
/// Characters of a name at most.
pub const MAX_NAME_CHARS: usize = 60;
const VERSION: u64 = 1;

/// One view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedView {
    /// What the user calls it.
    pub name: String,
    /// The address below the base, with its query; no two views have the same.
    pub path: String,
    /// It is shown on home, too.
    pub home: bool,
}

impl From<TeamView> for SavedView {
    fn from(TeamView { name, path, home }: TeamView) -> Self {
        Self { name, path, home }
    }
}

/// All of them, in the user's order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ViewList(Vec<SavedView>);

impl ViewList {
    fn place(&self, path: &str) -> Option<usize> {
        self.0.iter().position(|view| view.path == path)
    }

    /// Saves it, or gives the one that is there another name. False where there is no room for another.
    fn save(&mut self, name: &str, path: &str) -> bool {
        let Some(name) = cleaned(name) else { return false };
        match self.place(path) {
            Some(at) => self.0[at].name = name,
            None if self.0.len() >= MAX_VIEWS => return false,
            None => self.0.push(SavedView { name, path: path.to_owned(), home: false }),
        }
        true
    }

    /// Removes it; returns its position, for undo.
    fn remove(&mut self, path: &str) -> Option<(usize, SavedView)> {
        let at = self.place(path)?;
        Some((at, self.0.remove(at)))
    }

    fn put_back(&mut self, at: usize, view: SavedView) {
        if self.place(&view.path).is_none() && self.0.len() < MAX_VIEWS {
            self.0.insert(at.min(self.0.len()), view);
        }
    }

    /// Changes places with the next one of those that `among` holds for, up or down.
    fn shift(&mut self, path: &str, down: bool, among: impl Fn(&SavedView) -> bool) {
        let Some(at) = self.place(path) else { return };
        let fits = |other: &usize| among(&self.0[*other]);
        let other = if down { (at + 1..self.0.len()).find(fits) } else { (0..at).rev().find(fits) };
        if let Some(other) = other {
            self.0.swap(at, other);
        }
    }
}

/// A name in one line without blanks around it; none for a blank one.
fn cleaned(name: &str) -> Option<String> {
    let name: String = name.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(MAX_NAME_CHARS).collect();
    (!name.is_empty()).then_some(name)
}

impl Persistent for ViewList {
    const KEY: &'static str = "task-hub.views";

    fn to_text(&self) -> String {
        let row = |view: &SavedView| json!([view.name, view.path, view.home]);
        json!({ "v": VERSION, "views": self.0.iter().map(row).collect::<Vec<_>>() }).to_string()
    }

    fn from_text(text: &str) -> Option<Self> {
        let stored: Value = serde_json::from_str(text).ok()?;
        let rows = stored.get("views").filter(|_| stored["v"].as_u64() == Some(VERSION))?.as_array()?;
        let mut list = Self::default();
        for row in rows {
            let text = |at: usize| row.get(at).and_then(Value::as_str);
            // An address of this page only: a view is a link.
            if let (Some(name), Some(path)) = (text(0).and_then(cleaned), text(1))
                && is_own_path(path)
                && list.place(path).is_none()
                && list.0.len() < MAX_VIEWS
            {
                let home = row.get(2).and_then(Value::as_bool).unwrap_or_default();
                list.0.push(SavedView { name, path: path.to_owned(), home });
            }
        }
        Some(list)
    }
}

/// What the user saved.
#[derive(Clone, Copy)]
pub struct Views(Stored<ViewList>);

impl Views {
    pub(super) fn new() -> Self {
        Self(Stored::new())
    }

    /// All of them, in the user's order. Reactive.
    pub fn all(self) -> Vec<SavedView> {
        self.0.with(|views| views.0.clone())
    }

    /// True when one is shown on home. Reactive.
    pub fn any_on_home(self) -> bool {
        self.0.with(|views| views.0.iter().any(|view| view.home))
    }

    /// The view of an address. Reactive.
    pub fn view_of(self, path: &str) -> Option<SavedView> {
        self.0.with(|views| views.place(path).map(|at| views.0[at].clone()))
    }

    /// Saves it, or renames the one that is there. False where there is no room, or no name.
    pub fn save(self, name: &str, path: &str) -> bool {
        let mut done = false;
        self.0.change(|views| done = views.save(name, path));
        done
    }

    /// Removes it; returns its position, for [`put_back`](Self::put_back).
    pub fn remove(self, path: &str) -> Option<(usize, SavedView)> {
        let mut removed = None;
        self.0.change(|views| removed = views.remove(path));
        removed
    }

    /// Puts back what was taken out.
    pub fn put_back(self, at: usize, view: SavedView) {
        self.0.change(|views| views.put_back(at, view));
    }

    /// Puts it on home, or takes it off.
    pub fn turn_home(self, path: &str) {
        self.0.change(|views| {
            if let Some(at) = views.place(path) {
                views.0[at].home = !views.0[at].home;
            }
        });
    }

    /// Moves it up or down among those that `among` holds for.
    pub fn shift(self, path: &str, down: bool, among: impl Fn(&SavedView) -> bool) {
        self.0.change(|views| views.shift(path, down, among));
    }
}

/// What the user saved.
pub fn use_views() -> Views {
    expect_context()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(views: &ViewList) -> Vec<&str> {
        views.0.iter().map(|view| view.name.as_str()).collect()
    }

    #[test]
    fn saved_view_can_be_edited_and_restored() {
        let mut views = ViewList::default();
        assert!(
            views.save(" 막힌  것 ", "/all?status=active")
                && views.save("이벤트", "/events")
                && views.save("셋", "/all")
        );
        assert!(!views.save(" \n", "/search"), "a view has a name");
        assert!(views.save("막힘", "/all?status=active"), "the same address is the same view");
        assert_eq!(names(&views), ["막힘", "이벤트", "셋"]);
        views.shift("/all", false, |view| view.path.starts_with("/all"));
        assert_eq!(names(&views), ["셋", "이벤트", "막힘"], "over those of other lists");
        let (at, view) = views.remove("/events").unwrap();
        assert_eq!(names(&views), ["셋", "막힘"]);
        views.put_back(at, view.clone());
        views.put_back(at, view);
        assert_eq!(names(&views), ["셋", "이벤트", "막힘"]);
    }

    /// Stored addresses of other sites are dropped.
    #[test]
    fn stored_views_load_only_local_addresses() {
        let mut views = ViewList::default();
        views.save("가", "/all?q=%EA%B0%80");
        views.0[0].home = true;
        assert_eq!(ViewList::from_text(&views.to_text()), Some(views));
        let foreign = r#"{"v":1,"views":[["a","//evil.example/"],["b","javascript:1"],["","/all"],["e","/\\evil.example/"],["f","/\t/evil.example/"],["g","/\n/evil.example/"],["c","/all"],["d","/all"],5]}"#;
        assert_eq!(ViewList::from_text(foreign).map(|views| names(&views).join(" ")), Some("c".to_owned()));
        assert_eq!(ViewList::from_text("[]"), None);
        let many: Vec<Value> = (0..60).map(|n| json!(["n", format!("/all?q={n}"), false])).collect();
        let many = ViewList::from_text(&json!({"v": 1, "views": many}).to_string()).unwrap();
        assert_eq!(many.0.len(), MAX_VIEWS);
        assert!(!many.clone().save("more", "/events"), "no room");
    }
}
