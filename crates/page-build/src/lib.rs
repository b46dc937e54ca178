//! Builder of the page as a folder of static files, from cargo's wasm output and without Trunk.
//!
//! [`bind`] runs wasm-bindgen. [`stage`] copies the files that the `data-trunk` links of `index.html` name. It replaces
//! each link with the markup that Trunk would write.
//!
//! Nothing is optimised, compressed, split or hashed. `make bundle` does that for the released bundle.

pub mod bind;
pub mod stage;
