//! Delegation tree of one session or of all sessions: a tree grid of runs with state, time and result. Long trees draw
//! only the lines near the viewport. Results without a spawn event are shown too.

mod detail;
mod flat;
mod keys;
mod row;
mod tools;

use std::sync::Arc;

use coordination::api::Delegations;
use coordination::ids::EventId;
use leptos::html;
use leptos::prelude::*;

use super::axis::{AXIS_WIDTH, RunAxis, RunAxisFold};
use crate::components::origin::{OriginNote, OriginShare};
use crate::i18n::use_i18n;
use crate::routes::TreeView;
use detail::RunDetail;
use flat::{TreeLineKind, VisibleLine, VisibleLines, lines};
use keys::TreeKeyAction;
use row::TreeLine;
use tools::TreeTools;

/// From this many lines on the tree scrolls by itself, and only lines near the viewport are drawn.
const WINDOWED_FROM_LINES: usize = 60;
/// Lines drawn beyond either edge.
const OVERSCAN_LINES: usize = 12;
/// Height of a line until one was measured.
const DEFAULT_LINE_HEIGHT: f64 = 56.0;
/// Folds drawn in each bar: the widest are enough.
const MAX_FOLDS_PER_BAR: usize = 12;

/// The time all bars share.
#[derive(Clone)]
pub(super) struct Span {
    axis: Arc<RunAxis>,
    folds: Arc<Vec<RunAxisFold>>,
    /// Time left out of the bars.
    folded_ms: i64,
    /// Where the bar of a run still open ends.
    now: i64,
}

impl PartialEq for Span {
    fn eq(&self, other: &Self) -> bool {
        self.now == other.now && self.axis == other.axis
    }
}

impl Span {
    fn from_delegations(answer: &Delegations) -> Self {
        let timed = answer.rows.iter().filter(|row| row.start_time > 0);
        let axis = RunAxis::new(timed.map(|row| (row.start_time, row.end_time.unwrap_or(answer.now))));
        let mut folds = axis.folds();
        let folded_ms = folds.iter().map(|fold| fold.length_ms).sum();
        folds.sort_by_key(|fold| std::cmp::Reverse(fold.length_ms));
        folds.truncate(MAX_FOLDS_PER_BAR);
        Self { axis: Arc::new(axis), folds: Arc::new(folds), folded_ms, now: answer.now }
    }
}

/// What the parts of the tree share.
#[derive(Clone, Copy)]
struct TreeContext {
    answer: Signal<Arc<Delegations>>,
    view: Signal<TreeView>,
    lines: Memo<Arc<VisibleLines>>,
    span: Memo<Span>,
    /// How much of it only transcripts record.
    origin_share: Memo<OriginShare>,
    /// The line where the keys are.
    current: RwSignal<usize>,
    /// The user looks at it differently.
    on_view: Callback<TreeView>,
    on_raw: Callback<EventId>,
}

/// The part of the lines that is drawn.
#[derive(Clone, Copy)]
struct TreeViewport {
    grid: NodeRef<html::Div>,
    top: RwSignal<f64>,
    seen: RwSignal<f64>,
    height: RwSignal<f64>,
}

impl TreeViewport {
    fn new() -> Self {
        let window = Self {
            grid: NodeRef::new(),
            top: RwSignal::new(0.0),
            seen: RwSignal::new(900.0),
            height: RwSignal::new(DEFAULT_LINE_HEIGHT),
        };
        Effect::new(move |_| {
            window.grid.track();
            window.measure();
        });
        let resized = window_event_listener(leptos::ev::resize, move |_| window.measure());
        on_cleanup(move || resized.remove());
        window
    }

    fn measure(self) {
        let Some(grid) = self.grid.get_untracked() else { return };
        self.seen.set(f64::from(grid.client_height()).max(300.0));
        if let Ok(Some(row)) = grid.query_selector(".tree__row") {
            let height = row.get_bounding_client_rect().height();
            if height > 8.0 && (height - self.height.get_untracked()).abs() > 0.5 {
                self.height.set(height);
            }
        }
    }

    /// Range of lines to draw.
    fn drawn(self, count: usize) -> std::ops::Range<usize> {
        if count <= WINDOWED_FROM_LINES {
            return 0..count;
        }
        let height = self.height.get();
        let first = ((self.top.get() / height) as usize).saturating_sub(OVERSCAN_LINES).min(count);
        let many = (self.seen.get() / height) as usize + 2 * OVERSCAN_LINES + 1;
        first..(first + many).min(count)
    }

    /// Brings a line into view.
    fn show(self, number: usize, count: usize) {
        let Some(grid) = self.grid.get_untracked() else { return };
        if count <= WINDOWED_FROM_LINES {
            let row = grid.query_selector(&format!("#tree-row-{number}")).ok().flatten();
            if let Some(row) = row {
                let place = web_sys::ScrollIntoViewOptions::new();
                place.set_block(web_sys::ScrollLogicalPosition::Nearest);
                row.scroll_into_view_with_scroll_into_view_options(&place);
            }
            return;
        }
        let (height, seen) = (self.height.get_untracked(), f64::from(grid.client_height()));
        let (above, top) = (number as f64 * height, f64::from(grid.scroll_top()));
        if above < top {
            grid.set_scroll_top(above as i32);
        } else if above + height > top + seen {
            grid.set_scroll_top((above + height - seen).ceil() as i32);
        }
        self.top.set(f64::from(grid.scroll_top()));
    }
}

/// Delegation tree with its tools, the origin note and the details of the selected run.
#[component]
pub fn DelegationTreeView(
    #[prop(into)] answer: Signal<Arc<Delegations>>,
    /// How it is looked at.
    #[prop(into)]
    view: Signal<TreeView>,
    /// The user looks at it differently.
    on_view: Callback<TreeView>,
    /// Shows an event as recorded.
    on_raw: Callback<EventId>,
) -> impl IntoView {
    let words = use_i18n();
    let looked = Memo::new(move |_| TreeView { run: None, ..view.get() });
    let lines = Memo::new(move |_| Arc::new(looked.with(|view| answer.with(|answer| lines(answer, view)))));
    let span = Memo::new(move |_| answer.with(|answer| Span::from_delegations(answer)));
    let origin_share =
        Memo::new(move |_| answer.with(|answer| OriginShare::from_origins(answer.rows.iter().map(|row| row.origin))));
    let tree = TreeContext { answer, view, lines, span, origin_share, current: RwSignal::new(0), on_view, on_raw };
    view! {
        <section class="delegations" aria-label=move || words.get().events().tree>
            <TreeTools tree=tree />
            <OriginNote share=origin_share />
            <Grid tree=tree />
            <RunDetail tree=tree />
        </section>
    }
}

impl TreeContext {
    /// Opens or folds the branch of a line.
    fn turn(self, number: usize) {
        let id = self.lines.with_untracked(|lines| {
            lines.list.get(number).filter(|line| line.open.is_some()).map(|line| line.id.clone())
        });
        if let Some(id) = id {
            self.on_view.run(self.view.get_untracked().turn(&id));
        }
    }

    /// Shows the details of a run, or hides them.
    fn pick(self, number: usize) {
        let view = self.view.get_untracked();
        let run = self.lines.with_untracked(|lines| match lines.list.get(number).map(|line| &line.what) {
            Some(TreeLineKind::Run(row)) => {
                self.answer.with_untracked(|answer| answer.rows.get(*row).map(|row| row.id.clone()))
            }
            _ => None,
        });
        self.current.set(number);
        match run {
            Some(run) => {
                let run = Some(run).filter(|run| view.run.as_ref() != Some(run));
                self.on_view.run(TreeView { run, ..view });
            }
            None => self.turn(number),
        }
    }

    /// What a key means here.
    fn press(self, step: TreeKeyAction, window: TreeViewport) {
        let lines = self.lines.get_untracked();
        let count = lines.list.len();
        let here = self.current.get_untracked().min(count.saturating_sub(1));
        let go = |number: usize| {
            self.current.set(number);
            window.show(number, count);
        };
        match step {
            TreeKeyAction::To(number) => go(number),
            TreeKeyAction::Turn => self.turn(here),
            TreeKeyAction::Pick => self.pick(here),
            TreeKeyAction::Level(level) => self.on_view.run(self.view.get_untracked().open_to(level)),
        }
    }
}

/// Tree grid with the lines near the viewport, and its keyboard control.
#[component]
fn Grid(tree: TreeContext) -> impl IntoView {
    let words = use_i18n();
    let window = TreeViewport::new();
    let count = Memo::new(move |_| tree.lines.with(|lines| lines.list.len()));
    let drawn = Memo::new(move |_| window.drawn(count.get()));
    let windowed = Memo::new(move |_| count.get() > WINDOWED_FROM_LINES);
    // A line that comes or goes above keeps the keys where they are only by number: that is near enough, and the line
    // is seen.
    let current = Memo::new(move |_| tree.current.get().min(count.get().saturating_sub(1)));
    Effect::new(move |_| {
        count.track();
        window.measure();
    });
    let pressed = move |event: leptos::ev::KeyboardEvent| {
        let lines = tree.lines.get_untracked();
        let level = tree.view.get_untracked().level;
        if let Some(step) = keys::step(&event, &lines, current.get_untracked(), level) {
            event.prevent_default();
            event.stop_propagation();
            tree.press(step, window);
        }
    };
    let active = move || {
        let (drawn, current) = (drawn.get(), current.get());
        drawn.contains(&current).then(|| format!("tree-row-{current}"))
    };
    let shown = move || {
        let lines = tree.lines.get();
        let drawn = drawn.get();
        drawn.clone().zip(lines.list.get(drawn).unwrap_or_default().to_vec()).collect::<Vec<(usize, VisibleLine)>>()
    };
    let before = move || {
        if windowed.get() { format!("{}px", drawn.get().start as f64 * window.height.get()) } else { "0".to_owned() }
    };
    let after = move || {
        let rest = count.get().saturating_sub(drawn.get().end);
        if windowed.get() { format!("{}px", rest as f64 * window.height.get()) } else { "0".to_owned() }
    };
    let stamp = Memo::new(move |_| tree.answer.with(|answer| (answer.cursor.clone(), answer.now)));
    view! {
        <div
            class="tree"
            class:is-windowed=windowed
            node_ref=window.grid
            role="treegrid"
            tabindex="0"
            aria-label=move || words.get().events().tree_keys
            aria-rowcount=move || count.get()
            aria-activedescendant=active
            on:scroll=move |_| {
                if let Some(grid) = window.grid.get_untracked() {
                    window.top.set(f64::from(grid.scroll_top()));
                }
            }
            on:keydown=pressed
        >
            <div role="presentation" style:height=before></div>
            <For
                each=shown
                key=move |(number, line)| format!("{number} {line:?} {:?}", stamp.get())
                let:item
            >
                {
                    let (number, line) = item;
                    let id = line.id.clone();
                    view! {
                        <TreeLine
                            line=line
                            number=number
                            answer=tree.answer.get_untracked()
                            span=tree.span.get_untracked()
                            origin_share=tree.origin_share
                            current=Signal::derive(move || current.get() == number)
                            chosen=Signal::derive(move || {
                                tree.view.with(|view| view.run.as_ref().is_some_and(|run| run.as_str() == id))
                            })
                            on_pick=Callback::new(move |number| tree.pick(number))
                            on_turn=Callback::new(move |number| tree.turn(number))
                        />
                    }
                }
            </For>
            <div role="presentation" style:height=after></div>
        </div>
    }
}
