//! Links and images of a message. The real target host is always visible. Images are never loaded.

use coordination::markdown::LinkTarget;
use leptos::prelude::*;

use crate::components::hidden::{Name, every_mark};
use crate::i18n::I18n;
use crate::ui::Icon;

/// A link, its host behind it, and a warning when the words say something else.
pub(super) fn link(to: LinkTarget, content: Vec<AnyView>, words: I18n) -> AnyView {
    // A mail address is already visible when the words are the address.
    let is_visible = to.shows_address && !to.misleading && !to.host.suspicious;
    let host = (!is_visible).then(|| host(&to, words));
    view! {
        <a href=to.href target="_blank" rel="noopener noreferrer nofollow" referrerpolicy="no-referrer">
            <bdi>{content}</bdi>
        </a>
        {host}
    }
    .into_any()
}

/// An image is never loaded: a chip with its description links to it.
pub(super) fn image(to: Option<LinkTarget>, alt: String, words: I18n) -> AnyView {
    let name = if alt.is_empty() {
        (move || words.get().thread().image).into_any()
    } else {
        view! { <bdi>{every_mark(&alt, words)}</bdi> }.into_any()
    };
    match to {
        Some(to) => {
            let host = host(&to, words);
            view! {
                <a
                    class="md__chip"
                    href=to.href
                    target="_blank"
                    rel="noopener noreferrer nofollow"
                    referrerpolicy="no-referrer"
                >
                    {Icon::File}
                    {name}
                    {host}
                </a>
            }
            .into_any()
        }
        None => view! { <span class="md__chip">{Icon::File} {name}</span> }.into_any(),
    }
}

/// Where it leads; marked when its words name another place, or when it is built to be read as something else.
fn host(to: &LinkTarget, words: I18n) -> AnyView {
    let warning = if to.misleading {
        Some(true)
    } else if to.host.suspicious {
        Some(false)
    } else {
        None
    };
    let why = move |misleading: bool| {
        let words = words.get().thread();
        if misleading { words.link_misleads } else { words.link_odd }
    };
    view! {
        <small class="md__host" class:is-warning=warning.is_some()>
            {warning
                .map(|misleading| {
                    view! {
                        <span class="md__warning" role="img" aria-label=move || why(misleading) title=move || why(misleading)>
                            {Icon::Warn}
                        </span>
                    }
                })}
            <Name text=to.host.shown.clone() />
        </small>
    }
    .into_any()
}
