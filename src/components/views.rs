//! Menu of the saved views of a list: open, save, rename, reorder, share, remove. Views are stored in this browser, and
//! those for everybody in the home. A notice offers to save a view that was opened by a shared link.

use coordination::api::TeamView;
use coordination::text::hidden;
use leptos::ev;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use super::hidden::Name;
use super::team_views::{TeamViewGroup, TeamViews, use_team_views};
use crate::i18n::{I18n, use_i18n};
use crate::queries::{use_go, use_pairs};
use crate::routes::{below, kind_of, shared_name, shared_view};
use crate::state::{MAX_NAME_CHARS, SavedView, use_views};
use crate::ui::band::Band;
use crate::ui::live_rows::LiveRows;
use crate::ui::more_menu::{MenuAction, MoreMenu};
use crate::ui::toast::{Toasts, use_toasts};
use crate::ui::{Icon, Tone, clipboard};

/// Menu of the saved views of a list. `path` is the address on screen as its filters write it.
#[component]
pub fn SavedViews(#[prop(into)] path: Signal<String>) -> impl IntoView {
    let words = use_i18n();
    let views = use_views();
    let menu = NodeRef::<html::Details>::new();
    let path = Memo::new(move |_| path.with(|path| below(path).to_owned()));
    let here = Memo::new(move |_| path.with(|path| views.view_of(path)));
    let of_kind = Memo::new(move |_| {
        let kind = path.with(|path| kind_of(path).to_owned());
        views.all().into_iter().filter(|view| kind_of(&view.path) == kind).collect::<Vec<_>>()
    });
    let close = move || {
        if let Some(menu) = menu.get_untracked() {
            menu.remove_attribute("open").unwrap_or_default();
        }
    };
    let leave = move |event: ev::FocusEvent| {
        let to = event.related_target().and_then(|to| to.dyn_into::<web_sys::Node>().ok());
        if to.is_some() && menu.get_untracked().is_some_and(|menu| !menu.contains(to.as_ref())) {
            close();
        }
    };
    let pressed = window_event_listener(ev::pointerdown, move |event| {
        let at = event.target().and_then(|at| at.dyn_into::<web_sys::Node>().ok());
        if menu.get_untracked().is_some_and(|menu| !menu.contains(at.as_ref())) {
            close();
        }
    });
    on_cleanup(move || pressed.remove());
    // The focused button may be removed: move the focus, so that keyboard use continues.
    let keep_focus = Callback::new(move |()| {
        request_animation_frame(move || {
            let Some(Some(menu)) = menu.try_get_untracked() else { return };
            let lost = document().active_element().is_none_or(|here| here.tag_name() == "BODY");
            let button = menu.query_selector("summary").ok().flatten().and_then(|button| button.dyn_into().ok());
            if let (true, Some(button)) = (lost, button) {
                web_sys::HtmlElement::focus(&button).unwrap_or_default();
            }
        });
    });
    let toasts = use_toasts();
    let save = Callback::new(move |name: String| {
        let words = words.now().views();
        if views.save(&name, &path.get_untracked()) {
            toasts.done((words.saved)(name.trim()));
            keep_focus.run(());
        } else {
            toasts.failed(words.full);
        }
    });
    let escape = move |event: ev::KeyboardEvent| {
        let open = menu.get_untracked().filter(|menu| menu.has_attribute("open"));
        if let (Some(menu), "Escape", false) = (open, event.key().as_str(), event.is_composing()) {
            event.stop_propagation();
            close();
            let button = menu.query_selector("summary").ok().flatten().and_then(|button| button.dyn_into().ok());
            if let Some(button) = button {
                web_sys::HtmlElement::focus(&button).unwrap_or_default();
            }
        }
    };
    let label = move || here.with(|here| here.as_ref().map(|view| view.name.clone()));
    let label = move || label().unwrap_or_else(|| words.get().views().title.to_owned());
    let team = use_team_views();
    let on_open = Callback::new(move |()| close());
    let row = move |view: Memo<SavedView>| {
        view! { <SavedViewRow view=view path=path team=team on_open=on_open on_gone=keep_focus /> }.into_any()
    };
    view! {
        <details class="views" node_ref=menu on:focusout=leave on:keydown=escape>
            <summary class="views__button" class:is-on=move || here.with(Option::is_some)>
                {Icon::Flag}
                <span>{label}</span>
                {Icon::ChevronDown}
            </summary>
            <div class="views__panel" role="group" aria-label=move || words.get().views().title>
                <ul>
                    <LiveRows each=move || of_kind.get() key=|view| view.path.clone() draw=row />
                </ul>
                {move || of_kind.with(Vec::is_empty).then(|| view! { <p class="views__none">{move || words.get().views().none}</p> })}
                {move || here.with(Option::is_none).then(|| {
                    view! {
                        <NameForm
                            label=Signal::derive(move || words.get().views().save.to_owned())
                            act=Signal::derive(move || words.get().views().save_now.to_owned())
                            name=String::new()
                            on_name=save
                        />
                    }
                })}
                <p class="views__note">{move || words.get().views().stored_here}</p>
                <TeamViewGroup views=team path=path on_open=on_open />
            </div>
        </details>
    }
}

/// One saved view: its link and its menu. While it is renamed, a form replaces the link.
#[component]
fn SavedViewRow(
    view: Memo<SavedView>,
    path: Memo<String>,
    team: TeamViews,
    on_open: Callback<()>,
    /// What had the focus may be gone.
    on_gone: Callback<()>,
) -> impl IntoView {
    let words = use_i18n();
    let (views, toasts) = (use_views(), use_toasts());
    let renaming = RwSignal::new(false);
    let saved_path = move || view.with_untracked(|view| view.path.clone());
    let text = move |word: fn(&crate::i18n::messages::SavedViewsMessages) -> &'static str| {
        Signal::derive(move || word(words.get().views()).to_owned())
    };
    let copy = move || view.with_untracked(|view| copy_view_link(&view.path, &view.name, words, toasts));
    let share = move || {
        let SavedView { name, path, home } = view.get_untracked();
        let own = path.clone();
        team.share(TeamView { name, path, home }, move || {
            views.remove(&own);
            on_gone.try_run(());
        });
    };
    let offered =
        Signal::derive(move || if team.is_offered() { words.get().views().share.to_owned() } else { String::new() });
    let remove = move || {
        let Some((at, view)) = views.remove(&saved_path()) else { return };
        on_gone.run(());
        let words = words.now();
        toasts.done_with((words.views().removed)(&view.name), words.common.undo, move || {
            views.put_back(at, view.clone())
        });
    };
    let shift = move |down: bool| {
        let kind = kind_of(&saved_path()).to_owned();
        views.shift(&saved_path(), down, |other| kind_of(&other.path) == kind);
    };
    let home = Signal::derive(move || {
        let words = words.get().views();
        if view.with(|view| view.home) { words.off_home } else { words.to_home }.to_owned()
    });
    let acts = vec![
        MenuAction { text: home, run: Callback::new(move |()| views.turn_home(&saved_path())) },
        MenuAction { text: text(|words| words.rename), run: Callback::new(move |()| renaming.set(true)) },
        MenuAction { text: text(|words| words.up), run: Callback::new(move |()| shift(false)) },
        MenuAction { text: text(|words| words.down), run: Callback::new(move |()| shift(true)) },
        MenuAction { text: text(|words| words.copy), run: Callback::new(move |()| copy()) },
        MenuAction { text: offered, run: Callback::new(move |()| share()) },
        MenuAction { text: text(|words| words.remove), run: Callback::new(move |()| remove()) },
    ];
    let rename = Callback::new(move |name: String| {
        views.save(&name, &saved_path());
        renaming.set(false);
        on_gone.run(());
    });
    view! {
        <ViewRow
            view=view
            path=path
            renaming=renaming
            acts=acts
            on_rename=rename
            on_open=on_open
        />
    }
}

/// Row of a view: its link and its menu. While it is renamed, a form replaces the link.
#[component]
pub(super) fn ViewRow(
    view: Memo<SavedView>,
    /// The address on screen.
    path: Memo<String>,
    renaming: RwSignal<bool>,
    acts: Vec<MenuAction>,
    on_rename: Callback<String>,
    on_open: Callback<()>,
) -> impl IntoView {
    let words = use_i18n();
    let name = Memo::new(move |_| view.with(|view| view.name.clone()));
    let saved_path = Memo::new(move |_| view.with(|view| view.path.clone()));
    let form = move || {
        view! {
            <NameForm
                label=Signal::derive(move || words.get().views().name.to_owned())
                act=Signal::derive(move || words.get().views().rename_now.to_owned())
                name=name.get_untracked()
                on_name=on_rename
            />
        }
    };
    let link = move || {
        view! {
            <a
                href=move || crate::routes::view(&saved_path.get())
                aria-current=move || (saved_path.get() == path.get()).then_some("page")
                on:click=move |_| on_open.run(())
            >
                {move || view! { <Name text=name.get() /> }}
                {move || view.with(|view| view.home).then(|| view! { <span class="views__home">{Icon::Home}</span> })}
            </a>
        }
    };
    let menu = Signal::derive(move || (words.get().views().menu)(&hidden::marked(&name.get())));
    view! {
        <li class="views__row">
            {move || if renaming.get() { form().into_any() } else { link().into_any() }}
            <MoreMenu label=menu acts=acts />
        </li>
    }
}

/// Copies the link by which a view is shared.
pub(super) fn copy_view_link(path: &str, name: &str, words: I18n, toasts: Toasts) {
    let Ok(origin) = window().location().origin() else { return };
    clipboard::copy(&format!("{origin}{}", shared_view(path, name)), move |copied| {
        let common = &words.now().common;
        if copied { toasts.done(common.copied) } else { toasts.failed(common.copy_failed) }
    });
}

/// Form with a name field and its button.
#[component]
fn NameForm(
    #[prop(into)] label: Signal<String>,
    #[prop(into)] act: Signal<String>,
    name: String,
    on_name: Callback<String>,
) -> impl IntoView {
    let words = use_i18n();
    let field = NodeRef::<html::Input>::new();
    // Submitting is the browser's own act: it waits for the end of a Hangul composition and happens once.
    let submit = move |event: ev::SubmitEvent| {
        event.prevent_default();
        let name = field.get_untracked().map(|field| field.value()).filter(|name| !name.trim().is_empty());
        if let Some(name) = name {
            on_name.run(name);
        }
    };
    let renames = !name.is_empty();
    Effect::new(move |_| {
        if let (true, Some(field)) = (renames, field.get()) {
            field.focus().unwrap_or_default();
            field.select();
        }
    });
    view! {
        <form class="views__form" on:submit=submit>
            <input
                type="text"
                node_ref=field
                value=name
                maxlength=MAX_NAME_CHARS.to_string()
                autocomplete="off"
                aria-label=move || label.get()
                placeholder=move || words.get().views().name
            />
            <button type="submit" class="button is-small">
                {move || act.get()}
            </button>
        </form>
    }
}

/// Band that offers to save a view from a shared link; nothing for other addresses.
#[component]
pub fn SharedView(#[prop(into)] path: Signal<String>) -> impl IntoView {
    let words = use_i18n();
    let (go, views, pairs) = (use_go(), use_views(), use_pairs());
    let name = Memo::new(move |_| pairs.with(|pairs| shared_name(pairs)));
    let known = Memo::new(move |_| path.with(|path| views.view_of(below(path)).is_some()));
    let text = Signal::derive(move || name.get().map(|name| (words.get().views().shared)(&name)).unwrap_or_default());
    let leave = go.clone();
    let leave = Callback::new(move |()| leave.adjust(&path.get_untracked()));
    let toasts = use_toasts();
    let keep = Callback::new(move |()| {
        let Some(name) = name.get_untracked() else { return };
        let words = words.now().views();
        if views.save(&name, below(&path.get_untracked())) {
            toasts.done((words.saved)(&name));
            leave.run(());
        } else {
            toasts.failed(words.full);
        }
    });
    move || {
        name.with(Option::is_some).then(|| {
            view! {
                <Band tone=Tone::Info icon=Icon::Flag text=text>
                    {move || (!known.get()).then(|| {
                        view! {
                            <button type="button" class="button is-small is-primary" on:click=move |_| keep.run(())>
                                {move || words.get().views().keep}
                            </button>
                        }
                    })}
                    <button type="button" class="button is-small" on:click=move |_| leave.run(())>
                        {move || words.get().views().leave}
                    </button>
                </Band>
            }
        })
    }
}
