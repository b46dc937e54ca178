//! Persistent value in the browser's storage, saved as text and shared by all tabs. If storage is forbidden, the value
//! lasts as long as the page.

use std::sync::Arc;

use leptos::ev;
use leptos::prelude::*;

use crate::routes;

/// A value that can be stored.
pub(super) trait Persistent: Clone + Default + PartialEq + Send + Sync + 'static {
    /// Its name in the browser's storage.
    const KEY: &'static str;
    /// As stored.
    fn to_text(&self) -> String;
    /// From what is stored; nothing where it is another form.
    fn from_text(text: &str) -> Option<Self>;
}

/// The value as this tab knows it.
pub(super) struct Stored<T: Persistent>(RwSignal<Arc<T>>);

impl<T: Persistent> Clone for Stored<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: Persistent> Copy for Stored<T> {}

impl<T: Persistent> Stored<T> {
    /// Reads it, and follows what other tabs write.
    pub(super) fn new() -> Self {
        let stored = Self(RwSignal::new(Arc::new(read().unwrap_or_default())));
        // It lives as long as the page.
        let _other_tab = window_event_listener(ev::storage, move |event| {
            if event.key().is_none_or(|key| key == key_of::<T>()) {
                stored.0.set(Arc::new(read().unwrap_or_default()));
            }
        });
        stored
    }

    /// Looks at it. Reactive.
    pub(super) fn with<O>(self, look: impl FnOnce(&T) -> O) -> O {
        self.0.with(|value| look(value))
    }

    /// The value now, without subscribing.
    pub(super) fn now(self) -> Arc<T> {
        self.0.get_untracked()
    }

    /// Changes what is stored: other tabs may have written since this one looked.
    pub(super) fn change(self, edit: impl FnOnce(&mut T)) {
        let mut value = read().unwrap_or_else(|| T::clone(&self.0.get_untracked()));
        edit(&mut value);
        if value != **self.0.read_untracked() {
            if let Some(storage) = storage() {
                storage.set_item(&key_of::<T>(), &value.to_text()).unwrap_or_default();
            }
            self.0.set(Arc::new(value));
        }
    }
}

/// The browser's own storage; a browser may forbid it.
pub fn storage() -> Option<web_sys::Storage> {
    window().local_storage().ok().flatten()
}

/// The name in the storage. The machines of a fleet are on one origin, and each has values of its own.
fn key_of<T: Persistent>() -> String {
    match routes::machine() {
        Some(machine) => format!("{} @{machine}", T::KEY),
        None => T::KEY.to_owned(),
    }
}

fn read<T: Persistent>() -> Option<T> {
    T::from_text(&storage()?.get_item(&key_of::<T>()).ok().flatten()?)
}
