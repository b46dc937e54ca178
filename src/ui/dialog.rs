//! Modal dialog on the browser's `<dialog>`. Focus stays inside, Escape closes it, and focus returns to the previous
//! element.

use leptos::prelude::*;

use super::modal::{Modal, use_modal};

/// A dialog that shows while `open`; `on_close` is called for Escape and clicks outside.
#[component]
pub fn Dialog(
    #[prop(into)] open: Signal<bool>,
    on_close: Callback<()>,
    #[prop(into)] title: Signal<String>,
    #[prop(into)] close_label: Signal<String>,
    children: ChildrenFn,
) -> impl IntoView {
    let Modal { node, on_click } = use_modal(open, on_close);
    view! {
        <dialog
            class="dialog"
            node_ref=node
            aria-label=move || title.get()
            on:close=move |_| on_close.run(())
            on:click=on_click
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
