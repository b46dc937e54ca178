//! Result group of the palette: its heading and its items.

use leptos::prelude::*;

use super::finding::PaletteGroup;
use super::item::{Face, PaletteItem, PaletteSection, pieces};
use super::option_id;
use crate::components::agent::Avatar;
use crate::components::category::{CategoryTile, TileSize};
use crate::i18n::use_i18n;

/// One result group: heading, lines, an optional note, and empty space for results that are still loading.
#[component]
pub(super) fn PaletteGroupView(
    part: PaletteGroup,
    /// Place of its first line in the whole list.
    first: usize,
    /// The chosen place.
    at: Memo<usize>,
    searching: bool,
    on_run: Callback<(PaletteItem, bool)>,
) -> impl IntoView {
    let words = use_i18n();
    let PaletteGroup { section, items, instead, room } = part;
    let name = move || {
        let tools = words.get().tools();
        match section {
            PaletteSection::Sessions if !searching => tools.recent,
            PaletteSection::Sessions => tools.sessions,
            PaletteSection::Messages => tools.messages,
            PaletteSection::Agents => tools.agents,
            PaletteSection::Tasks => tools.tasks,
            PaletteSection::Commands => tools.commands,
            PaletteSection::Everywhere => tools.everywhere,
        }
    };
    let free = room.saturating_sub(items.len() + usize::from(instead.is_some()));
    let lines = items.into_iter().enumerate().map(|(number, item)| {
        let place = first + number;
        view! { <PaletteLine item=item place=place at=at on_run=on_run /> }
    });
    view! {
        <div class="palette__part" role="group" aria-label=name>
            <h3 aria-hidden="true">{name}</h3>
            {lines.collect_view()}
            {instead.map(|text| view! { <p class="palette__instead">{text}</p> })}
            {(0..free).map(|_| view! { <div class="palette__free" aria-hidden="true" /> }).collect_view()}
        </div>
    }
}

/// One result: picture, text with its matches marked, note and end text.
#[component]
fn PaletteLine(
    item: PaletteItem,
    place: usize,
    at: Memo<usize>,
    on_run: Callback<(PaletteItem, bool)>,
) -> impl IntoView {
    let chosen = move || at.get() == place;
    let face = match item.face.clone() {
        Face::Category(category) => view! { <CategoryTile category=category size=TileSize::Small /> }.into_any(),
        Face::Agent(id) => view! { <Avatar id=id small=true /> }.into_any(),
        Face::Icon(icon) => view! { <span class="palette__icon">{icon}</span> }.into_any(),
    };
    let text = pieces(&item.text, &item.ranges)
        .into_iter()
        .map(|(hit, text)| if hit { view! { <mark>{text}</mark> }.into_any() } else { text.into_any() });
    let text = text.collect_view();
    let (note, end) = (item.note.clone(), item.end.clone());
    let act = move |event: leptos::ev::MouseEvent| on_run.run((item.clone(), event.ctrl_key() || event.meta_key()));
    view! {
        <div
            id=option_id(place)
            class="palette__line"
            role="option"
            aria-selected=move || chosen().to_string()
            // The field keeps the focus.
            on:mousedown=move |event| event.prevent_default()
            on:click=act
        >
            {face}
            <span class="palette__text">{text}</span>
            <span class="palette__note">{note}</span>
            <span class="palette__end">{end}</span>
        </div>
    }
}
