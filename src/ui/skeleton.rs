//! Grey placeholder lines for content that loads slowly. They are shown after a delay, which is in the style sheet.

use leptos::prelude::*;

/// Rows of placeholder lines. `label` describes the wait for screen readers.
#[component]
pub fn Skeleton(
    /// How many rows.
    #[prop(default = 6)]
    rows: usize,
    #[prop(into)] label: Signal<String>,
) -> impl IntoView {
    view! {
        <div class="skeleton" role="status" aria-live="polite">
            <span class="visually-hidden">{move || label.get()}</span>
            {(0..rows)
                .map(|_| {
                    view! {
                        <div class="skeleton__row" aria-hidden="true">
                            <span class="skeleton__bar" />
                            <span class="skeleton__lines">
                                <span class="skeleton__bar is-long" />
                                <span class="skeleton__bar is-wide" />
                            </span>
                            <span class="skeleton__bar" />
                        </div>
                    }
                })
                .collect_view()}
        </div>
    }
}
