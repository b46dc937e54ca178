//! The commands of the palette and what they do.

use coordination::category::Category;
use coordination::session::Status;
use leptos::prelude::*;
use leptos_router::hooks::use_location;
use leptos_router::location::Location;

use super::item::{Act, Face, Item, Narrow};
use crate::app::shell::Place;
use crate::components::status::status_face;
use crate::i18n::{Locale, Words, use_words};
use crate::queries::{Go, Key, Keys, use_go, use_keys};
use crate::routes::{
    ChangesFilter, DriftView, EventsFilter, SessionsFilter, TasksFilter, parse_query, paths, session_list,
};
use crate::state::{
    Clock, Hub, Preferences, Reading, Theme, Views, use_clock, use_hub, use_preferences, use_reading, use_views,
};
use crate::ui::toast::{Toasts, use_toasts};
use crate::ui::{Icon, clipboard};

/// What commands need.
#[derive(Clone)]
pub(super) struct Commands {
    words: Words,
    preferences: Preferences,
    keys: Keys,
    go: Go,
    toasts: Toasts,
    location: Location,
    hub: Hub,
    reading: Reading,
    clock: Clock,
    views: Views,
}

pub(super) fn use_commands() -> Commands {
    Commands {
        words: use_words(),
        preferences: use_preferences(),
        keys: use_keys(),
        go: use_go(),
        toasts: use_toasts(),
        location: use_location(),
        hub: use_hub(),
        reading: use_reading(),
        clock: use_clock(),
        views: use_views(),
    }
}

impl Commands {
    /// All commands that make sense here, in menu order. Reactive.
    pub(super) fn all(&self) -> Vec<Item> {
        let words = self.words.get();
        let tools = words.tools();
        let icon = |icon: Icon, id: &str, text: String, act: Act| Item::new(id, Face::Icon(icon), text, act);
        let mut out = Vec::new();
        if self.keys.knows(Key::Category) {
            let text = tools.change_category.to_owned();
            out.push(icon(Icon::Pen, "category", text, Act::Key(Key::Category)));
        }
        out.push(icon(Icon::Link, "link", tools.copy_link.to_owned(), Act::CopyLink));
        let unread = icon(Icon::ArrowRight, "unread", tools.next_unread.to_owned(), Act::Key(Key::Unread));
        out.push(Item { also: tools.also_unread.to_owned(), ..unread });
        out.push(icon(Icon::Check, "read", tools.all_read.to_owned(), Act::AllRead));
        for place in Place::ALL {
            let text = (tools.go_to)(place.name(words));
            out.push(icon(place.icon(), place.name(words), text, Act::Go(place.href())));
        }
        let record = words.record();
        let record =
            icon(Icon::Pen, "changes", (tools.go_to)(record.title), Act::Go(paths::changes(&ChangesFilter::default())));
        out.push(Item { also: tools.also_changes.to_owned(), ..record });
        let rules = words.rules().title;
        let rules = icon(Icon::Settings, "rules", (tools.go_to)(rules), Act::Go(paths::rules(None)));
        out.push(Item { also: tools.also_rules.to_owned(), ..rules });
        let drift = words.drift();
        let drift = icon(Icon::Chart, "drift", (tools.go_to)(drift.title), Act::Go(paths::drift(DriftView::default())));
        out.push(Item { also: tools.also_drift.to_owned(), ..drift });
        let views = words.views();
        for view in self.views.all() {
            let name = coordination::text::hidden::marked(&view.name).into_owned();
            let act = Act::Go(crate::routes::view(&view.path));
            let item = icon(Icon::Flag, &format!("v {}", view.path), (views.open)(&name), act);
            out.push(Item { also: views.also.to_owned(), ..item });
        }
        out.extend(self.looks());
        out.push(icon(Icon::Help, "keys", tools.key_sheet.to_owned(), Act::Key(Key::Sheet)));
        for category in Category::ALL {
            let text = (tools.category)((words.common.category)(category));
            let act = Act::Go(paths::category(category));
            out.push(Item::new(category.as_str(), Face::Category(category), text, act));
        }
        for status in Status::ALL {
            let text = (tools.only_status)((words.common.status)(status));
            let narrow = Narrow::Status(status);
            let item = icon(status_face(status).1, status.as_str(), text, Act::Narrow(narrow.clone()));
            out.push(Item { narrow: Some(narrow), ..item });
        }
        out
    }

    /// How the page looks, each command the one that changes something.
    fn looks(&self) -> Vec<Item> {
        let tools = self.words.get().tools();
        let Preferences { theme, compact, contrast, .. } = self.preferences;
        let icon = |icon: Icon, id: &str, text: &str, act: Act| Item::new(id, Face::Icon(icon), text, act);
        let themes = Theme::ALL.into_iter().zip(tools.to_theme).filter(|(other, _)| *other != theme.get());
        let also = |item: Item, words: &[&str]| Item { also: words.join(" "), ..item };
        let name = |theme| match theme {
            Theme::System => tools.theme_system,
            Theme::Light => tools.theme_light,
            Theme::Dark => tools.theme_dark,
        };
        let themed = |(to, text)| also(icon(Icon::Theme, text, text, Act::Theme(to)), &[name(to), tools.also_looks]);
        let mut out: Vec<Item> = themes.map(themed).collect();
        let other = if self.words.locale() == Locale::Ko { Locale::En } else { Locale::Ko };
        let language = icon(Icon::Talk, "language", tools.to_language, Act::Language(other));
        out.push(also(language, &[tools.also_language]));
        let density = if compact.get() { tools.to_comfortable } else { tools.to_compact };
        let density = icon(Icon::Fold, "density", density, Act::Compact(!compact.get()));
        out.push(also(density, &[tools.density, tools.also_looks]));
        let more = if contrast.get() { tools.to_usual_contrast } else { tools.to_more_contrast };
        let more = icon(Icon::Settings, "contrast", more, Act::Contrast(!contrast.get()));
        out.push(also(more, &[tools.contrast, tools.also_looks]));
        out
    }

    /// Does it. The palette is closed already.
    pub(super) fn run(&self, act: Act) {
        match act {
            Act::Go(href) => self.go.to(&href),
            Act::Narrow(narrow) => self.narrow(&narrow),
            Act::Theme(theme) => self.preferences.theme.set(theme),
            Act::Language(locale) => self.preferences.locale.set(locale),
            Act::Compact(on) => self.preferences.compact.set(on),
            Act::Contrast(on) => self.preferences.contrast.set(on),
            Act::CopyLink => self.copy_link(),
            Act::AllRead => self.all_read(),
            Act::Key(key) => {
                self.keys.run(key);
            }
        }
    }

    fn copy_link(&self) {
        let Ok(address) = window().location().href() else { return };
        let (toasts, words) = (self.toasts, self.words);
        clipboard::copy(&address, move |copied| {
            let common = &words.now().common;
            if copied { toasts.done(common.copied) } else { toasts.failed(common.copy_failed) }
        });
    }

    /// With a way back: what was unread is not known otherwise.
    fn all_read(&self) {
        let Self { reading, hub, clock, toasts, words, .. } = self.clone();
        let recent = hub.recent.get_untracked().unwrap_or_default();
        let before = reading.all_read(clock.now(), &recent);
        let tools = words.now().tools();
        toasts.done_with(tools.all_read_done, tools.undo, move || reading.undo_all_read(before.clone()));
    }

    /// A list of sessions is on screen. Reactive.
    pub(super) fn on_session_list(&self) -> bool {
        self.location.pathname.with(|path| session_list(path).is_some())
    }

    /// Narrows the list on screen where it can be, else the list of all sessions.
    pub(super) fn narrow(&self, narrow: &Narrow) {
        let path = self.location.pathname.get_untracked();
        let pairs = self.location.search.with_untracked(|search| parse_query(search));
        self.go.refine(&narrowed(&path, &pairs, narrow));
    }
}

/// The address at which the list is narrowed.
fn narrowed(path: &str, pairs: &[(String, String)], narrow: &Narrow) -> String {
    if let Narrow::Agent(agent) = narrow {
        match Place::of(path) {
            Some(Place::Events) => {
                let agents = vec![agent.clone()];
                return paths::events(&EventsFilter { agents, ..EventsFilter::from_pairs(pairs) });
            }
            Some(Place::Tasks) => {
                let agent = Some(agent.clone());
                return paths::tasks(&TasksFilter { agent, ..TasksFilter::from_pairs(pairs) });
            }
            _ => {}
        }
    }
    let list = session_list(path);
    let mut filter = if list.is_some() { SessionsFilter::from_pairs(pairs) } else { SessionsFilter::default() };
    match narrow {
        Narrow::Agent(agent) => filter.agent = Some(agent.clone()),
        Narrow::Tag(tag) => filter.tag = Some(tag.clone()),
        Narrow::Status(status) => filter.status = Some(*status),
        Narrow::Words(words) => filter.q = Some(words.clone()),
    }
    paths::sessions(list.flatten(), &filter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use coordination::ids::AgentId;

    /// A list page is filtered in place and keeps its other filters; other pages lead to the matching list.
    #[test]
    fn a_list_is_narrowed_where_it_stands_and_keeps_what_it_had() {
        let eden = Narrow::Agent(AgentId::from("eden"));
        let since = [("since".to_owned(), "7d".to_owned())];
        assert_eq!(narrowed("/c/infra_ops", &since, &eden), "/c/infra_ops?agent=eden&since=7d");
        assert_eq!(narrowed("/events", &since, &eden), "/events?agent=eden&since=7d");
        assert_eq!(narrowed("/tasks/miri/t1", &[], &eden), "/tasks?agent=eden");
        assert_eq!(narrowed("/", &since, &eden), "/all?agent=eden");
        assert_eq!(narrowed("/events", &since, &Narrow::Status(Status::Active)), "/all?status=active");
        assert_eq!(narrowed("/all", &[], &Narrow::Tag("a b".to_owned())), "/all?tag=a%20b");
        let words = Narrow::Words("배포".to_owned());
        assert_eq!(narrowed("/c/infra_ops", &since, &words), "/c/infra_ops?since=7d&q=%EB%B0%B0%ED%8F%AC");
    }
}
