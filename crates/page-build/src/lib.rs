//! The page as a folder of static files, made from cargo's wasm without Trunk.
//!
//! [`bind`] runs wasm-bindgen, [`stage`] copies what `index.html` names in its `data-trunk` links and replaces each link
//! by what Trunk would write. Nothing is optimised, packed, split or hashed: `make bundle` does that for what ships.

pub mod bind;
pub mod stage;
