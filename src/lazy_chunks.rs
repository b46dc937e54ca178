//! Macro `lazy_chunk!` for wasm chunks that the browser loads on demand, such as a page or the reader of 1.x monitors.
//! The bundle's build splits the chunks off (`crates/devtools/src/bundle/split.rs`). Without the feature `split`, the
//! build has a single wasm file.

/// A chunk could not be loaded.
#[derive(Debug, Clone, Copy)]
pub struct ChunkLoadError;

#[cfg(feature = "split")]
impl From<leptos::wasm_split::SplitLoaderError> for ChunkLoadError {
    fn from(_: leptos::wasm_split::SplitLoaderError) -> Self {
        Self
    }
}

/// `lazy_chunk!(name, load, fn open(…) -> T { … })` makes two functions. `async fn open(…)` loads the chunk `name` if
/// needed and runs the body: `Result<T, ChunkLoadError>`. `async fn load()` only loads it; after that, `open` answers
/// at its first poll. What only the body uses goes into the chunk. The chunk is found by the mark that `wasm_split`
/// makes of `open`'s name and place, so two bodies need two names or two places in the source.
macro_rules! lazy_chunk {
    ($chunk:ident, $load:ident, $vis:vis fn $name:ident($($arg:ident: $ty:ty),*) -> $out:ty $body:block) => {
        #[cfg(feature = "split")]
        #[leptos::wasm_split::wasm_split($chunk, wasm_split_path = ::leptos::wasm_split, preload($load), fallible)]
        $vis fn $name($($arg: $ty),*) -> Result<$out, $crate::lazy_chunks::ChunkLoadError> {
            Ok($body)
        }

        #[cfg(not(feature = "split"))]
        $vis async fn $name($($arg: $ty),*) -> Result<$out, $crate::lazy_chunks::ChunkLoadError> {
            Ok($body)
        }

        #[cfg(not(feature = "split"))]
        #[allow(dead_code, reason = "not everything is loaded ahead")]
        $vis async fn $load() -> Result<(), $crate::lazy_chunks::ChunkLoadError> {
            Ok(())
        }
    };
}
pub(crate) use lazy_chunk;
