//! Story of a permission request: the first words of the person, who delegated to whom, the last message, who waits.

use coordination::api::{PermissionStory, PermissionSummary, StoryMessage};
use leptos::prelude::*;

use crate::components::hidden::{Name, Said};
use crate::components::people::use_people;
use crate::components::time_ago::TimeAgo;
use crate::i18n::messages::PermissionMessages;
use crate::i18n::use_i18n;
use crate::routes::paths;
use crate::ui::Icon;

/// The story, with a link to its session.
#[component]
pub(super) fn Story(story: Memo<Option<PermissionStory>>, request: Memo<Option<PermissionSummary>>) -> impl IntoView {
    let (words, people) = (use_i18n(), use_people());
    let session = Memo::new(move |_| request.with(|request| request.as_ref()?.session_id.clone()));
    let parts = move || {
        story.get().map(|story| {
            let PermissionStory { first_words, last_words, chain, delegated, last_message, title, held_up, waiters } = story;
            let chain = (chain.len() > 1).then_some(chain);
            view! {
                {first_words.map(|text| view! { <Part label=|words| words.first_words><Said text=text /></Part> })}
                {last_words.map(|text| view! { <Part label=|words| words.last_words><Said text=text /></Part> })}
                {chain
                    .map(|chain| {
                        let names = move || chain.iter().map(|id| people.name(id)).collect::<Vec<_>>().join(" → ");
                        view! { <Part label=|words| words.chain><span>{names}</span></Part> }
                    })}
                {delegated.map(|text| view! { <Part label=|words| words.delegated><Said text=text /></Part> })}
                {last_message.map(|message| view! { <Part label=|words| words.last_message><StoryMessageView message=message /></Part> })}
                {(held_up > 0)
                    .then(|| {
                        let names = move || {
                            let names = waiters.iter().map(|id| people.name(id)).collect::<Vec<_>>();
                            let more = held_up.saturating_sub(u32::try_from(names.len()).unwrap_or(u32::MAX));
                            (words.get().home.waiters)(&names.join(", "), more)
                        };
                        view! {
                            <p class="permission__waiting">
                                {Icon::Clock} {move || (words.get().permission().waiting)(held_up, &names())}
                            </p>
                        }
                    })}
                {session
                    .get()
                    .map(|session| {
                        view! {
                            <Part label=|words| words.session>
                                <a class="link" href=paths::session(&session)><Name text=title /></a>
                            </Part>
                        }
                    })}
            }
        })
    };
    view! {
        <section class="permission__story" aria-labelledby="permission-story">
            <h2 id="permission-story">{move || words.get().permission().story}</h2>
            {parts}
        </section>
    }
}

/// A part of the story with its label.
#[component]
fn Part(label: fn(&PermissionMessages) -> &'static str, children: Children) -> impl IntoView {
    let words = use_i18n();
    view! {
        <p class="permission__line">
            <span>{move || label(words.get().permission())}</span>
            <span class="permission__value">{children()}</span>
        </p>
    }
}

/// A message with its sender, recipient and time.
#[component]
fn StoryMessageView(message: StoryMessage) -> impl IntoView {
    let people = use_people();
    let StoryMessage { from, to, text, at } = message;
    let parties = move || match &to {
        Some(to) => format!("{} → {}", people.name(&from), people.name(to)),
        None => people.name(&from),
    };
    view! {
        <span>
            {parties} " · " <TimeAgo at=at /> <br /> <Said text=text />
        </span>
    }
}
