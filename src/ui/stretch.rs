//! Virtualised block of rows, unmounted while it is far from the viewport and does not contain the focus. Its measured
//! height remains set meanwhile, so that scroll positions stay right. A new block starts mounted.

use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit};

/// Rows per run: some four runs are drawn at a time.
pub const RUN_ROWS: usize = 15;
/// Margin around the screen within which rows stay drawn.
const ROOT_MARGIN: &str = "1000px 0px";

/// The run; `draw` makes its rows.
#[component]
pub fn Stretch(
    draw: Box<dyn Fn() -> AnyView + Send + Sync>,
    /// The rows are items of a list, else articles.
    #[prop(default = true)]
    items: bool,
) -> impl IntoView {
    let (list, articles) = (NodeRef::<html::Ul>::new(), NodeRef::<html::Div>::new());
    // Height of rows that are not drawn.
    let away = RwSignal::new(None::<f64>);
    let drawn = Memo::new(move |_| away.with(Option::is_none));
    let follow = move |element: &Element, near: bool| {
        if near {
            away.set(None);
            return;
        }
        let focused = document().active_element();
        let held = focused.is_some_and(|focused| element.contains(Some(&focused)));
        if drawn.get_untracked() && !held {
            away.set(Some(element.get_bounding_client_rect().height()));
        }
    };
    // The browser decides which rows are near.
    Effect::new(move |_| {
        let found = list.get().map(Element::from).or_else(|| articles.get().map(Element::from));
        let Some(element) = found else { return };
        let seen = element.clone();
        let callback = Closure::<dyn FnMut(js_sys::Array)>::new(move |entries: js_sys::Array| {
            let last = entries.iter().last().map(JsCast::unchecked_into::<IntersectionObserverEntry>);
            if let Some(entry) = last {
                follow(&seen, entry.is_intersecting());
            }
        });
        let wanted = IntersectionObserverInit::new();
        wanted.set_root_margin(ROOT_MARGIN);
        let handler: &JsValue = callback.as_ref();
        let Ok(observer) = IntersectionObserver::new_with_options(handler.unchecked_ref(), &wanted) else { return };
        observer.observe(&element);
        let observed = StoredValue::new_local(Some((observer, callback)));
        on_cleanup(move || {
            if let Some(Some((observer, _))) = observed.try_update_value(Option::take) {
                observer.disconnect();
            }
        });
    });
    let height = move || away.get().map(|height| format!("{height}px"));
    let rows = move || drawn.get().then(&draw);
    if items {
        view! { <ul node_ref=list style:height=height>{rows}</ul> }.into_any()
    } else {
        view! { <div node_ref=articles style:height=height>{rows}</div> }.into_any()
    }
}
