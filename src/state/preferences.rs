//! What the reader prefers, kept in this browser: language, theme, and the name their changes are kept under.

use leptos::prelude::*;

use crate::i18n::Locale;

/// Brightness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// As the system says.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// All, in menu order.
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// Preferences of this browser.
#[derive(Clone, Copy)]
pub struct Preferences {
    /// Language.
    pub locale: RwSignal<Locale>,
    /// Brightness.
    pub theme: RwSignal<Theme>,
    /// Under what name a change is noted; empty when the reader gives none.
    pub name: RwSignal<String>,
}

const LOCALE_KEY: &str = "task-hub.locale";
const THEME_KEY: &str = "task-hub.theme";
const NAME_KEY: &str = "task-hub.name";

impl Preferences {
    pub(super) fn new() -> Self {
        // Korean unless the reader chose otherwise; the browser's own language is not asked (design §5: Korean first).
        let locale = stored(LOCALE_KEY).and_then(|text| text.parse().ok()).unwrap_or_default();
        let theme = stored(THEME_KEY)
            .and_then(|text| Theme::ALL.into_iter().find(|theme| theme.as_str() == text))
            .unwrap_or_default();
        let name = RwSignal::new(stored(NAME_KEY).unwrap_or_default());
        let preferences = Self { locale: RwSignal::new(locale), theme: RwSignal::new(theme), name };
        Effect::new(move |_| preferences.name.with(|name| store(NAME_KEY, name)));
        Effect::new(move |_| {
            let locale = preferences.locale.get();
            root_attribute("lang", Some(locale.as_str()));
            store(LOCALE_KEY, locale.as_str());
        });
        Effect::new(move |_| {
            let theme = preferences.theme.get();
            root_attribute("data-theme", (theme != Theme::System).then_some(theme.as_str()));
            store(THEME_KEY, theme.as_str());
        });
        preferences
    }
}

fn storage() -> Option<web_sys::Storage> {
    // A browser may forbid storage; preferences then last as long as the page.
    window().local_storage().ok().flatten()
}

fn stored(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

fn store(key: &str, value: &str) {
    if let Some(storage) = storage() {
        storage.set_item(key, value).unwrap_or_default();
    }
}

fn root_attribute(name: &str, value: Option<&str>) {
    if let Some(root) = document().document_element() {
        match value {
            Some(value) => root.set_attribute(name, value),
            None => root.remove_attribute(name),
        }
        .unwrap_or_default();
    }
}

/// Preferences of this browser.
pub fn use_preferences() -> Preferences {
    expect_context()
}
