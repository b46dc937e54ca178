//! A modal dialog on the platform's `<dialog>`: focus is kept inside, Escape closes, focus returns to where it was.

use leptos::html;
use leptos::prelude::*;

/// A dialog that shows while `open`; `on_close` is told about Escape and clicks outside.
#[component]
pub fn Dialog(
    #[prop(into)] open: Signal<bool>,
    on_close: Callback<()>,
    #[prop(into)] title: Signal<String>,
    #[prop(into)] close_label: Signal<String>,
    children: ChildrenFn,
) -> impl IntoView {
    let node = NodeRef::<html::Dialog>::new();
    Effect::new(move |_| {
        let Some(dialog) = node.get() else { return };
        match (open.get(), dialog.open()) {
            // Showing fails only for a dialog outside the document, and then there is nothing to show.
            (true, false) => dialog.show_modal().unwrap_or_default(),
            (false, true) => dialog.close(),
            _ => {}
        }
    });
    let outside = move |event: leptos::ev::MouseEvent| {
        let on_backdrop = event.target().zip(node.get_untracked()).is_some_and(|(target, dialog)| {
            let dialog: &web_sys::EventTarget = dialog.as_ref();
            target == *dialog
        });
        if on_backdrop {
            on_close.run(());
        }
    };
    view! {
        <dialog
            class="dialog"
            node_ref=node
            aria-label=move || title.get()
            on:close=move |_| on_close.run(())
            on:click=outside
        >
            <div class="dialog__body">
                <header class="dialog__head">
                    <h2>{move || title.get()}</h2>
                    <button
                        type="button"
                        class="icon-button"
                        aria-label=move || close_label.get()
                        on:click=move |_| on_close.run(())
                    >
                        {super::Icon::Close}
                    </button>
                </header>
                {move || open.get().then(|| children())}
            </div>
        </dialog>
    }
}
