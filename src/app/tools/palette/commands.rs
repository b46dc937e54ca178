//! Commands of the palette, with the action that each of them runs.

use coordination::category::Category;
use coordination::session::Status;
use leptos::prelude::*;
use leptos_router::hooks::use_location;
use leptos_router::location::Location;

use super::item::{Face, PaletteAction, PaletteItem, PaletteScope};
use crate::app::shell::MenuItem;
use crate::components::status::session_status_style;
use crate::i18n::{I18n, Locale, use_i18n};
use crate::queries::{Go, Shortcut, ShortcutHandlers, use_go, use_keys};
use crate::routes::{
    ChangesFilter, DriftView, EventsFilter, SessionsFilter, TasksFilter, is_evidence_page, parse_query, paths,
    session_list,
};
use crate::state::{
    FilesChoice, HubState, OpenedFiles, PageClock, Preferences, ReadMarks, Theme, Views, use_clock, use_files, use_hub,
    use_preferences, use_reading, use_views,
};
use crate::ui::toast::{Toasts, use_toasts};
use crate::ui::{Icon, clipboard};

/// What commands need.
#[derive(Clone)]
pub(super) struct Commands {
    words: I18n,
    preferences: Preferences,
    keys: ShortcutHandlers,
    go: Go,
    toasts: Toasts,
    location: Location,
    hub: HubState,
    reading: ReadMarks,
    clock: PageClock,
    views: Views,
    files: OpenedFiles,
}

pub(super) fn use_commands() -> Commands {
    Commands {
        words: use_i18n(),
        preferences: use_preferences(),
        keys: use_keys(),
        go: use_go(),
        toasts: use_toasts(),
        location: use_location(),
        hub: use_hub(),
        reading: use_reading(),
        clock: use_clock(),
        views: use_views(),
        files: use_files(),
    }
}

impl Commands {
    /// All commands that make sense here, in menu order. Reactive.
    pub(super) fn all(&self) -> Vec<PaletteItem> {
        let words = self.words.get();
        let tools = words.tools();
        let icon =
            |icon: Icon, id: &str, text: String, act: PaletteAction| PaletteItem::new(id, Face::Icon(icon), text, act);
        let mut out = Vec::new();
        if self.keys.knows(Shortcut::Category) {
            let text = tools.change_category.to_owned();
            out.push(icon(Icon::Pen, "category", text, PaletteAction::Key(Shortcut::Category)));
        }
        out.push(icon(Icon::Link, "link", tools.copy_link.to_owned(), PaletteAction::CopyLink));
        let unread =
            icon(Icon::ArrowRight, "unread", tools.next_unread.to_owned(), PaletteAction::Key(Shortcut::Unread));
        out.push(PaletteItem { also: tools.also_unread.to_owned(), ..unread });
        out.push(icon(Icon::Check, "read", tools.all_read.to_owned(), PaletteAction::AllRead));
        for place in MenuItem::shown() {
            let text = (tools.go_to)(place.name(words));
            out.push(icon(place.icon(), place.name(words), text, PaletteAction::Go(place.href())));
        }
        if !is_evidence_page() {
            out.extend(self.records());
        }
        if self.hub.has_past() {
            let past = icon(Icon::Clock, "past", words.past().open.to_owned(), PaletteAction::Past);
            out.push(PaletteItem { also: words.past().also.to_owned(), ..past });
        }
        let files = words.files();
        for (id, name, choice) in
            [("files", files.command, FilesChoice::Files), ("folder", files.folder_command, FilesChoice::Folder)]
        {
            let open = icon(Icon::File, id, name.to_owned(), PaletteAction::OpenFiles(choice));
            out.push(PaletteItem { also: files.also.to_owned(), ..open });
        }
        let views = words.views();
        for view in self.views.all() {
            let name = coordination::text::hidden::marked(&view.name).into_owned();
            let act = PaletteAction::Go(crate::routes::view(&view.path));
            let item = icon(Icon::Flag, &format!("v {}", view.path), (views.open)(&name), act);
            out.push(PaletteItem { also: views.also.to_owned(), ..item });
        }
        out.extend(self.looks());
        out.push(icon(Icon::Help, "keys", tools.key_sheet.to_owned(), PaletteAction::Key(Shortcut::Sheet)));
        for category in Category::ALL {
            let text = (tools.category)((words.common.category)(category));
            let act = PaletteAction::Go(paths::category(category));
            out.push(PaletteItem::new(category.as_str(), Face::Category(category), text, act));
        }
        for status in Status::ALL {
            let text = (tools.only_status)((words.common.status)(status));
            let narrow = PaletteScope::Status(status);
            let item =
                icon(session_status_style(status).icon, status.as_str(), text, PaletteAction::Narrow(narrow.clone()));
            out.push(PaletteItem { narrow: Some(narrow), ..item });
        }
        out
    }

    /// Pages that no menu names and that an evidence page does not have.
    fn records(&self) -> [PaletteItem; 4] {
        let words = self.words.get();
        let tools = words.tools();
        let item = |icon: Icon, id: &str, title: &str, path: String, also: &str| {
            let item = PaletteItem::new(id, Face::Icon(icon), (tools.go_to)(title), PaletteAction::Go(path));
            PaletteItem { also: also.to_owned(), ..item }
        };
        let changes = paths::changes(&ChangesFilter::default());
        let drift = paths::drift(DriftView::default());
        [
            item(Icon::Pen, "changes", words.record().title, changes, tools.also_changes),
            item(Icon::Settings, "rules", words.rules().title, paths::rules(None), tools.also_rules),
            item(Icon::Bell, "alerts", words.alert_rules().title, paths::alert_rules(), tools.also_alerts),
            item(Icon::Chart, "drift", words.drift().title, drift, tools.also_drift),
        ]
    }

    /// How the page looks, each command the one that changes something.
    fn looks(&self) -> Vec<PaletteItem> {
        let tools = self.words.get().tools();
        let Preferences { theme, compact, contrast, .. } = self.preferences;
        let icon =
            |icon: Icon, id: &str, text: &str, act: PaletteAction| PaletteItem::new(id, Face::Icon(icon), text, act);
        let themes = Theme::ALL.into_iter().zip(tools.to_theme).filter(|(other, _)| *other != theme.get());
        let also = |item: PaletteItem, words: &[&str]| PaletteItem { also: words.join(" "), ..item };
        let name = |theme| match theme {
            Theme::System => tools.theme_system,
            Theme::Light => tools.theme_light,
            Theme::Dark => tools.theme_dark,
        };
        let themed =
            |(to, text)| also(icon(Icon::Theme, text, text, PaletteAction::Theme(to)), &[name(to), tools.also_looks]);
        let mut out: Vec<PaletteItem> = themes.map(themed).collect();
        let other = if self.words.locale() == Locale::Ko { Locale::En } else { Locale::Ko };
        let language = icon(Icon::Talk, "language", tools.to_language, PaletteAction::Language(other));
        out.push(also(language, &[tools.also_language]));
        let density = if compact.get() { tools.to_comfortable } else { tools.to_compact };
        let density = icon(Icon::Fold, "density", density, PaletteAction::Compact(!compact.get()));
        out.push(also(density, &[tools.density, tools.also_looks]));
        let more = if contrast.get() { tools.to_usual_contrast } else { tools.to_more_contrast };
        let more = icon(Icon::Settings, "contrast", more, PaletteAction::Contrast(!contrast.get()));
        out.push(also(more, &[tools.contrast, tools.also_looks]));
        out
    }

    /// Does it. The palette is closed already.
    pub(super) fn run(&self, act: PaletteAction) {
        match act {
            PaletteAction::Go(href) => self.go.to(&href),
            PaletteAction::Narrow(narrow) => self.narrow(&narrow),
            PaletteAction::Theme(theme) => self.preferences.theme.set(theme),
            PaletteAction::Language(locale) => self.preferences.locale.set(locale),
            PaletteAction::Compact(on) => self.preferences.compact.set(on),
            PaletteAction::Contrast(on) => self.preferences.contrast.set(on),
            PaletteAction::CopyLink => self.copy_link(),
            PaletteAction::Past => self.go.to_recent_past(),
            PaletteAction::OpenFiles(choice) => self.files.choose(choice),
            PaletteAction::AllRead => self.all_read(),
            PaletteAction::Key(key) => {
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
    pub(super) fn narrow(&self, narrow: &PaletteScope) {
        let path = self.location.pathname.get_untracked();
        let pairs = self.location.search.with_untracked(|search| parse_query(search));
        self.go.refine(&narrowed(&path, &pairs, narrow));
    }
}

/// The address at which the list is narrowed.
fn narrowed(path: &str, pairs: &[(String, String)], narrow: &PaletteScope) -> String {
    if let PaletteScope::Agent(agent) = narrow {
        match MenuItem::from_path(path) {
            Some(MenuItem::Events) => {
                let agents = vec![agent.clone()];
                return paths::events(&EventsFilter { agents, ..EventsFilter::from_pairs(pairs) });
            }
            Some(MenuItem::Tasks) => {
                let agent = Some(agent.clone());
                return paths::tasks(&TasksFilter { agent, ..TasksFilter::from_pairs(pairs) });
            }
            _ => {}
        }
    }
    let list = session_list(path);
    let mut filter = if list.is_some() { SessionsFilter::from_pairs(pairs) } else { SessionsFilter::default() };
    match narrow {
        PaletteScope::Agent(agent) => filter.agent = Some(agent.clone()),
        PaletteScope::Tag(tag) => filter.tag = Some(tag.clone()),
        PaletteScope::Status(status) => filter.status = Some(*status),
        PaletteScope::Words(words) => filter.q = Some(words.clone()),
    }
    paths::sessions(list.flatten(), &filter)
}

#[cfg(test)]
mod tests {
    use super::*;
    use coordination::ids::AgentId;

    /// A list page is filtered in place and keeps its other filters; other pages lead to the matching list.
    #[test]
    fn narrowing_command_keeps_list_filters() {
        let eden = PaletteScope::Agent(AgentId::from("eden"));
        let since = [("since".to_owned(), "7d".to_owned())];
        assert_eq!(narrowed("/c/infra_ops", &since, &eden), "/c/infra_ops?agent=eden&since=7d");
        assert_eq!(narrowed("/events", &since, &eden), "/events?agent=eden&since=7d");
        assert_eq!(narrowed("/tasks/miri/t1", &[], &eden), "/tasks?agent=eden");
        assert_eq!(narrowed("/", &since, &eden), "/all?agent=eden");
        assert_eq!(narrowed("/events", &since, &PaletteScope::Status(Status::Active)), "/all?status=active");
        assert_eq!(narrowed("/all", &[], &PaletteScope::Tag("a b".to_owned())), "/all?tag=a%20b");
        let words = PaletteScope::Words("배포".to_owned());
        assert_eq!(narrowed("/c/infra_ops", &since, &words), "/c/infra_ops?since=7d&q=%EB%B0%B0%ED%8F%AC");
    }
}
