//! Icons of the page on a 20 px grid, as one enum. An icon is hidden from screen readers, so the element around it
//! needs a text or an `aria-label`. Write `{Icon::Home}` in a view; inside a closure, `{move || icon().into_render()}`.

use leptos::prelude::*;

/// One icon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Icon {
    Archive,
    ArrowDown,
    ArrowRight,
    ArrowUp,
    Bell,
    Blocked,
    Flow,
    Chart,
    Check,
    ChevronDown,
    ChevronLeft,
    ChevronRight,
    Clock,
    Close,
    Copy,
    Dash,
    Event,
    File,
    Filter,
    Flag,
    Fold,
    Grid,
    Help,
    Home,
    Hourglass,
    Link,
    Live,
    More,
    NoReply,
    Offline,
    Ok,
    Pen,
    Person,
    Plan,
    Plus,
    Quiet,
    Raw,
    Retry,
    Search,
    Settings,
    Talk,
    Task,
    Theme,
    Todo,
    Warn,
    /// A ring that turns while something is in progress (still under reduced motion).
    Running,
}

impl Icon {
    /// Stroked path and filled path on the 20 px grid, for drawings that set the icon themselves.
    pub fn paths(self) -> (&'static str, &'static str) {
        match self {
            Self::Archive => ("M3 4.5h14v3.5H3zM4.5 8v8h11V8M8 11h4", ""),
            Self::ArrowDown => ("M10 3.5V16M5.5 11.5 10 16l4.5-4.5", ""),
            Self::ArrowRight => ("M3.5 10h12.5M11.5 5.5 16 10l-4.5 4.5", ""),
            Self::ArrowUp => ("M10 16.5V4M5.5 8.5 10 4l4.5 4.5", ""),
            Self::Bell => ("M5 14V9a5 5 0 0 1 10 0v5l1.5 1.5h-13zM8.3 17.3h3.4M10 4V2.8", ""),
            Self::Blocked => ("M3 10a7 7 0 1 0 14 0a7 7 0 1 0 -14 0zM5.2 5.2l9.6 9.6", ""),
            Self::Flow => (
                "M5 3v3.2c0 3.8 10 3.8 10 7.6V17M15 3v3.2c0 1.6-1.8 2.5-3.7 3.2M8.7 10.6C6.8 11.3 5 12.2 5 13.8V17",
                "",
            ),
            Self::Chart => ("M4 16.5v-6M10 16.5V4M16 16.5V8", ""),
            Self::Check => ("m4 10.5 4 4 8-9", ""),
            Self::ChevronDown => ("m5 8 5 5 5-5", ""),
            Self::ChevronLeft => ("m12 5-5 5 5 5", ""),
            Self::ChevronRight => ("m8 5 5 5-5 5", ""),
            Self::Clock => ("M3 10a7 7 0 1 0 14 0a7 7 0 1 0 -14 0zM10 6v4.2l2.8 1.8", ""),
            Self::Close => ("m5.5 5.5 9 9m0-9-9 9", ""),
            Self::Copy => (
                "M8.5 7h6a1.5 1.5 0 0 1 1.5 1.5v6.5a1.5 1.5 0 0 1 -1.5 1.5h-6a1.5 1.5 0 0 1 -1.5 -1.5v-6.5a1.5 1.5 0 0 1 1.5 -1.5zM13 7V4.5A1 1 0 0 0 12 3.5H5A1 1 0 0 0 4 4.5v7a1 1 0 0 0 1 1h2",
                "",
            ),
            Self::Dash => ("M5 10h10", ""),
            Self::Event => (
                "M5.5 3v14M5.5 6.5h6a3 3 0 0 1 3 3v1M12.3 13a2.2 2.2 0 1 0 4.4 0a2.2 2.2 0 1 0 -4.4 0z",
                "M4.3 6.5a1.2 1.2 0 1 0 2.4 0a1.2 1.2 0 1 0 -2.4 0z",
            ),
            Self::File => ("M5 3h6.5L15.5 7v10H5zM11.5 3v4h4", ""),
            Self::Filter => ("M3 5h14M5.5 10h9M8.5 15h3", ""),
            Self::Flag => ("M5 17V3.5h9.5l-2 3.5 2 3.5H5", ""),
            Self::Fold => ("M10 2.5v4M7.5 4.5 10 7l2.5-2.5M10 17.5v-4M7.5 15.5 10 13l2.5 2.5M3 10h14", ""),
            Self::Grid => ("M3.5 3.5h5.5v5.5H3.5zM11 3.5h5.5v5.5H11zM3.5 11h5.5v5.5H3.5zM11 11h5.5v5.5H11z", ""),
            Self::Help => {
                ("M3 10a7 7 0 1 0 14 0a7 7 0 1 0 -14 0zM7.9 8a2.2 2.2 0 1 1 3.1 2c-.7.35-1 .8-1 1.6M10 14v.01", "")
            }
            Self::Home => ("M3 9.2 10 3.5l7 5.7V16.5H12v-4.5H8v4.5H3z", ""),
            Self::Hourglass => {
                ("M5.5 3h9M5.5 17h9M6.5 3c0 4 3.5 5 3.5 7s-3.5 3-3.5 7M13.5 3c0 4-3.5 5-3.5 7s3.5 3 3.5 7", "")
            }
            Self::Link => {
                ("M8.5 11.5 11.5 8.5M9.5 6l2-2a3.2 3.2 0 0 1 4.5 4.5l-2 2M10.5 14l-2 2A3.2 3.2 0 0 1 4 11.5l2-2", "")
            }
            Self::Live => (
                "M6 14a5.6 5.6 0 0 1 0-8M14 6a5.6 5.6 0 0 1 0 8M3.7 16.3a8.9 8.9 0 0 1 0-12.6M16.3 3.7a8.9 8.9 0 0 1 0 12.6",
                "M7.7 10a2.3 2.3 0 1 0 4.6 0a2.3 2.3 0 1 0 -4.6 0z",
            ),
            Self::More => (
                "",
                "M4.5 10m-1.3 0a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0 -2.6 0M10 10m-1.3 0a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0 -2.6 0M15.5 10m-1.3 0a1.3 1.3 0 1 0 2.6 0a1.3 1.3 0 1 0 -2.6 0",
            ),
            Self::NoReply => ("M3.5 4.5h13v8.5H9.5L6 16v-3H3.5zM8 6.8l4 4m0-4-4 4", ""),
            Self::Offline => (
                "m3.5 3.5 13 13M6 14a5.6 5.6 0 0 1-.7-7M14 6a5.6 5.6 0 0 1 .7 7M3.7 16.3a8.9 8.9 0 0 1-.6-11.8M16.3 3.7a8.9 8.9 0 0 1 .6 11.8",
                "",
            ),
            Self::Ok => ("M3 10a7 7 0 1 0 14 0a7 7 0 1 0 -14 0zM6.8 10.3l2.3 2.3 4.2-5", ""),
            Self::Pen => ("m4 16 .8-3.2L13.5 4l2.5 2.5-8.8 8.7z", ""),
            Self::Person => ("M7 6.5a3 3 0 1 0 6 0a3 3 0 1 0 -6 0zM4 17c.4-3.6 2.8-5.5 6-5.5s5.6 1.9 6 5.5", ""),
            Self::Plan => ("M5 3.5h10v13H5zM8 7.5h4M8 10.5h4M8 13.5h2", ""),
            Self::Plus => ("M10 5v10M5 10h10", ""),
            Self::Quiet => ("M3.5 10a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0 -13 0zM7 10h6", ""),
            Self::Raw => {
                ("M7 4.5C5 4.5 5.5 9 3.5 10 5.5 11 5 15.5 7 15.5M13 4.5c2 0 1.5 4.5 3.5 5.5-2 1-1.5 5.5-3.5 5.5", "")
            }
            Self::Retry => ("M16 10a6 6 0 1 1-1.9-4.4M16.3 2.8v3.4h-3.4", ""),
            Self::Search => ("M3.8 9a5.2 5.2 0 1 0 10.4 0a5.2 5.2 0 1 0 -10.4 0zM13 13l3.8 3.8", ""),
            Self::Settings => (
                "M3 6h7M14 6h3M3 14h3M10 14h7M10 6a2 2 0 1 0 4 0a2 2 0 1 0 -4 0zM6 14a2 2 0 1 0 4 0a2 2 0 1 0 -4 0z",
                "",
            ),
            Self::Talk => ("M3 4.5h10.5v7H7.5L4.5 14v-2.5H3zM15.5 8H17v6h-1.2v2.2L13.3 14H9.5", ""),
            Self::Task => (
                "M5.5 3.5h9a2 2 0 0 1 2 2v9a2 2 0 0 1 -2 2h-9a2 2 0 0 1 -2 -2v-9a2 2 0 0 1 2 -2zM6.8 10.2l2.3 2.3 4.3-5",
                "",
            ),
            Self::Theme => ("M3.5 10a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0 -13 0z", "M10 3.5v13a6.5 6.5 0 0 0 0-13z"),
            Self::Todo => ("M3.5 10a6.5 6.5 0 1 0 13 0a6.5 6.5 0 1 0 -13 0z", ""),
            Self::Warn => ("M10 3 17.3 16.5H2.7zM10 8v4M10 14.2v.01", ""),
            Self::Running => ("", ""),
        }
    }
}

impl IntoRender for Icon {
    type Output = AnyView;

    fn into_render(self) -> AnyView {
        if self == Self::Running {
            return view! {
                <svg class="icon icon--ring" viewBox="0 0 20 20" aria-hidden="true">
                    <circle cx="10" cy="10" r="6.5" opacity=".35" />
                    <circle class="icon__turn" cx="10" cy="10" r="6.5" stroke-dasharray="14 40" stroke-width="2" />
                    <circle class="icon__dot" cx="10" cy="10" r="1.7" />
                </svg>
            }
            .into_any();
        }
        let (stroke, fill) = self.paths();
        // Most icons are one line; parts that are not there would each leave a node in the document.
        let paths = match (stroke, fill) {
            (stroke, "") => view! { <path d=stroke /> }.into_any(),
            ("", fill) => view! { <path class="icon__dot" d=fill /> }.into_any(),
            (stroke, fill) => view! {
                <path d=stroke />
                <path class="icon__dot" d=fill />
            }
            .into_any(),
        };
        view! {
            <svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
                {paths}
            </svg>
        }
        .into_any()
    }
}
