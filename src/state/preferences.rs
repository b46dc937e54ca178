//! Preferences of the user, stored in this browser: language, theme, contrast, density, single-key shortcuts, and the
//! name under which the user's changes are recorded.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;

use super::stored::storage;
use crate::i18n::Locale;

/// Brightness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Theme {
    /// The system setting.
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
    /// More contrast than the system setting; the system setting is applied in any case.
    pub contrast: RwSignal<bool>,
    /// More rows on a screen.
    pub compact: RwSignal<bool>,
    /// Keys act that are pressed alone (WCAG 2.1.4 wants them to have a switch).
    pub letters: RwSignal<bool>,
    /// Under what name a change is noted; empty when the user gives none.
    pub name: RwSignal<String>,
}

const LOCALE_KEY: &str = "task-hub.locale";
const THEME_KEY: &str = "task-hub.theme";
const CONTRAST_KEY: &str = "task-hub.contrast";
const DENSITY_KEY: &str = "task-hub.density";
const LETTERS_KEY: &str = "task-hub.letters";
const NAME_KEY: &str = "task-hub.name";
/// What these two are when they are not as usual, as stored and on the page's root.
const MORE: &str = "more";
const COMPACT: &str = "compact";
/// What `letters` is when it is off, as stored.
const OFF: &str = "off";
const MORE_CONTRAST: &str = "(prefers-contrast: more)";

impl Preferences {
    /// The name that the person gave, for what is written in their name; none for a blank one.
    pub fn author(self) -> Option<String> {
        let name = self.name.get_untracked();
        Some(name.trim().to_owned()).filter(|name| !name.is_empty())
    }

    pub(super) fn new() -> Self {
        let locale = preferred_locale();
        let theme = stored(THEME_KEY)
            .and_then(|text| Theme::ALL.into_iter().find(|theme| theme.as_str() == text))
            .unwrap_or_default();
        let chosen = |key, value: &str| stored(key).as_deref() == Some(value);
        let preferences = Self {
            locale: RwSignal::new(locale),
            theme: RwSignal::new(theme),
            contrast: RwSignal::new(chosen(CONTRAST_KEY, MORE)),
            compact: RwSignal::new(chosen(DENSITY_KEY, COMPACT)),
            letters: RwSignal::new(!chosen(LETTERS_KEY, OFF)),
            name: RwSignal::new(stored(NAME_KEY).unwrap_or_default()),
        };
        Effect::new(move |_| preferences.name.with(|name| store(NAME_KEY, name)));
        Effect::new(move |_| store(LETTERS_KEY, if preferences.letters.get() { "" } else { OFF }));
        Effect::new(move |_| {
            let locale = preferences.locale.get();
            root_attribute("lang", Some(locale.as_str()));
            store(LOCALE_KEY, locale.as_str());
        });
        Effect::new(move |_| {
            let compact = preferences.compact.get().then_some(COMPACT);
            root_attribute("data-density", compact);
            store(DENSITY_KEY, compact.unwrap_or_default());
        });
        preferences.look();
        preferences
    }

    /// Theme and contrast on the page, and the colour of the window's own bar.
    fn look(self) {
        let bars = theme_colors();
        Effect::new(move |_| {
            let theme = self.theme.get();
            root_attribute("data-theme", (theme != Theme::System).then_some(theme.as_str()));
            store(THEME_KEY, theme.as_str());
            for (number, (bar, own)) in bars.iter().enumerate() {
                // The page names a colour for light and one for dark, each with a media query; a chosen theme has none.
                let other = match theme {
                    Theme::System => number,
                    Theme::Light => 0,
                    Theme::Dark => 1,
                };
                let color = bars.get(other).map_or(own, |(_, color)| color);
                bar.set_attribute("content", color).unwrap_or_default();
            }
        });
        let system = media(MORE_CONTRAST);
        Effect::new(move |_| {
            let chosen = self.contrast.get();
            root_attribute("data-contrast", (chosen || system.get()).then_some(MORE));
            store(CONTRAST_KEY, if chosen { MORE } else { "" });
        });
    }
}

/// The page's `theme-color` tags and what they say at first.
fn theme_colors() -> Vec<(web_sys::Element, String)> {
    let Ok(tags) = document().query_selector_all("meta[name=theme-color]") else { return Vec::new() };
    let tags = (0..tags.length()).filter_map(|number| tags.item(number)?.dyn_into::<web_sys::Element>().ok());
    tags.map(|tag| {
        let color = tag.get_attribute("content").unwrap_or_default();
        (tag, color)
    })
    .collect()
}

/// The language that the user chose, else the browser's.
pub fn preferred_locale() -> Locale {
    stored(LOCALE_KEY).and_then(|text| text.parse().ok()).or_else(browser_locale).unwrap_or_default()
}

/// The first of the browser's languages that the page has.
fn browser_locale() -> Option<Locale> {
    let languages = window().navigator().languages();
    languages.iter().find_map(|tag| {
        let tag = tag.as_string()?;
        let language = tag.split('-').next().unwrap_or_default().to_ascii_lowercase();
        language.parse().ok()
    })
}

/// Whether a media query holds, followed for the life of the page.
fn media(query: &str) -> RwSignal<bool> {
    let list = window().match_media(query).ok().flatten();
    let holds = RwSignal::new(list.as_ref().is_some_and(web_sys::MediaQueryList::matches));
    if let Some(list) = list {
        let follow =
            Closure::<dyn FnMut(web_sys::MediaQueryListEvent)>::new(move |event: web_sys::MediaQueryListEvent| {
                holds.set(event.matches())
            });
        list.set_onchange(Some(follow.as_ref().unchecked_ref()));
        follow.forget();
    }
    holds
}

fn stored(key: &str) -> Option<String> {
    storage()?.get_item(key).ok().flatten()
}

fn store(key: &str, value: &str) {
    if let Some(storage) = storage() {
        storage.set_item(key, value).unwrap_or_default();
    }
}

pub(super) fn root_attribute(name: &str, value: Option<&str>) {
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
