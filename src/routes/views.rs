//! Type [`SavableList`] of the lists that can be saved as a view (sessions, events, search results), and the links of
//! saved and shared views.

use coordination::category::Category;

use super::{EventsFilter, SearchFilter, SessionsFilter, base, encode, parse_query, session_list};

/// The parameter that names a shared view.
pub const VIEW_NAME: &str = "view-name";

/// A list and how it is narrowed.
#[derive(Debug, Clone, PartialEq)]
pub enum SavableList {
    /// Sessions of a category, or of all.
    Sessions(Option<Category>, SessionsFilter),
    /// Events.
    Events(Box<EventsFilter>),
    /// What was found.
    Search(SearchFilter),
}

/// The list of an address below the base; none for any other page.
pub fn savable_list(path: &str) -> Option<SavableList> {
    let (place, query) = path.split_once('?').unwrap_or((path, ""));
    let pairs = parse_query(query);
    match place {
        "/events" => Some(SavableList::Events(Box::new(EventsFilter::from_pairs(&pairs)))),
        "/search" => Some(SavableList::Search(SearchFilter::from_pairs(&pairs))),
        _ => session_list(place).map(|category| SavableList::Sessions(category, SessionsFilter::from_pairs(&pairs))),
    }
}

/// The part of the page a saved view belongs to, e.g. all lists of sessions.
pub fn kind_of(path: &str) -> &str {
    let place = path.split_once('?').map_or(path, |(place, _)| place);
    if session_list(place).is_some() { "/all" } else { place }
}

/// The address of a view, without the base.
pub fn below(path: &str) -> &str {
    path.strip_prefix(base()).unwrap_or(path)
}

/// The link of a saved view, from this page.
pub fn view(path: &str) -> String {
    format!("{}{path}", base())
}

/// The link by which a view is shared, from this page.
pub fn shared_view(path: &str, name: &str) -> String {
    let joint = if path.contains('?') { '&' } else { '?' };
    format!("{}{joint}{VIEW_NAME}={}", view(path), encode(name))
}

/// The name under which the view of an address was shared.
pub fn shared_name(pairs: &[(String, String)]) -> Option<String> {
    super::filters::text(pairs, VIEW_NAME)
}
