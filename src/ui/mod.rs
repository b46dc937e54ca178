//! Widgets without domain knowledge: icons, menus, dialogs and empty states. Callers pass all texts. Only `highlight`
//! depends on a domain type: it takes the search's `WordFilter`.

pub mod badge;
pub mod band;
pub mod clipboard;
pub mod day_field;
pub mod dialog;
pub mod empty;
pub mod enter;
pub mod filter_toggle;
pub mod highlight;
pub mod icon;
pub mod idle;
pub mod keyed;
pub mod live_rows;
pub mod menu;
pub mod modal;
pub mod more_menu;
pub mod painted;
pub mod pick;
pub mod roving;
pub mod rows;
pub mod save;
pub mod search_field;
pub mod segments;
pub mod selectors;
pub mod skeleton;
pub mod stretch;
pub mod toast;
pub mod toggles;

pub use badge::Tone;
pub use icon::Icon;
