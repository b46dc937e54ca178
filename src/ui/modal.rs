//! Behaviour of every `<dialog>`: a signal opens and closes it, and a click on the backdrop requests closing.

use leptos::ev::MouseEvent;
use leptos::html;
use leptos::prelude::*;
use wasm_bindgen::JsCast;

/// What [`use_modal`] gives.
pub struct Modal<F> {
    /// For `node_ref`.
    pub node: NodeRef<html::Dialog>,
    /// For `on:click`.
    pub on_click: F,
}

/// Shows the dialog while `open`; `on_close` is called for clicks outside (Escape arrives as the dialog's own `close`).
pub fn use_modal(open: Signal<bool>, on_close: Callback<()>) -> Modal<impl Fn(MouseEvent) + Copy + 'static> {
    let node = NodeRef::<html::Dialog>::new();
    // A dialog is opened and closed by the browser.
    Effect::new(move |_| {
        let Some(dialog) = node.get() else { return };
        match (open.get(), dialog.open()) {
            (true, false) => {
                keep_width();
                // Showing fails only for a dialog outside the document, and then there is nothing to show.
                dialog.show_modal().unwrap_or_default();
            }
            (false, true) => dialog.close(),
            _ => {}
        }
    });
    let on_click = move |click: MouseEvent| {
        let on_backdrop = click.target().zip(node.get_untracked()).is_some_and(|(target, dialog)| {
            let dialog: &web_sys::EventTarget = dialog.as_ref();
            target == *dialog
        });
        if on_backdrop {
            on_close.run(());
        }
    };
    Modal { node, on_click }
}

/// While a dialog is open the page has no scroll bar and no room for one (style/base.css); as much takes its place, so
/// that nothing behind it moves.
fn keep_width() {
    let root = document().document_element().and_then(|root| root.dyn_into::<web_sys::HtmlElement>().ok());
    let outer = window().inner_width().ok().and_then(|width| width.as_f64());
    if let (Some(root), Some(outer)) = (root, outer) {
        // The space reserved for a hidden scroll bar counts too: only the box itself is measured.
        let bar = (outer - root.get_bounding_client_rect().width()).max(0.0).round();
        root.style().set_property("--scroll-bar", &format!("{bar}px")).unwrap_or_default();
    }
}
