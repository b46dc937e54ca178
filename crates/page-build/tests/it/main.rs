//! Tests of the command lines of the page's build programs. `trunk-bindgen` prints a version, which the build tool
//! Trunk checks before it uses the program. `trunk-bindgen` and `page-build` refuse unknown flags.
//!
//! Proves (build): `trunk-bindgen` prints the version that Trunk expects, and both build programs refuse unknown flags.
#![allow(clippy::expect_used, reason = "a test fails loudly")]

use std::process::Command;

/// Trunk compares this line with the version in Cargo.lock before it uses the program.
#[test]
fn trunk_bindgen_names_the_version_of_the_library() {
    let done = Command::new(env!("CARGO_BIN_EXE_trunk-bindgen")).arg("--version").output().expect("starts");
    let line = String::from_utf8(done.stdout).expect("text");
    assert_eq!(line.trim(), format!("wasm-bindgen {}", page_build::bind::WASM_BINDGEN_VERSION));
}

#[test]
fn unknown_flag_is_refused_by_name() {
    for (program, flag) in
        [(env!("CARGO_BIN_EXE_trunk-bindgen"), "--weak-refs"), (env!("CARGO_BIN_EXE_page-build"), "--sauce")]
    {
        let done = Command::new(program).args([flag, "x"]).output().expect("starts");
        let stderr = String::from_utf8(done.stderr).expect("text");
        assert!(!done.status.success() && stderr.contains(flag), "{stderr}");
    }
}
