//! Wrapper of the wasm-bindgen library, which writes the page's JavaScript and wasm files. Cargo.lock sets one version
//! for the library and the page, so the two always match.

use std::path::Path;

use anyhow::{Context as _, Result};
use wasm_bindgen_cli_support::Bindgen;

/// Version of the private format between the library and its generator.
pub const WASM_BINDGEN_VERSION: &str = "0.2.130";

/// Where the script runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BindTarget {
    /// A module for browsers.
    Web,
    /// A CommonJS module for Node.
    Node,
}

/// What Trunk can ask for, as its command-line flags.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BindOptions {
    /// `--keep-debug`: DWARF sections stay.
    pub keep_debug: bool,
    /// `--no-demangle` clears it: names in the wasm's name section are readable.
    pub demangle: bool,
    /// `--no-typescript` clears it: a `.d.ts` file is written.
    pub typescript: bool,
    /// `--keep-lld-exports`.
    pub keep_lld_exports: bool,
}

impl Default for BindOptions {
    fn default() -> Self {
        Self { keep_debug: false, demangle: true, typescript: false, keep_lld_exports: false }
    }
}

/// Writes `NAME.js` and `NAME_bg.wasm` into `out`.
pub fn bind(wasm: &Path, out: &Path, name: &str, target: BindTarget, options: BindOptions) -> Result<()> {
    let mut bindgen = Bindgen::new();
    bindgen.input_path(wasm).out_name(name);
    match target {
        BindTarget::Web => bindgen.web(true)?,
        BindTarget::Node => bindgen.nodejs(true)?,
    };
    bindgen.keep_debug(options.keep_debug).demangle(options.demangle).typescript(options.typescript);
    bindgen.keep_lld_exports(options.keep_lld_exports);
    bindgen.generate(out).with_context(|| format!("wasm-bindgen failed on {}", wasm.display()))
}

#[cfg(test)]
mod tests {
    use super::WASM_BINDGEN_VERSION;

    #[test]
    fn version_equals_cargo_lock() {
        let lock = include_str!("../../../Cargo.lock");
        assert!(lock.contains(&format!("name = \"wasm-bindgen\"\nversion = \"{WASM_BINDGEN_VERSION}\"\n")));
        assert!(lock.contains(&format!("name = \"wasm-bindgen-cli-support\"\nversion = \"{WASM_BINDGEN_VERSION}\"\n")));
    }
}
