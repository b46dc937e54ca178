//! Command palette: a search field and its result list, as an ARIA combobox. The field keeps the focus; the arrow keys
//! move the selection.
//!
//! Late results of the monitor's search fill reserved space. The selected item stays selected when others are inserted.

mod commands;
mod finding;
mod item;
mod row;

use leptos::ev::KeyboardEvent;
use leptos::html;
use leptos::prelude::*;

use self::commands::use_commands;
use self::finding::{PaletteGroup, use_finding};
use self::item::{PaletteItem, PaletteSection};
use self::row::PaletteGroupView;
use super::command_cap;
use crate::i18n::use_i18n;
use crate::ui::Icon;
use crate::ui::enter::{EnterPress, HeldKey, is_enter, use_single_enter};

/// Lines that PageUp and PageDown go over.
const PAGE_LINES: usize = 5;

/// Content of the palette dialog: search field, results and key hints. It is drawn while the dialog is open.
#[component]
pub(super) fn Palette(open: RwSignal<bool>) -> impl IntoView {
    let words = use_i18n();
    let finding = use_finding();
    let commands = use_commands();
    let field = NodeRef::<html::Input>::new();
    let offered = commands.clone();
    let parts = Memo::new(move |_| finding.parts(&offered));
    // The line by its name: lines that come later do not change what is chosen.
    let chosen = RwSignal::new(None::<String>);
    let lines = move || parts.with(|parts| flat(parts));
    let at = Memo::new(move |_| {
        let chosen = chosen.get();
        parts.with(|parts| items(parts).position(|item| Some(&item.id) == chosen.as_ref()).unwrap_or(0))
    });
    let run = Callback::new(move |(item, narrow): (PaletteItem, bool)| {
        open.set(false);
        let commands = commands.clone();
        // The dialog gives the focus back first.
        request_animation_frame(move || match item.narrow.filter(|_| narrow) {
            Some(narrow) => commands.narrow(&narrow),
            None => commands.run(item.act),
        });
    });
    let act = move |narrow: bool| {
        if let Some(item) = untrack(lines).into_iter().nth(at.get_untracked()) {
            run.run((item, narrow));
        }
    };
    let enter = use_single_enter(HeldKey::ActsOnce);
    let press = move |acted: Option<EnterPress>| {
        if let Some(press) = acted {
            act(press.with_ctrl);
        }
    };
    let on_key = move |event: KeyboardEvent| {
        let composing = event.is_composing();
        if is_enter(&event) {
            if !composing {
                event.prevent_default();
            }
            press(enter.down(&event));
        } else if !composing {
            let count = untrack(lines).len();
            if let Some(next) = moved(&event.key(), at.get_untracked(), count) {
                event.prevent_default();
                chosen.set(untrack(lines).into_iter().nth(next).map(|item| item.id));
            }
        }
    };
    // The field is there when the part is; the dialog may have been open before.
    Effect::new(move |_| {
        if let Some(field) = field.get() {
            field.focus().unwrap_or_default();
        }
    });
    // Enter takes the first line of the first list, whatever is inserted before it later; the link to all hits only
    // while there is nothing else.
    Effect::new(move |_| {
        if chosen.with(Option::is_none) && finding.query.with(|query| !query.trim().is_empty()) {
            let is_own = |part: &&PaletteGroup| part.section != PaletteSection::Everywhere && !part.items.is_empty();
            let first = parts.with(|parts| parts.iter().find(is_own).map(|part| part.items[0].id.clone()));
            if first.is_some() {
                chosen.set(first);
            }
        }
    });
    follow(at);
    let typed = move |text: String| {
        chosen.set(None);
        finding.query.set(text);
    };
    let option = move || parts.with(|parts| items(parts).next().is_some()).then(|| option_id(at.get()));
    view! {
        <div class="palette__field">
            {Icon::Search}
            <input
                type="text"
                role="combobox"
                autocomplete="off"
                autofocus
                spellcheck="false"
                maxlength="200"
                aria-label=move || words.get().shell.palette
                aria-expanded="true"
                aria-controls="palette-list"
                aria-autocomplete="list"
                aria-activedescendant=option
                placeholder=move || words.get().tools().palette_hint
                node_ref=field
                on:input=move |event| typed(event_target_value(&event))
                on:keydown=on_key
                on:keyup=move |event| {
                    if is_enter(&event) {
                        enter.up();
                    }
                }
                on:compositionend=move |_| press(enter.composition_end())
            />
            <kbd aria-hidden="true">"Esc"</kbd>
        </div>
        <PaletteList parts=parts at=at query=finding.query on_run=run />
        {move || {
            let query = finding.query.get();
            parts.with(|parts| only_everywhere(parts)).then(|| view! { <p class="palette__nothing">{(words.get().tools().nothing)(query.trim())}</p> })
        }}
        <p class="visually-hidden" role="status">
            {move || (words.get().tools().found)(parts.with(|parts| items(parts).count()))}
        </p>
        <Foot />
    }
}

/// List box of all results, grouped under headings.
#[component]
fn PaletteList(
    parts: Memo<Vec<PaletteGroup>>,
    /// The chosen place.
    at: Memo<usize>,
    query: RwSignal<String>,
    on_run: Callback<(PaletteItem, bool)>,
) -> impl IntoView {
    let words = use_i18n();
    let draw = move || {
        let mut before = 0;
        let searching = query.with_untracked(|text| !text.trim().is_empty());
        let draw = |part: PaletteGroup| {
            let first = before;
            before += part.items.len();
            view! { <PaletteGroupView part=part first=first at=at searching=searching on_run=on_run /> }
        };
        parts.get().into_iter().map(draw).collect_view()
    };
    view! {
        <div id="palette-list" class="palette__list" role="listbox" aria-label=move || words.get().tools().results>
            {draw}
        </div>
    }
}

/// Key hints below the results; hidden from screen readers.
#[component]
fn Foot() -> impl IntoView {
    let words = use_i18n();
    view! {
        <footer class="palette__foot" aria-hidden="true">
            <span>
                <kbd>"↑"</kbd>
                <kbd>"↓"</kbd>
                {move || words.get().tools().choose}
            </span>
            <span>
                <kbd>"↵"</kbd>
                {move || words.get().tools().open}
            </span>
            <span>
                <kbd>{command_cap()}</kbd>
                <kbd>"↵"</kbd>
                {move || words.get().tools().filter_here}
            </span>
            <span class="palette__tip">{move || words.get().tools().by_initials}</span>
        </footer>
    }
}

fn items(parts: &[PaletteGroup]) -> impl Iterator<Item = &PaletteItem> {
    parts.iter().flat_map(|part| &part.items)
}

fn flat(parts: &[PaletteGroup]) -> Vec<PaletteItem> {
    items(parts).cloned().collect()
}

/// No item matches here; there may be hits elsewhere.
fn only_everywhere(parts: &[PaletteGroup]) -> bool {
    parts.iter().all(|part| part.section == PaletteSection::Everywhere)
}

/// The id of the option at this place.
fn option_id(place: usize) -> String {
    format!("palette-option-{place}")
}

/// Where a key leads from line `at` of `count`.
fn moved(key: &str, at: usize, count: usize) -> Option<usize> {
    let last = count.checked_sub(1)?;
    match key {
        "ArrowDown" => Some(if at == last { 0 } else { at + 1 }),
        "ArrowUp" => Some(if at == 0 { last } else { at - 1 }),
        "PageDown" => Some((at + PAGE_LINES).min(last)),
        "PageUp" => Some(at.saturating_sub(PAGE_LINES)),
        "Home" => Some(0),
        "End" => Some(last),
        _ => None,
    }
}

/// Keeps the chosen line in view.
fn follow(at: Memo<usize>) {
    // Scrolling belongs to the browser.
    Effect::new(move |before: Option<usize>| {
        let at = at.get();
        if before.is_some_and(|before| before != at) {
            request_animation_frame(move || {
                if let Some(line) = document().get_element_by_id(&option_id(at)) {
                    let options = web_sys::ScrollIntoViewOptions::new();
                    options.set_block(web_sys::ScrollLogicalPosition::Nearest);
                    line.scroll_into_view_with_scroll_into_view_options(&options);
                }
            });
        }
        at
    });
}

#[cfg(test)]
mod tests {
    use super::moved;

    #[test]
    fn arrows_wrap_and_page_keys_stop() {
        assert_eq!(moved("ArrowDown", 2, 3), Some(0));
        assert_eq!(moved("ArrowUp", 0, 3), Some(2));
        assert_eq!(moved("PageDown", 1, 4), Some(3));
        assert_eq!(moved("PageUp", 1, 4), Some(0));
        assert_eq!(moved("End", 0, 3), Some(2));
        assert_eq!(moved("Home", 2, 3), Some(0));
        assert_eq!(moved("ArrowDown", 0, 0), None);
        assert_eq!(moved("a", 0, 3), None);
    }
}
