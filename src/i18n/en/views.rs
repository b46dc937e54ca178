//! English texts of saved views.

use crate::i18n::messages::SavedViewsMessages;

pub(in crate::i18n) static VIEWS: SavedViewsMessages = SavedViewsMessages {
    title: "Saved views",
    none: "No view is saved yet.",
    stored_here: "Kept in this browser only.",
    save: "Save this view",
    name: "Name of the view",
    save_now: "Save",
    rename: "Rename",
    rename_now: "Rename",
    saved: |name| format!("Saved “{name}”. The view menu can put it on home."),
    full: "There is room for forty views. Remove one first.",
    menu: |name| format!("Menu of “{name}”"),
    to_home: "Put on home",
    off_home: "Take off home",
    up: "Move up",
    down: "Move down",
    copy: "Copy link",
    remove: "Remove",
    removed: |name| format!("Removed “{name}”"),
    shared: |name| format!("This is “{name}”, a view that was shared with you."),
    keep: "Save in this browser",
    leave: "Just look",
    open: |name| format!("Open view “{name}”"),
    also: "saved view filter",
    count_failed: "not counted",
};
