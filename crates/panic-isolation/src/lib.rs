//! Panic isolation: [`catch_panic`] calls a closure and returns `None` when it panics. Unlike `catch_unwind`, it also
//! works in wasm.
//!
//! Wasm cannot catch a panic. In the browser, the closure is therefore called through JavaScript, which can.
//! Destructors do not run then, and everything that the closure holds leaks, so it should hold only its own data.

#![warn(missing_docs)]

use std::cell::Cell;

/// Limit of caught panics per thread. After that no closure is called: so many panics mean a defect, and in wasm each
/// one leaks its stack frames (the stack of the instance has one megabyte).
pub const MAX_CAUGHT_PANICS: u32 = 16;

thread_local! {
    static CAUGHT_PANICS: Cell<u32> = const { Cell::new(0) };
}

/// The result of `work`. `None` when it panics, or, without calling it, after [`MAX_CAUGHT_PANICS`] panics.
pub fn catch_panic<T: 'static>(work: impl FnOnce() -> T + 'static) -> Option<T> {
    if CAUGHT_PANICS.get() >= MAX_CAUGHT_PANICS {
        return None;
    }
    let result = try_call(work);
    if result.is_none() {
        CAUGHT_PANICS.set(CAUGHT_PANICS.get() + 1);
    }
    result
}

#[cfg(not(target_arch = "wasm32"))]
fn try_call<T: 'static>(work: impl FnOnce() -> T + 'static) -> Option<T> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).ok()
}

#[cfg(target_arch = "wasm32")]
fn try_call<T: 'static>(work: impl FnOnce() -> T + 'static) -> Option<T> {
    use std::rc::Rc;

    use wasm_bindgen::closure::Closure;
    use wasm_bindgen::{JsCast as _, JsValue};

    let result = Rc::new(Cell::new(None));
    let slot = Rc::clone(&result);
    let call = Closure::once(move || slot.set(Some(work())));
    let returned = call.as_ref().unchecked_ref::<js_sys::Function>().call0(&JsValue::NULL).is_ok();
    if !returned {
        // The trap came while the closure was being consumed: dropping it now could free its captures twice.
        std::mem::forget(call);
    }
    result.take()
}

#[cfg(test)]
mod tests {
    use super::{MAX_CAUGHT_PANICS, catch_panic};

    #[test]
    fn nothing_is_called_after_max_panics() {
        assert_eq!(catch_panic(|| 7), Some(7));
        for _ in 0..MAX_CAUGHT_PANICS {
            assert_eq!(catch_panic(|| -> u8 { panic!("on purpose") }), None);
        }
        assert_eq!(catch_panic(|| 7), None, "not called any more");
    }
}
