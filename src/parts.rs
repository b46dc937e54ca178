//! Parts of the program that are no part of the first load: a page, or the reader of old monitors. The bundle's build
//! splits them off the wasm (`crates/devtools/src/bundle/split.rs`); every other build has them in one piece.

/// A part that could not be loaded.
#[derive(Debug, Clone, Copy)]
pub struct Missing;

#[cfg(feature = "split")]
impl From<leptos::wasm_split::SplitLoaderError> for Missing {
    fn from(_: leptos::wasm_split::SplitLoaderError) -> Self {
        Self
    }
}

/// `part!(name, load, fn open(…) -> T { … })` makes `async fn open(…) -> Result<T, Missing>`, which loads the part
/// `name` unless it is there, and `async fn load()`, which does only that: after it, `open` answers at its first poll.
/// What only the body uses goes into the part.
macro_rules! part {
    ($part:ident, $load:ident, $vis:vis fn $name:ident($($arg:ident: $ty:ty),*) -> $out:ty $body:block) => {
        #[cfg(feature = "split")]
        #[leptos::wasm_split::wasm_split($part, wasm_split_path = ::leptos::wasm_split, preload($load), fallible)]
        $vis fn $name($($arg: $ty),*) -> Result<$out, $crate::parts::Missing> {
            Ok($body)
        }

        #[cfg(not(feature = "split"))]
        $vis async fn $name($($arg: $ty),*) -> Result<$out, $crate::parts::Missing> {
            Ok($body)
        }

        #[cfg(not(feature = "split"))]
        #[allow(dead_code, reason = "not everything is loaded ahead")]
        $vis async fn $load() -> Result<(), $crate::parts::Missing> {
            Ok(())
        }
    };
}
pub(crate) use part;
