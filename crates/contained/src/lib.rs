//! `catch_unwind` that also works in wasm. It returns nothing when the closure panics.
//!
//! Natively it is `catch_unwind`. In the browser a panic ends in a trap that wasm cannot catch. The closure is
//! therefore called through JavaScript, which catches the trap. The stack frames in between are dropped without running
//! destructors, and the instance continues. Everything the closure held is lost, so it should hold only its own data.

#![warn(missing_docs)]

use std::cell::Cell;

/// Most panics that are caught; then the work is not tried any more. Each one leaves its frames on the stack of the
/// instance for ever (a megabyte in all), and this many are no accident.
pub const MAX_PANICS: u32 = 16;

thread_local! {
    static PANICS: Cell<u32> = const { Cell::new(0) };
}

/// The result of `work`; nothing when it panics, or after [`MAX_PANICS`] panics.
pub fn contained<T: 'static>(work: impl FnOnce() -> T + 'static) -> Option<T> {
    if PANICS.get() >= MAX_PANICS {
        return None;
    }
    let answer = caught(work);
    if answer.is_none() {
        PANICS.set(PANICS.get() + 1);
    }
    answer
}

#[cfg(not(target_arch = "wasm32"))]
fn caught<T: 'static>(work: impl FnOnce() -> T + 'static) -> Option<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).ok()
}

#[cfg(target_arch = "wasm32")]
fn caught<T: 'static>(work: impl FnOnce() -> T + 'static) -> Option<T> {
    use std::rc::Rc;

    use wasm_bindgen::closure::Closure;
    use wasm_bindgen::{JsCast as _, JsValue};

    let answer = Rc::new(Cell::new(None));
    let place = Rc::clone(&answer);
    let call = Closure::once(move || place.set(Some(work())));
    let went_well = call.as_ref().unchecked_ref::<js_sys::Function>().call0(&JsValue::NULL).is_ok();
    if !went_well {
        // Its environment was taken apart half-way: freeing it now would be the second time.
        std::mem::forget(call);
    }
    answer.take()
}

#[cfg(test)]
mod tests {
    use super::{MAX_PANICS, contained};

    #[test]
    fn work_is_refused_after_max_panics() {
        assert_eq!(contained(|| 7), Some(7));
        for _ in 0..MAX_PANICS {
            assert_eq!(contained(|| -> u8 { panic!("on purpose") }), None);
        }
        assert_eq!(contained(|| 7), None, "not tried any more");
    }
}
