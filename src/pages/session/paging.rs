//! Paging of a message stream. Pages load when the user scrolls near an end or presses the button there.

use coordination::api::ThreadQuery;
use coordination::view::StreamEnd;
use gloo_timers::callback::Timeout;
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::scroll_anchor::ScrollAnchor;
use crate::components::thread::window::{PAGE_MESSAGES, wanted};
use crate::i18n::use_i18n;
use crate::source::{DataSource, SourceError};
use crate::state::use_hub;
use crate::ui::toast::use_toasts;

/// After a page that could not be had, the next try is the user's for so long.
const RETRY_DELAY_MS: u32 = 5_000;

/// A stream that is read page by page. All of its methods read without subscribing.
pub(super) trait PagedStream: Copy + Send + Sync + 'static {
    /// Subject of the stream.
    type StreamId: Clone + PartialEq;
    /// What the monitor answers.
    type Page;

    /// Where the user is.
    fn keeper(self) -> ScrollAnchor;

    /// What the held part is of, and how many items it has; none while nothing is held.
    fn held(self) -> Option<(Self::StreamId, usize)>;

    /// The mark of the page beyond an end, if there is one.
    fn mark(self, end: StreamEnd) -> Option<String>;

    /// Asks for a page.
    async fn page(source: DataSource, of: Self::StreamId, query: ThreadQuery) -> Result<Self::Page, SourceError>;

    /// Puts the page that adjoins an end there.
    fn take(self, page: &Self::Page, end: StreamEnd);
}

/// Loads adjoining pages.
#[derive(Clone, Copy)]
pub(super) struct Paging {
    /// Loads the page beyond an end.
    pub(super) on_load: Callback<StreamEnd>,
    /// A page is on its way.
    pub(super) busy: RwSignal<bool>,
}

/// Follows the user.
pub(super) fn use_paging<S: PagedStream>(stream: S) -> Paging {
    let hub = use_hub();
    let (words, toasts) = (use_i18n(), use_toasts());
    let busy = RwSignal::new(false);
    let resting = StoredValue::new(false);
    let on_load = Callback::new(move |end: StreamEnd| {
        let (source, mark) = (hub.source.get_untracked(), stream.mark(end));
        let (Some(source), Some((of, _)), Some(mark), false) = (source, stream.held(), mark, busy.get_untracked())
        else {
            return;
        };
        busy.set(true);
        let page = ThreadQuery { limit: Some(PAGE_MESSAGES), ..ThreadQuery::default() };
        let query = match end {
            StreamEnd::Older => ThreadQuery { before: Some(mark.clone()), ..page },
            StreamEnd::Newer => ThreadQuery { after: Some(mark.clone()), ..page },
        };
        spawn_local(async move {
            let answer = S::page(source, of.clone(), query).await;
            // The page may be gone.
            if busy.try_set(false).is_some() {
                return;
            }
            match answer {
                // What was held may have been replaced meanwhile, or something else be open.
                Ok(page) if stream.held().is_some_and(|(now, _)| now == of) && stream.mark(end) == Some(mark) => {
                    stream.take(&page, end);
                }
                Ok(_) => {}
                Err(_) => {
                    resting.set_value(true);
                    Timeout::new(RETRY_DELAY_MS, move || {
                        resting.try_set_value(false);
                    })
                    .forget();
                    toasts.failed(words.now().thread().older_failed);
                }
            }
        });
    });
    // Where the user is, only the browser knows.
    Effect::new(move |_| {
        let keeper = stream.keeper();
        keeper.moved.track();
        let (Some(reach), false) = (keeper.reach(), busy.get_untracked() || resting.get_value()) else { return };
        let Some((_, count)) = stream.held() else { return };
        if let Some(end) = wanted(reach, keeper.heading(), count, |end| stream.mark(end).is_some()) {
            on_load.run(end);
        }
    });
    Paging { on_load, busy }
}
