//! Test module for caught panics in wasm. It panics on purpose: after `catch_panic`, the wasm instance and a lock that
//! was held during the panic must stay usable. `survives.mjs` calls it in Node: `cargo run -p devtools -- survives`.
#![allow(unreachable_pub, reason = "exported to JavaScript")]

#[cfg(target_arch = "wasm32")]
mod module {
    use std::sync::Mutex;

    use panic_isolation::{MAX_CAUGHT_PANICS, catch_panic};
    use wasm_bindgen::prelude::wasm_bindgen;

    /// What `try_work` did, two lines for each call.
    static LOG: Mutex<Vec<String>> = Mutex::new(Vec::new());

    /// Uses stack and heap like a recursive parser, then returns or panics.
    fn work(depth: u32, panics: bool) -> usize {
        let own: Vec<String> = (0..8).map(|at| format!("{depth} {at}")).collect();
        if depth == 0 {
            assert!(!panics, "on purpose");
            return own.len();
        }
        own.len() + work(depth - 1, panics)
    }

    /// How many panics are caught.
    #[wasm_bindgen]
    #[must_use]
    pub fn max_caught_panics() -> u32 {
        MAX_CAUGHT_PANICS
    }

    /// The result of the work at this depth; `None` when it panics.
    #[wasm_bindgen]
    #[must_use]
    pub fn try_work(depth: u32, panics: bool) -> Option<usize> {
        // The caller holds a lock while the work panics. The lock must stay usable.
        let Ok(mut log) = LOG.lock() else { return None };
        log.push(format!("{depth}"));
        let result = catch_panic(move || work(depth, panics));
        log.push(format!("{result:?}"));
        result
    }

    /// Lines of the log; `None` when its lock is poisoned.
    #[wasm_bindgen]
    #[must_use]
    pub fn log_length() -> Option<usize> {
        LOG.lock().ok().map(|log| log.len())
    }

    /// The same work; its panic is not caught.
    #[wasm_bindgen]
    #[must_use]
    pub fn uncaught_work(depth: u32, panics: bool) -> usize {
        work(depth, panics)
    }
}

fn main() {}
