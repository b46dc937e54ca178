//! Localization of the page in Korean and English. There is one message struct per area and one value of it per
//! language; the compiler checks completeness.
//!
//! Texts with arguments are functions. The browser's `Intl` formats dates and counts, and `number.rs` formats
//! percentages.
//!
//! The first load has the Korean words of the frame and of Home. The English ones are a lazy chunk (`english.rs`),
//! which is loaded before the page is shown in English. Words of other areas travel with the chunks that use them.

mod en;
mod english;
mod ko;
pub mod messages;
pub mod number;
mod particle;
pub mod time;

pub use particle::{Particle, with_particle};

use leptos::prelude::*;
use leptos::task::spawn_local;
use messages::Messages;

/// A language of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Locale {
    /// Korean, the first language.
    #[default]
    Ko,
    /// English.
    En,
}

impl Locale {
    /// All, in menu order.
    pub const ALL: [Self; 2] = [Self::Ko, Self::En];

    /// Language tag, also what is stored.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ko => "ko",
            Self::En => "en",
        }
    }

    /// Its messages; the Korean ones until its own are loaded.
    pub fn messages(self) -> &'static Messages {
        match self {
            Self::Ko => &ko::MESSAGES,
            Self::En => english::loaded().unwrap_or(&ko::MESSAGES),
        }
    }

    /// What it calls itself.
    pub fn own_name(self) -> &'static str {
        match self {
            Self::Ko => ko::OWN_NAME,
            Self::En => en::OWN_NAME,
        }
    }

    /// Loads its messages; false when they could not be had.
    pub async fn load(self) -> bool {
        self == Self::Ko || english::load().await
    }
}

impl std::str::FromStr for Locale {
    type Err = ();
    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|locale| text.starts_with(locale.as_str())).ok_or(())
    }
}

/// The words in the user's language. Read inside closures, so that switching the language is live.
#[derive(Clone, Copy)]
pub struct I18n(RwSignal<Locale>);

impl I18n {
    /// The messages; subscribes to the language.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn get(self) -> &'static Messages {
        self.0.get().messages()
    }

    /// The messages as they are now, for handlers.
    pub fn now(self) -> &'static Messages {
        self.0.get_untracked().messages()
    }

    /// The language; subscribes to it.
    #[cfg_attr(debug_assertions, track_caller)]
    pub fn locale(self) -> Locale {
        self.0.get()
    }
}

/// Makes the words of `locale` available below. They change once the words of a newly chosen language are loaded.
pub fn provide_i18n(locale: RwSignal<Locale>) {
    let shown = RwSignal::new(locale.get_untracked());
    // Fetches code.
    Effect::new(move |_| {
        let chosen = locale.get();
        if shown.get_untracked() == chosen {
            return;
        }
        spawn_local(async move {
            if chosen.load().await && locale.get_untracked() == chosen {
                shown.set(chosen);
            }
        });
    });
    provide_context(I18n(shown));
}

/// Gives a row of a list its own signal of the language, for all texts below. A signal takes the longer to lose a subscriber the
/// more it has, and a row that is removed takes all its texts away. Only for a row with an owner of its own that lives as long
/// as its texts: those that outlive the signal no longer work.
pub fn provide_row_i18n() {
    let whole = use_i18n().0;
    let row = RwSignal::new(whole.get_untracked());
    Effect::new(move |_| {
        let locale = whole.get();
        if row.get_untracked() != locale {
            row.set(locale);
        }
    });
    provide_context(I18n(row));
}

/// The words in the user's language.
pub fn use_i18n() -> I18n {
    use_context().unwrap_or_else(|| I18n(RwSignal::new(Locale::default())))
}
