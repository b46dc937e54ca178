//! Toolbar of the delegation tree: number of runs by state, slowest branch, length of the pauses that the time axis
//! leaves out, and buttons that fold the tree or hide finished and small branches.

use coordination::ids::EventId;
use leptos::prelude::*;

use super::TreeContext;
use crate::components::people::use_people;
use crate::i18n::{time, use_i18n};
use crate::routes::TreeView;
use crate::ui::Icon;

#[component]
pub(super) fn TreeTools(tree: TreeContext) -> impl IntoView {
    let words = use_i18n();
    let sums = Memo::new(move |_| {
        tree.answer.with(|answer| {
            let bad = answer.rows.iter().filter(|row| row.is_bad()).count();
            let open = answer.rows.iter().filter(|row| row.is_open()).count();
            let all = answer.rows.len();
            (all, all - open - bad, bad, answer.total as usize)
        })
    });
    let hidden = Memo::new(move |_| tree.lines.with(|lines| lines.hidden));
    let deepest = Memo::new(move |_| tree.lines.with(|lines| lines.deepest));
    let level = Memo::new(move |_| tree.view.with(|view| view.level));
    let folded = move || {
        let folded = tree.span.with(|span| span.folded_ms);
        (folded > 0).then(|| (words.get().events().folded)(&time::duration(words.locale(), folded)))
    };
    let set = move |change: fn(TreeView) -> TreeView| move |_| tree.on_view.run(change(tree.view.get_untracked()));
    let less = move |_| {
        let open = level.get_untracked().unwrap_or(deepest.get_untracked());
        tree.on_view.run(tree.view.get_untracked().open_to(Some(open.saturating_sub(1).max(1))));
    };
    let left_off = move || {
        let (here, _, _, all) = sums.get();
        (here < all).then(|| (words.get().events().runs_of)(here, all))
    };
    view! {
        <header>
            <h2>{move || words.get().events().tree}</h2>
            <small>
                {move || {
                    let (all, done, bad, _) = sums.get();
                    (words.get().events().counts)(all as u32, done as u32, bad as u32)
                }}
            </small>
            {move || folded().map(|text| view! { <small class="delegations__folded">{Icon::Fold} " " {text}</small> })}
            {move || left_off().map(|text| view! { <small role="status">{text}</small> })}
        </header>
        <Slowest tree=tree />
        {move || {
            (deepest.get() > 1 || sums.get().0 > 8)
                .then(|| {
                    view! {
                        <div class="delegations__tools" role="group" aria-label=move || words.get().events().tree_tools>
                            {(deepest.get() > 1)
                                .then(|| {
                                    view! {
                                        <button type="button" class="button is-small" on:click=set(|view| view.open_to(Some(1)))>
                                            {move || words.get().events().fold_all}
                                        </button>
                                        <button type="button" class="button is-small" on:click=less>
                                            {move || words.get().events().fold_one}
                                        </button>
                                        <button
                                            type="button"
                                            class="button is-small"
                                            disabled=move || tree.view.with(|view| view.level.is_none() && view.turned.is_empty())
                                            on:click=set(|view| view.open_to(None))
                                        >
                                            {move || words.get().events().open_all}
                                        </button>
                                    }
                                })}
                            <button
                                type="button"
                                class="button is-small"
                                aria-pressed=move || tree.view.with(|view| view.hide_done.to_string())
                                on:click=set(|view| TreeView { hide_done: !view.hide_done, ..view })
                            >
                                {move || words.get().events().hide_done}
                            </button>
                            <button
                                type="button"
                                class="button is-small"
                                aria-pressed=move || tree.view.with(|view| view.hide_small.to_string())
                                on:click=set(|view| TreeView { hide_small: !view.hide_small, ..view })
                            >
                                {move || words.get().events().hide_small}
                            </button>
                            <span class="is-dim" role="status">
                                {move || (hidden.get() > 0).then(|| (words.get().events().runs_hidden)(hidden.get()))}
                            </span>
                        </div>
                    }
                })
        }}
    }
}

/// The branch that took longest, by name: a press leads to its end.
#[component]
fn Slowest(tree: TreeContext) -> impl IntoView {
    let words = use_i18n();
    let people = use_people();
    let branch = Memo::new(move |_| {
        tree.answer.with(|answer| {
            let find = |id: &EventId| answer.rows.iter().find(|row| row.id == *id);
            let (first, last) = (find(answer.slowest.first()?)?, find(answer.slowest.last()?)?);
            let took = first.end_time.unwrap_or(answer.now).saturating_sub(first.start_time);
            let name = last.label.clone().filter(|label| !label.is_empty());
            Some((first.to.clone(), last.to.clone(), name, took, last.id.clone()))
        })
    });
    move || {
        branch.get().map(|(first, last, name, took, id)| {
            let text = move || {
                let (first, last) = (people.name(&first), people.name(&last));
                let mut who = if first == last { last } else { format!("{first} → {last}") };
                if let Some(name) = &name {
                    who = format!("{who} ({name})");
                }
                (words.get().events().slowest)(&who, &time::duration(words.locale(), took))
            };
            let show = move |_| {
                let number =
                    tree.lines.with_untracked(|lines| lines.list.iter().position(|line| line.id == id.as_str()));
                if let Some(number) = number {
                    tree.current.set(number);
                }
                tree.on_view.run(TreeView { run: Some(id.clone()), ..tree.view.get_untracked() });
            };
            view! {
                <p class="delegations__slowest">
                    {Icon::Hourglass}
                    <button type="button" class="link" on:click=show>
                        {text}
                    </button>
                </p>
            }
        })
    }
}
