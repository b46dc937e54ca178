//! Masthead component: brand, navigation, badge of a demo or an older monitor, link back to the site that hosts the
//! dashboard, search, settings, language and shortcut buttons, and the connection indicator with the age of the data.

use leptos::prelude::*;

use super::announce::use_new_talk;
use super::keys::KeysButton;
use super::language::LanguageButton;
use super::search::SearchButton;
use super::shell::{MenuItem, use_place};
use super::tools::{SettingsMenu, ToolDialogs};
use crate::i18n::{time, use_i18n};
use crate::routes::paths;
use crate::state::{Connection, Transport, use_clock, use_connection, use_hub};
use crate::ui::Icon;

/// Top bar of every page: brand, navigation, host link, search, settings, language, shortcuts and connection.
#[component]
pub(super) fn Masthead(tools: ToolDialogs) -> impl IntoView {
    let words = use_i18n();
    let place = use_place();
    let nav = view! {
        <nav class="masthead__nav" aria-label=move || words.get().shell.nav>
            {MenuItem::shown()
                .map(|this| {
                    view! {
                        <a
                            href=this.href()
                            aria-current=move || (place.get() == Some(this)).then_some("page")
                        >
                            {move || this.word()}
                        </a>
                    }
                })
                .collect_view()}
        </nav>
    };
    view! {
        <MastheadBar nav=nav.into_any()>
            <SourceBadge />
            <MastheadHostLink />
            <SearchButton tools=tools />
            <SettingsMenu />
            <LanguageButton />
            <KeysButton sheet=tools.sheet />
            <ConnectionMark />
        </MastheadBar>
    }
}

/// The bar with the brand, `nav` and, at its end, `children`.
#[component]
pub(super) fn MastheadBar(nav: AnyView, children: Children) -> impl IntoView {
    let words = use_i18n();
    view! {
        <header class="masthead">
            <a class="brand" href=paths::home()>
                {Icon::Flow}
                <span>
                    {move || words.get().shell.product} " "
                    <small>{move || words.get().shell.product_part}</small>
                </span>
            </a>
            {nav}
            <div class="masthead__end">{children()}</div>
        </header>
    }
}

/// Link back to a page of the host. The meta value `task-hub:host-link` holds its label, a blank and its address; only
/// the label may hold blanks. Shows nothing without a valid value.
#[component]
pub(super) fn MastheadHostLink() -> impl IntoView {
    let link = crate::source::meta("task-hub:host-link").unwrap_or_default();
    let link = link.trim().rsplit_once(' ').filter(|(_, href)| leads_to_a_page(href));
    let link = link.map(|(label, href)| (label.trim().to_owned(), href.to_owned()));
    link.map(|(label, href)| {
        view! {
            <a class="host-link" href=href rel="external" target="_self">
                {Icon::ChevronLeft}
                <span>{label}</span>
            </a>
        }
    })
}

/// A web address or a path. A host may fill the tag from untrusted input, and an address can be a program.
fn leads_to_a_page(href: &str) -> bool {
    let is_web = ["https://", "http://"].iter().any(|scheme| href.to_ascii_lowercase().starts_with(scheme));
    is_web || !href.split(['/', '?', '#']).next().unwrap_or_default().contains(':')
}

/// Badges for data that is not an ordinary home: demo data, or an older monitor. Shows nothing otherwise.
#[component]
fn SourceBadge() -> impl IntoView {
    let words = use_i18n();
    let hub = use_hub();
    let compat = use_connection().compat;
    let demo = Memo::new(move |_| hub.home.with(|home| home.as_ref().is_some_and(|home| home.source.demo)));
    view! {
        {move || {
            demo.get()
                .then(|| view! { <span class="source-badge" title=move || words.get().shell.demo_hint>{move || words.get().shell.demo}</span> })
        }}
        {move || {
            compat
                .get()
                .then(|| view! { <span class="source-badge" title=move || words.get().shell.compat_hint>{move || words.get().shell.compat}</span> })
        }}
    }
}

/// Button with the connection and the age of the data; it opens the data panel. A live region announces changes of the
/// connection and new messages.
#[component]
fn ConnectionMark() -> impl IntoView {
    let words = use_i18n();
    let connection = use_connection();
    let hub = use_hub();
    let clock = use_clock();
    let newest = Memo::new(move |_| hub.present.with(|home| home.as_ref().and_then(|home| home.source.newest_event)));
    let class = move || match connection.shown() {
        Connection::Live { .. } | Connection::Files => "connection is-live",
        Connection::Connecting | Connection::Stale { .. } => "connection is-warn",
        Connection::Offline { .. } => "connection is-bad",
    };
    let icon = move || match connection.shown() {
        Connection::Live { transport: Transport::Poll } => Icon::Clock,
        Connection::Live { .. } => Icon::Live,
        Connection::Files => Icon::File,
        Connection::Connecting => Icon::Retry,
        Connection::Stale { .. } => Icon::Clock,
        Connection::Offline { .. } => Icon::Offline,
    };
    let word = move || {
        let shell = &words.get().shell;
        match connection.shown() {
            Connection::Connecting => shell.connecting,
            Connection::Files => shell.files,
            Connection::Live { transport: Transport::Socket } => shell.live,
            Connection::Live { transport: Transport::Events } => shell.streaming,
            Connection::Live { transport: Transport::Poll } => shell.polling,
            Connection::Stale { .. } => shell.stale,
            Connection::Offline { attempt: ..=1, .. } => shell.reconnecting,
            Connection::Offline { .. } => shell.offline,
        }
    };
    let age = move || {
        let (locale, shell) = (words.locale(), &words.get().shell);
        match connection.shown() {
            Connection::Connecting => String::new(),
            Connection::Live { .. } | Connection::Files => match newest.get() {
                Some(at) => time::data_age(locale, clock.running_second(), at),
                None => shell.no_event_yet.to_owned(),
            },
            Connection::Stale { since } | Connection::Offline { since: Some(since), .. } => {
                time::data_age(locale, clock.running_second(), since)
            }
            Connection::Offline { since: None, .. } => shell.never_seen.to_owned(),
        }
    };
    // The age of what, where it is not that of the connection.
    let of_what = move || {
        let live =
            matches!(connection.shown(), Connection::Live { .. } | Connection::Files) && newest.with(Option::is_some);
        if live { words.get().shell.newest_event } else { "" }
    };
    let title = move || {
        let (locale, shell) = (words.locale(), &words.get().shell);
        match (connection.shown(), newest.get()) {
            (Connection::Live { .. } | Connection::Connecting | Connection::Files, Some(at)) => {
                (shell.last_event)(&time::exact(locale, at))
            }
            (_, _) => connection
                .last_received
                .get()
                .map(|at| (shell.last_received)(&time::exact(locale, at)))
                .unwrap_or_default(),
        }
    };
    let talk = use_new_talk();
    view! {
        // The name is all of its text, also what a narrow window hides. It is read when the button has the focus; only the
        // word is announced by itself.
        <button
            type="button"
            class=class
            title=title
            aria-haspopup="dialog"
            on:click=move |_| connection.panel.set(true)
        >
            {move || icon().into_render()}
            <span class="visually-hidden">{move || format!("{}: ", words.get().shell.data_state)}</span>
            <span class="connection__word">{word}</span>
            <span class="connection__age">
                {move || (!age().is_empty()).then_some("· ")} <span class="connection__what">{of_what} " "</span> {age}
            </span>
        </button>
        <span class="visually-hidden" role="status" aria-label=move || words.get().shell.connection>
            {word}
            // A separate live region, so that unchanged text is not read again.
            <span>{move || Some(talk.get()).filter(|text| !text.is_empty()).map(|text| format!(". {text}"))}</span>
        </span>
    }
}

#[cfg(test)]
mod tests {
    use super::leads_to_a_page;

    #[test]
    fn the_way_back_is_never_a_program() {
        for good in ["/", "..", "https://hub.example/", "/hub?a=b:c"] {
            assert!(leads_to_a_page(good), "{good}");
        }
        for bad in
            ["javascript:alert(1)", "JaVaScRiPt:1", "java\tscript:1", "data:text/html,x", "vbscript:1", "https:x"]
        {
            assert!(!leads_to_a_page(bad), "{bad}");
        }
    }
}
