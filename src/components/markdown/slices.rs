//! Incremental drawing of a large Markdown text, one slice in each animation frame, so that the page stays responsive.

use std::collections::VecDeque;

use leptos::prelude::*;

use crate::components::fold::{Folds, use_folds};
use crate::i18n::{I18n, use_i18n};

/// Elements that are drawn at once where a text is shown. More than any folded text has.
pub(super) const SLICE_ELEMENTS: usize = 1_500;
/// The same where a user unfolds a large one: its first lines are already shown, and all of it is laid out again with
/// each slice.
pub(super) const UNFOLD_SLICE_ELEMENTS: usize = 400;

/// What draws one text: its words, and how much of it may still be drawn before the page takes breath.
#[derive(Clone, Copy)]
pub(super) struct SliceWriter {
    pub(super) words: I18n,
    /// Some of the text is still to come.
    pub(super) busy: RwSignal<bool>,
    folds: Folds,
    slices: StoredValue<Slices>,
}

struct Slices {
    size: usize,
    left: usize,
    /// In the order of the text.
    waiting: VecDeque<RwSignal<bool>>,
    /// What the current slice leaves over, in the order of the text: it precedes everything that waits.
    left_over: Vec<RwSignal<bool>>,
}

impl SliceWriter {
    /// For the component that calls it, created again with each drawing. `busy` is its own.
    pub(super) fn new(busy: RwSignal<bool>) -> impl Fn(usize) -> Self + Copy {
        let (words, folds) = (use_i18n(), use_folds());
        move |size| {
            let slices = Slices { size, left: size, waiting: VecDeque::new(), left_over: Vec::new() };
            Self { words, busy, folds, slices: StoredValue::new(slices) }
        }
    }

    /// Draws these one behind the other: now, as far as the slice goes, the others in later frames.
    pub(super) fn each<T: Send + Sync + 'static>(self, list: Vec<T>, draw: fn(T, Self) -> AnyView) -> Vec<AnyView> {
        let mut views = Vec::with_capacity(list.len().min(SLICE_ELEMENTS));
        let mut rest = list.into_iter();
        while rest.len() > 0 {
            if !self.has_room() {
                views.push(self.later(rest.collect(), draw));
                break;
            }
            views.extend(rest.next().map(|one| draw(one, self)));
        }
        views
    }

    fn has_room(self) -> bool {
        let room = self.slices.try_update_value(|slices| match slices.left.checked_sub(1) {
            Some(left) => {
                slices.left = left;
                true
            }
            None => false,
        });
        room.unwrap_or_default()
    }

    fn later<T: Send + Sync + 'static>(self, list: Vec<T>, draw: fn(T, Self) -> AnyView) -> AnyView {
        let (ready, list) = (RwSignal::new(false), StoredValue::new(list));
        self.slices.update_value(|slices| slices.left_over.push(ready));
        (move || {
            ready.get().then(|| {
                let list = list.try_update_value(std::mem::take).unwrap_or_default();
                self.each(list, draw)
            })
        })
        .into_any()
    }

    /// Continues with what is left over, a slice a frame. To be called once the first slice is drawn.
    pub(super) fn draw_next(self) {
        let any = self.slices.with_value(|slices| !slices.left_over.is_empty());
        self.busy.set(any);
        if any {
            self.next_frame();
        }
    }

    fn next_frame(self) {
        request_animation_frame(move || {
            let next = self.slices.try_update_value(|slices| {
                for one in slices.left_over.drain(..).rev() {
                    slices.waiting.push_front(one);
                }
                slices.left = slices.size;
                slices.waiting.pop_front()
            });
            match next {
                Some(Some(ready)) => {
                    ready.try_set(true);
                    self.next_frame();
                }
                Some(None) => {
                    self.busy.try_set(false);
                    self.folds.notify();
                }
                // The text was removed or redrawn.
                None => {}
            }
        });
    }
}
