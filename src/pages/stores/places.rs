//! Status list of stores that were not read in full, with path and reason. It is hidden when all were read.

use coordination::api::StoreInfoRow;
use coordination::store::PlaceState;
use leptos::prelude::*;

use super::StoresState;
use crate::i18n::messages::Messages;
use crate::i18n::use_i18n;
use crate::ui::badge::Badge;
use crate::ui::{Icon, Tone};

/// Tone, icon and words of a state; none when all is well.
fn status_text(status: &PlaceState, words: &Messages) -> Option<(Tone, Icon, String, Option<String>)> {
    let stores = words.stores();
    let why = |cause: &str| (words.common.cause)(cause).unwrap_or(cause).to_owned();
    Some(match status {
        PlaceState::Read => return None,
        PlaceState::Stale { cause } => {
            (Tone::Warning, Icon::Clock, stores.stale.to_owned(), Some(format!("{}, {}", why(cause), stores.stale_why)))
        }
        PlaceState::Unreadable { cause } => (Tone::Danger, Icon::Warn, stores.unreadable.to_owned(), Some(why(cause))),
        PlaceState::Unsupported { version } => (Tone::Warning, Icon::Help, (stores.unsupported)(*version), None),
        PlaceState::Partial { odd } => (Tone::Warning, Icon::Warn, (stores.partial)(*odd), None),
    })
}

/// The section.
#[component]
pub(super) fn Places(state: StoresState) -> impl IntoView {
    let words = use_i18n();
    let bad = Memo::new(move |_| {
        state.fetch.data.with(|list| {
            let places = list.iter().flat_map(|list| list.places.clone());
            places.filter(|place| place.standing != PlaceState::Read).collect::<Vec<_>>()
        })
    });
    let line = move |place: StoreInfoRow| {
        let StoreInfoRow { path, standing: status, .. } = place;
        move || {
            status_text(&status, words.get()).map(|(tone, icon, text, why)| {
                view! {
                    <li>
                        <Badge tone=tone icon=icon text=text />
                        <code class="file-path">{coordination::text::hidden::marked(&path).into_owned()}</code>
                        {why.map(|why| view! { <span>{why}</span> })}
                    </li>
                }
            })
        }
    };
    move || {
        (!bad.with(Vec::is_empty)).then(|| {
            view! {
                <section class="store-places" aria-labelledby="store-places">
                    <h2 id="store-places">{move || (words.get().stores().places_bad)(bad.with(Vec::len))}</h2>
                    <ul>{bad.get().into_iter().map(line).collect_view()}</ul>
                </section>
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::Locale;

    #[test]
    fn bad_store_states_have_status_text() {
        let words = Locale::Ko.messages();
        assert!(status_text(&PlaceState::Read, words).is_none());
        let cause = || "EACCES".to_owned();
        let all = [
            PlaceState::Stale { cause: cause() },
            PlaceState::Unreadable { cause: cause() },
            PlaceState::Unsupported { version: 99 },
            PlaceState::Partial { odd: 3 },
        ];
        let texts: Vec<String> = all.iter().map(|state| format!("{:?}", status_text(state, words).unwrap())).collect();
        assert!(texts[0].contains("마지막으로 읽은") && texts[1].contains("읽을 권한이 없음"), "{texts:?}");
        assert!(texts[2].contains("지원하지 않는 저장소 버전 (99)") && texts[3].contains('3'), "{texts:?}");
    }
}
