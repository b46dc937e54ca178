//! Empty and error states: icon and title, and optionally a cause, a path or code, and actions.

use leptos::prelude::*;

use super::Icon;

/// Icon, sentence, explanation, an optional path or code, and actions as children.
#[component]
pub fn EmptyState(
    icon: Icon,
    #[prop(into)] title: Signal<String>,
    #[prop(into, optional)] text: Option<Signal<String>>,
    /// A path or code, shown as written.
    #[prop(into, optional)]
    code: Option<Signal<String>>,
    /// True for failures, which screen readers announce at once.
    #[prop(default = false)]
    failed: bool,
    /// True when nothing else is on the page: then the sentence is its first heading.
    #[prop(default = false)]
    alone: bool,
    #[prop(optional)] children: Option<Children>,
) -> impl IntoView {
    let heading = if alone {
        view! { <h1 class="empty__title">{move || title.get()}</h1> }.into_any()
    } else {
        view! { <h2 class="empty__title">{move || title.get()}</h2> }.into_any()
    };
    view! {
        <div class="empty" role=if failed { "alert" } else { "status" }>
            {icon} {heading}
            {text.map(|text| view! { <p class="empty__text">{move || text.get()}</p> })}
            {code
                .map(|code| {
                    move || {
                        let code = code.get();
                        (!code.is_empty()).then(|| view! { <code class="empty__code">{code}</code> })
                    }
                })}
            {children.map(|children| view! { <div class="empty__actions">{children()}</div> })}
        </div>
    }
}
