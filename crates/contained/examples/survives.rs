//! Small wasm module that panics on purpose. `survives.mjs` drives it: `cargo run -q -p xtask -- survives`.
#![allow(unreachable_pub, reason = "exported to JavaScript")]

#[cfg(target_arch = "wasm32")]
mod module {
    use std::sync::Mutex;

    use contained::{MAX_PANICS, contained};
    use wasm_bindgen::prelude::wasm_bindgen;

    static HELD: Mutex<Vec<String>> = Mutex::new(Vec::new());

    /// Uses the stack and the heap the way a reader of texts does, then panics or answers.
    fn work(depth: u32, panics: bool) -> usize {
        let own: Vec<String> = (0..8).map(|at| format!("{depth} {at}")).collect();
        if depth == 0 {
            assert!(!panics, "on purpose");
            return own.len();
        }
        own.len() + work(depth - 1, panics)
    }

    /// Panics that are contained.
    #[wasm_bindgen]
    #[must_use]
    pub fn most() -> u32 {
        MAX_PANICS
    }

    /// What contained work of this depth answers; nothing when it panics.
    #[wasm_bindgen]
    #[must_use]
    pub fn try_work(depth: u32, panics: bool) -> Option<usize> {
        // The caller holds a lock while the work panics: it must not be lost for the caller.
        let Ok(mut held) = HELD.lock() else { return None };
        held.push(format!("{depth}"));
        let answer = contained(move || work(depth, panics));
        held.push(format!("{answer:?}"));
        answer
    }

    /// How often something was tried, by two for each; nothing when the lock is lost.
    #[wasm_bindgen]
    #[must_use]
    pub fn tried() -> Option<usize> {
        HELD.lock().ok().map(|held| held.len())
    }

    /// The same work, not contained.
    #[wasm_bindgen]
    #[must_use]
    pub fn bare_work(depth: u32, panics: bool) -> usize {
        work(depth, panics)
    }
}

fn main() {}
