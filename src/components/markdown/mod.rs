//! View of the safe document tree of `coordination::markdown`. Every node becomes a view; no HTML string is built.

mod link;
mod slices;

use std::sync::Arc;

use coordination::markdown::{self, Alignment, Block, Document, HeadLimit, Inline, ListItem, MAX_DIFF_LINES};
use leptos::prelude::*;
use link::{image, link};
use panic_isolation::catch_panic;
use slices::{SLICE_ELEMENTS, SliceWriter, UNFOLD_SLICE_ELEMENTS};

use super::copy_button::CopyButton;
use super::fold::FoldButton;
use super::hidden::{Name, every_mark, prose_marks};
use super::people::{DiscordUsers, use_people};
use super::plain;
use crate::i18n::{I18n, time};
use crate::ui::Icon;

/// A table cell longer than this may wrap; shorter ones keep their line.
const LONG_CELL_CHARS: usize = 40;
/// What is drawn of a folded text: more than its height shows of small letters over the widest line.
const FOLDED_ROOM: HeadLimit = HeadLimit { letters: 4_000, lines: 48 };
/// Texts beyond either limit begin folded.
const FOLD_CHARS: usize = 1_400;
const FOLD_LINES: usize = 24;

/// A text so long that it begins folded.
pub fn is_long(text: &str) -> bool {
    text.len() > FOLD_CHARS && text.chars().nth(FOLD_CHARS).is_some() || text.lines().nth(FOLD_LINES).is_some()
}

/// Letters without a space after which the text is no word but data.
const MAX_UNBROKEN_CHARS: usize = 1_000;

/// A text that runs on without a space: data. Kerned, such a run is shaped again for each of its lines, and the page's
/// typeface keeps `<`, `&` and `=` in other files than its letters, so that each of them begins a new piece: twenty
/// thousand letters took up to a third of a second. They are shown in the system's own type instead.
fn is_data(text: &str) -> bool {
    text.split(char::is_whitespace)
        .any(|run| run.len() > MAX_UNBROKEN_CHARS && run.chars().nth(MAX_UNBROKEN_CHARS).is_some())
}

/// A text as agents write it.
#[component]
pub fn Markdown(
    #[prop(into)] text: String,
    /// Nodes it may cost, where several texts share one bubble.
    #[prop(default = markdown::MAX_NODES)]
    nodes: usize,
    /// Whether only its beginning is in sight; no more is drawn then.
    #[prop(optional)]
    folded: Option<RwSignal<bool>>,
) -> impl IntoView {
    let (people, busy) = (use_people(), RwSignal::new(false));
    let pen = SliceWriter::new(busy);
    let text: Arc<str> = text.into();
    let data = is_data(&text);
    // No file of OpenClaw maps a Discord id to anybody (`contract/events.md` §7.5): an operator names people.
    let draw = move || {
        let whole = read(Arc::clone(&text), nodes, people.users());
        let (document, slice) = match folded.map(|folded| folded.get()) {
            Some(true) => (whole.head(FOLDED_ROOM), SLICE_ELEMENTS),
            Some(false) => (whole, UNFOLD_SLICE_ELEMENTS),
            None => (whole, SLICE_ELEMENTS),
        };
        let pen = pen(slice);
        let cut = document.truncated.then(|| whole_text(Arc::clone(&text), pen.words));
        let blocks = blocks(document.blocks, pen);
        pen.draw_next();
        view! {
            {blocks}
            {cut}
        }
    };
    view! {
        <div class="md" class:is-data=data aria-busy=move || busy.get().then_some("true")>
            {draw}
        </div>
    }
}

/// A text as agents write it, folded while it is long.
#[component]
pub fn FoldedMarkdown(#[prop(into)] text: String) -> impl IntoView {
    if !is_long(&text) {
        return view! { <Markdown text=text /> }.into_any();
    }
    let folded = RwSignal::new(true);
    view! {
        <div class="bubble__text" class:is-folded=folded>
            <Markdown text=text folded=folded />
        </div>
        <FoldButton folded=folded />
    }
    .into_any()
}

/// The tree of a text. Should its parser panic, the text is shown as it was written and the page continues.
fn read(text: Arc<str>, nodes: usize, users: DiscordUsers) -> Document {
    let work = {
        let text = Arc::clone(&text);
        move || markdown::parse_within(&text, nodes, &|id| users.get(id).cloned())
    };
    catch_panic(work).unwrap_or_else(|| markdown::literal(&text))
}

/// Footer of a text that is drawn only in part: a note, and the whole as it was written.
fn whole_text(text: Arc<str>, words: I18n) -> AnyView {
    let shown = RwSignal::new(false);
    view! {
        <p class="md__cut">
            {Icon::Warn} {move || words.get().thread().partly_shown}
            <button
                type="button"
                class="link"
                aria-expanded=move || shown.get().to_string()
                on:click=move |_| shown.update(|shown| *shown = !*shown)
            >
                {move || {
                    let words = words.get().thread();
                    if shown.get() { words.hide_whole } else { words.show_whole }
                }}
            </button>
        </p>
        {move || shown.get().then(|| plain::pieces(&text, words))}
    }
    .into_any()
}

fn blocks(list: Vec<Block>, pen: SliceWriter) -> Vec<AnyView> {
    pen.each(list, draw_block)
}

fn draw_block(block: Block, pen: SliceWriter) -> AnyView {
    match block {
        Block::Paragraph { content } => view! { <p>{inlines(content, pen)}</p> }.into_any(),
        Block::Heading { level, content } => heading(level, inlines(content, pen)),
        Block::Code { language, text } => code(language, text, pen),
        Block::Quote { blocks: inner } => view! { <blockquote>{blocks(inner, pen)}</blockquote> }.into_any(),
        Block::List { start: None, items } => view! { <ul>{pen.each(items, list_item)}</ul> }.into_any(),
        Block::List { start: Some(first), items } => {
            view! { <ol start=first.to_string()>{pen.each(items, list_item)}</ol> }.into_any()
        }
        Block::Table { alignments, header, rows } => table(&alignments, header, rows, pen),
        Block::Rule => view! { <hr /> }.into_any(),
    }
}

/// A message's headings are below the page's own, so they begin at level four.
fn heading(level: u8, content: Vec<AnyView>) -> AnyView {
    match level {
        1 | 2 => view! { <h4 class="is-big">{content}</h4> }.into_any(),
        3 => view! { <h5>{content}</h5> }.into_any(),
        _ => view! { <h6>{content}</h6> }.into_any(),
    }
}

fn list_item(item: ListItem, pen: SliceWriter) -> AnyView {
    let mut inner = item.blocks;
    // A tight item is one paragraph; drawn without it, its text is on the bullet's line.
    let tight = matches!(inner.as_slice(), [Block::Paragraph { .. }, rest @ ..] if !rest.iter().any(|b| matches!(b, Block::Paragraph { .. })));
    let first =
        if tight && let Block::Paragraph { content } = inner.remove(0) { inlines(content, pen) } else { Vec::new() };
    let mark =
        item.checked.map(|done| if done { view! { {Icon::Ok} }.into_any() } else { view! { {Icon::Todo} }.into_any() });
    view! { <li class:is-task=item.checked.is_some()>{mark} {first} {blocks(inner, pen)}</li> }.into_any()
}

fn code(language: Option<String>, text: String, pen: SliceWriter) -> AnyView {
    let words = pen.words;
    let diff = language.as_deref() == Some("diff") && text.lines().nth(MAX_DIFF_LINES).is_none();
    let name = match language {
        Some(language) => view! { <Name text=language /> }.into_any(),
        None => (move || words.get().thread().code).into_any(),
    };
    let lines = if diff {
        pen.each(text.split_inclusive('\n').map(str::to_owned).collect(), diff_line)
    } else {
        vec![every_mark(&text, words)]
    };
    view! {
        <div class="md-code">
            <div class="md-code__head">
                <span>{name}</span>
                <CopyButton text=text label=Signal::derive(move || words.get().common.copy.to_owned()) />
            </div>
            <pre tabindex="0">
                <code lang="en">{lines}</code>
            </pre>
        </div>
    }
    .into_any()
}

fn diff_line(line: String, pen: SliceWriter) -> AnyView {
    let class = match line.as_bytes().first() {
        Some(b'+') => "is-add",
        Some(b'-') => "is-del",
        _ => "",
    };
    view! { <span class=class>{every_mark(&line, pen.words)}</span> }.into_any()
}

fn table(alignments: &[Alignment], header: Vec<Vec<Inline>>, rows: Vec<Vec<Vec<Inline>>>, pen: SliceWriter) -> AnyView {
    let classes: Arc<[&str]> = alignments.iter().map(|alignment| column_class(*alignment)).collect();
    let placed = |cells: Vec<Vec<Inline>>| -> Vec<TableCell> {
        let class = |column| classes.get(column).copied().unwrap_or_default();
        cells.into_iter().enumerate().map(|(column, content)| TableCell { class: class(column), content }).collect()
    };
    let head = pen.each(placed(header), |TableCell { class, content }, pen| {
        view! { <th scope="col" class=class>{inlines(content, pen)}</th> }.into_any()
    });
    let body = pen
        .each(rows.into_iter().map(placed).collect(), |row, pen| view! { <tr>{pen.each(row, cell)}</tr> }.into_any());
    view! {
        <div class="md-table" tabindex="0">
            <table>
                <thead>
                    <tr>{head}</tr>
                </thead>
                <tbody>{body}</tbody>
            </table>
        </div>
    }
    .into_any()
}

struct TableCell {
    class: &'static str,
    content: Vec<Inline>,
}

fn cell(TableCell { class, content }: TableCell, pen: SliceWriter) -> AnyView {
    let long = length(&content) > LONG_CELL_CHARS;
    view! { <td class=class class:is-long=long>{inlines(content, pen)}</td> }.into_any()
}

const fn column_class(alignment: Alignment) -> &'static str {
    match alignment {
        Alignment::Right => "is-right-aligned",
        Alignment::Center => "is-centred",
        _ => "",
    }
}

/// How much text a cell holds, roughly.
fn length(content: &[Inline]) -> usize {
    content
        .iter()
        .map(|inline| match inline {
            Inline::Text { text } | Inline::Code { text } | Inline::Everyone { text } => text.chars().count(),
            Inline::Emphasis { content }
            | Inline::Strong { content }
            | Inline::Strike { content }
            | Inline::Spoiler { content }
            | Inline::Link { content, .. } => length(content),
            _ => 6,
        })
        .sum()
}

fn inlines(list: Vec<Inline>, pen: SliceWriter) -> Vec<AnyView> {
    pen.each(list, |inline, pen| draw_inline(inline, false, pen))
}

/// The words of a link: every hidden character in them is marked.
fn link_words(list: Vec<Inline>, pen: SliceWriter) -> Vec<AnyView> {
    pen.each(list, |inline, pen| draw_inline(inline, true, pen))
}

fn draw_inline(inline: Inline, in_link: bool, pen: SliceWriter) -> AnyView {
    let words = pen.words;
    let inside = |content| if in_link { link_words(content, pen) } else { inlines(content, pen) };
    match inline {
        Inline::Text { text } if in_link => every_mark(&text, words),
        Inline::Text { text } => prose_marks(&text, words),
        Inline::Code { text } => view! { <code>{every_mark(&text, words)}</code> }.into_any(),
        Inline::Emphasis { content } => view! { <em>{inside(content)}</em> }.into_any(),
        Inline::Strong { content } => view! { <strong>{inside(content)}</strong> }.into_any(),
        Inline::Strike { content } => view! { <del>{inside(content)}</del> }.into_any(),
        Inline::Link { to, content } => link(to, link_words(content, pen), words),
        Inline::Image { to, alt } => image(to, alt, words),
        Inline::Mention { name: Some(name) } => {
            view! { <span class="md__mention">"@" <Name text=name /></span> }.into_any()
        }
        Inline::Mention { name: None } => unknown(move || words.get().thread().unknown_user),
        Inline::Role => unknown(move || words.get().thread().role),
        Inline::Channel => unknown(move || words.get().thread().channel),
        Inline::Emoji { name } => format!(":{name}:").into_any(),
        Inline::Time { at, style } => {
            view! { <time title=move || time::exact(words.locale(), at)>{move || point(words, at, style)}</time> }
                .into_any()
        }
        Inline::Everyone { text } => view! { <span class="md__mention">{text}</span> }.into_any(),
        Inline::Spoiler { content } => view! {
            <span class="md__spoiler" title=move || words.get().thread().spoiler>
                {inside(content)}
            </span>
        }
        .into_any(),
        Inline::Break => view! { <br /> }.into_any(),
    }
}

fn unknown(text: impl Fn() -> &'static str + Send + Sync + 'static) -> AnyView {
    view! { <span class="md__mention is-unknown">{text}</span> }.into_any()
}

/// Discord's time styles, as near as the page's own forms come.
fn point(words: I18n, at: i64, style: char) -> String {
    match style {
        't' => time::clock(words.locale(), at),
        'T' => time::clock_seconds(words.locale(), at),
        'd' | 'D' => time::day(words.locale(), at),
        _ => time::long_day_clock(words.locale(), at),
    }
}
