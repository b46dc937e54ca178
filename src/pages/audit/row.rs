//! Row of one category change: old and new category, session, user, time and reason.

use crate::components::hidden::{Name, Said};
use coordination::api::{ChangeRow, SessionLink};
use coordination::category::Category;
use coordination::text::hidden;
use leptos::prelude::*;

use crate::components::category::CategoryBadge;
use crate::components::session_card::title_text;
use crate::components::time_ago::use_now;
use crate::i18n::{time, use_i18n};
use crate::routes::paths;
use crate::ui::Icon;

/// One change: old and new category, session, reason, author and time.
#[component]
pub(super) fn AuditRow(row: ChangeRow) -> impl IntoView {
    let words = use_i18n();
    let now = use_now();
    let change = row.change;
    let at = time::parse_iso(&change.at);
    let written = change.at.clone();
    let when = move || at.map_or_else(|| written.clone(), |at| time::relative(words.locale(), now.at.get(), at));
    let exact = move || at.map(|at| time::exact(words.locale(), at));
    let (by, found) = (change.by.clone(), change.found);
    let nameless = by.is_none();
    let who = move || {
        let thread = words.get().thread();
        by.as_deref()
            .map(|by| hidden::marked(by).into_owned())
            .unwrap_or_else(|| if found { thread.other_program } else { thread.nobody }.to_owned())
    };
    view! {
        <li class="change">
            <p class="change__way">
                <AuditCategory written=change.from />
                <span class="is-dim">"→"</span>
                <AuditCategory written=change.to />
            </p>
            <div class="change__what">
                <AuditSession session=row.session />
                {change.reason.map(|reason| view! { <q><Said text=reason /></q> })}
            </div>
            <p class="change__who">
                <span class:is-dim=nameless>{who}</span>
                {change.undo_of.is_some().then(|| view! { <small>{Icon::Retry} {move || words.get().thread().undone}</small> })}
                {(found && !nameless)
                    .then(|| view! { <small>{move || words.get().thread().other_program}</small> })}
            </p>
            <time datetime=change.at title=exact>{when}</time>
        </li>
    }
}

/// Badge of a category; a word for the automatic one (`None`). An unknown key is shown as written.
#[component]
fn AuditCategory(written: Option<String>) -> impl IntoView {
    let words = use_i18n();
    match written.as_deref().map(str::parse::<Category>) {
        Some(Ok(category)) => view! { <CategoryBadge category=category /> }.into_any(),
        Some(Err(())) => {
            view! { <code class="code-inline"><Name text=written.unwrap_or_default() /></code> }.into_any()
        }
        None => view! { <span class="change__auto">{move || words.get().thread().automatic}</span> }.into_any(),
    }
}

/// Link to the session by its title; its id and a note when the log does not contain it.
#[component]
fn AuditSession(session: SessionLink) -> impl IntoView {
    let words = use_i18n();
    let id = session.work_session_id;
    if session.known {
        let title = move || title_text(&session.title, session.title_source);
        view! {
            <a class="change__session" href=paths::session(&id) data-row="">
                {title}
            </a>
        }
        .into_any()
    } else {
        view! {
            <span class="change__session is-gone" data-row="" tabindex="-1">
                <code><Name text=id.to_string() /></code>
                <small>{move || words.get().record().event_missing}</small>
            </span>
        }
        .into_any()
    }
}
