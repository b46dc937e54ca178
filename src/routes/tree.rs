//! URL query of the delegation tree: open levels, hidden branches, branches toggled by hand, and the selected run.

use coordination::commas;
use coordination::ids::EventId;

use super::filters::{UrlPairs, UrlQueryWriter, text, value};

/// Branches turned by hand that the address remembers; older ones are forgotten.
const MAX_TURNED: usize = 40;

/// How the delegation tree is looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TreeView {
    /// Open levels, from 1; all when absent.
    pub level: Option<u32>,
    /// Branches that ended well are left out.
    pub hide_done: bool,
    /// Branches that took next to none of the time, and failed in nothing, are left out.
    pub hide_small: bool,
    /// Branches toggled against the level: ids of events or sessions.
    pub turned: Vec<String>,
    /// The run whose details are shown.
    pub run: Option<EventId>,
}

impl TreeView {
    /// Reads the query of a URL.
    pub fn from_pairs(pairs: &UrlPairs) -> Self {
        let hidden = text(pairs, "hide").unwrap_or_default();
        let hides = |word: &str| hidden.split(',').any(|hidden| hidden == word);
        let turned = text(pairs, "turn").unwrap_or_default();
        Self {
            level: value(pairs, "level").filter(|level| *level > 0),
            hide_done: hides("done"),
            hide_small: hides("small"),
            turned: commas::split(&turned).take(MAX_TURNED).collect(),
            run: text(pairs, "run").map(EventId::from),
        }
    }

    pub(super) fn write(&self, out: &mut UrlQueryWriter) {
        let hidden = [(self.hide_done, "done"), (self.hide_small, "small")];
        let hidden: Vec<&str> = hidden.into_iter().filter(|(on, _)| *on).map(|(_, word)| word).collect();
        out.put("level", self.level);
        out.put("hide", Some(hidden.join(",")).filter(|hidden| !hidden.is_empty()));
        let turned = commas::join(self.turned.iter().map(String::as_str));
        out.put("turn", Some(turned).filter(|turned| !turned.is_empty()));
        out.put("run", self.run.as_ref());
    }

    /// With one branch the other way round.
    #[must_use]
    pub fn turn(&self, id: &str) -> Self {
        let mut view = self.clone();
        view.turned.retain(|turned| turned != id);
        if view.turned.len() == self.turned.len() {
            view.turned.push(id.to_owned());
            let many = view.turned.len().saturating_sub(MAX_TURNED);
            view.turned.drain(..many);
        }
        view
    }

    /// Open down to this level, whatever was turned by hand.
    #[must_use]
    pub fn open_to(&self, level: Option<u32>) -> Self {
        Self { level, turned: Vec::new(), ..self.clone() }
    }
}
