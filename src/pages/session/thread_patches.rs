//! Live updates of the open thread. The page sends the thread's id to the monitor, whose live frames then contain new
//! items of the thread. They are merged into the loaded messages, and into responses requested before the frame
//! arrived. If a merge is not possible, the thread is requested again.

use coordination::api::{ShownThread, ThreadPatch};
use coordination::decode::decode;
use coordination::view::{LiveChanges, PatchResult, RecentPatches, StreamEnd};
use leptos::prelude::*;

use super::thread_state::{OpenThreadKey, ThreadAnswer, ThreadState};
use crate::state::use_hub;

/// Names the open thread to the monitor, so that frames bring its new items.
pub(super) fn show_thread(key: Memo<Option<OpenThreadKey>>) {
    let shown = use_hub().shown_thread;
    let named = StoredValue::new(None::<ShownThread>);
    Effect::new(move |_| {
        let thread = key.get().map(|(session_id, thread_id)| ShownThread { session_id, thread_id });
        named.set_value(thread.clone());
        if shown.with_untracked(|shown| *shown != thread) {
            shown.set(thread);
        }
    });
    // The next page may have named its thread before this one is gone.
    on_cleanup(move || {
        if named.try_with_value(|named| shown.with_untracked(|shown| shown == named)).unwrap_or_default() {
            shown.set(None);
        }
    });
}

impl ThreadState {
    /// Takes in what frames brought of the open thread.
    pub(super) fn accept_patches(self, change: &LiveChanges) {
        let Some(key) = self.key.get_untracked() else { return };
        self.patches.update_value(|(of, patches)| {
            // Positions of another run say nothing, and neither do patches of another thread.
            if change.everything || change.moved || of.as_ref() != Some(&key) {
                *of = Some(key.clone());
                *patches = RecentPatches::default();
            }
        });
        if change.everything {
            self.patched.set(None);
        }
        if change.moved {
            // An answer that is under way may be of the other process.
            self.fetch.refetch();
        }
        for (position, patch) in &change.patches {
            let Ok(patch) = decode::<ThreadPatch>(patch.clone()) else { continue };
            if patch.session_id != key.0 || patch.thread.thread_id != key.1 {
                continue;
            }
            let is_open = self.loaded.with_untracked(|(of, _)| of.as_ref() == Some(&key));
            if is_open && !self.patch(&patch) {
                self.fetch.refetch();
            }
            self.patched.set(Some((key.clone(), position.clone(), patch.thread.clone())));
            self.patches.update_value(|(_, patches)| patches.push(position, patch));
        }
    }

    /// False when the loaded part has to be asked for again.
    fn patch(self, patch: &ThreadPatch) -> bool {
        let keep = if self.keeper.at_end.get_untracked() { StreamEnd::Newer } else { StreamEnd::Older };
        self.loaded.try_update(|(_, loaded)| loaded.apply(patch, keep)) != Some(PatchResult::AskAgain)
    }

    /// Brings an answer up to date with frames that came while it was under way.
    pub(super) fn patch_answer(self, answer: &ThreadAnswer) {
        let later = self.patches.with_value(|(of, patches)| {
            if of.as_ref() != Some(&answer.key) {
                return Some(Vec::new());
            }
            Some(patches.after(&answer.page.cursor)?.cloned().collect::<Vec<_>>())
        });
        if !later.is_some_and(|later| later.iter().all(|patch| self.patch(patch))) {
            self.fetch.refetch();
        }
    }
}
