//! Minimap of a long flow diagram: a small overview of arrows, runs and notes that highlights failures, folded pauses
//! and the visible part. A click or drag scrolls the diagram. It is hidden from screen readers, because the diagram
//! itself has the same content.

use coordination::flow_layout::minimap_rows;
use leptos::html;
use leptos::prelude::*;

use super::drawing::DrawingContext;

/// Rows of the minimap.
const MINIMAP_ROWS: usize = 240;
const WIDTH: f64 = 52.0;
/// Flows longer than this many screens have a minimap.
const MIN_SCREENS: f64 = 2.5;

/// The minimap; `screen` is the visible range of the drawing, from top to bottom.
#[component]
pub(super) fn Minimap(stage: DrawingContext, screen: RwSignal<(f64, f64)>) -> impl IntoView {
    let picture = NodeRef::<html::Div>::new();
    let long = Memo::new(move |_| {
        let (top, bottom) = screen.get();
        bottom > top && stage.drawn.with(|drawn| drawn.layout.height) > MIN_SCREENS * (bottom - top)
    });
    let go = move |event: &web_sys::MouseEvent| {
        let (Some(picture), Some(scroll)) = (picture.get_untracked(), stage.scroll.get_untracked()) else { return };
        let area = picture.get_bounding_client_rect();
        let share = ((f64::from(event.client_y()) - area.top()) / area.height().max(1.0)).clamp(0.0, 1.0);
        let all = f64::from(scroll.scroll_height());
        scroll.set_scroll_top((share * all - f64::from(scroll.client_height()) / 2.0) as i32);
    };
    let lines = move || {
        stage.drawn.with(|drawn| {
            let rows = minimap_rows(&drawn.flow, &drawn.layout, MINIMAP_ROWS);
            let path = |failed: bool| {
                let matching = rows.iter().filter(|row| row.failed == failed);
                matching
                    .map(|row| {
                        format!(
                            "M{:.1} {}.5H{:.1}",
                            row.from * WIDTH,
                            row.row,
                            (row.to * WIDTH).max(row.from * WIDTH + 1.5)
                        )
                    })
                    .collect::<String>()
            };
            let pauses = drawn.layout.pauses.iter().filter(|pause| pause.folded);
            let pauses: String =
                pauses.map(|pause| format!("M0 {:.1}H{WIDTH}", row(pause.area.y, drawn.layout.height))).collect();
            view! {
                <path class="minimap__pause" d=pauses />
                <path class="minimap__line" d=path(false) />
                <path class="minimap__line is-bad" d=path(true) />
            }
        })
    };
    let here = move || {
        let ((top, bottom), height) = (screen.get(), stage.drawn.with(|drawn| drawn.layout.height));
        let (top, bottom) = (row(top.max(0.0), height), row(bottom.min(height), height));
        view! {
            <rect class="minimap__here" x="0.5" y=top.to_string() width=(WIDTH - 1.0).to_string() height=(bottom - top).max(3.0).to_string() />
        }
    };
    move || {
        long.get().then(|| {
            view! {
                <div
                    class="minimap"
                    aria-hidden="true"
                    node_ref=picture
                    on:mousedown=move |event| go(&event)
                    on:mousemove=move |event| {
                        if event.buttons() == 1 {
                            go(&event);
                        }
                    }
                >
                    <svg class="flow" viewBox=format!("0 0 {WIDTH} {MINIMAP_ROWS}") preserveAspectRatio="none">
                        {lines}
                        {here}
                    </svg>
                </div>
            }
        })
    }
}

fn row(y: f64, height: f64) -> f64 {
    y / height.max(1.0) * MINIMAP_ROWS as f64
}
