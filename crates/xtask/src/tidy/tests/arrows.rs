//! Tests of the check of imports between modules (`tidy/arrows.rs`).

use super::super::arrows;
use super::file;

/// Violations in one file of a tree that has nothing else.
fn violations_in(path: &str, text: &str) -> Vec<String> {
    arrows::check(&[file(path, text)])
}

#[test]
fn modules_import_only_what_the_table_allows() {
    for (path, bad) in [
        ("src/ui/a.rs", "use crate::state::Hub;"),
        ("src/components/a.rs", "use crate::{i18n::ko, pages::Home};"),
        ("src/components/a.rs", "use crate::{\n    i18n::ko,\n    pages::Home,\n};"),
        ("src/components/a.rs", "pub use crate::{i18n::{ko, en}, pages as screens};"),
        ("crates/monitor/src/sources/tail/a.rs", "use crate::core::ingest;"),
        ("crates/protocol/src/view.rs", "#[serde(with = \"crate::link::text\")]"),
        ("src/newcomer.rs", "use crate::live::start;"),
    ] {
        assert_eq!(violations_in(path, bad).len(), 1, "{bad}");
    }
    for (path, good) in [
        ("src/components/a.rs", "use crate::{i18n::ko, ui::{Icon, Button}};"),
        ("src/components/a.rs", "// use crate::pages::Home;\nlet text = \"use crate::pages::Home\";"),
        ("src/pages/a.rs", "use crate::source::home;"),
        ("src/app.rs", "use crate::live::start;"),
        ("crates/monitor/src/web/a.rs", "use crate::core::live::Live;"),
    ] {
        assert_eq!(violations_in(path, good), Vec::<String>::new(), "{good}");
    }
}

#[test]
fn super_path_to_refused_module_is_reported() {
    for (path, bad) in [
        ("src/ui.rs", "use super::state::Hub;"),
        ("src/ui/mod.rs", "use super::state::Hub;"),
        ("src/ui/a.rs", "use super::super::state::Hub;"),
        ("src/ui/a/b.rs", "pub use super::super::super::{ui::c::D, state::{Hub, View}};"),
        ("src/ui/a.rs", "use super::{b::C, super::state::Hub};"),
        ("src/ui.rs", "let hub = super::state::Hub::new();"),
        ("src/ui.rs", "mod wide {\n    use super::super::state::Hub;\n}"),
        ("src/ui.rs", "mod wide {\n    fn a() {}\n}\nuse super::state::Hub;"),
        ("src/ui/a.rs", "use super::super::*;"),
    ] {
        let found = violations_in(path, bad);
        assert_eq!(found.len(), 1, "{bad}: {found:?}");
    }
    for (path, good) in [
        ("src/ui/a.rs", "use super::state::Hub;"),
        ("src/ui/a.rs", "use super::*;"),
        ("src/ui/a/b.rs", "use super::super::state::{self, Hub};"),
        ("src/ui.rs", "mod wide {\n    use super::state::Hub;\n}"),
        ("src/ui.rs", "#[cfg(test)]\nmod tests {\n    use super::super::state::Hub;\n}"),
        ("src/ui/tests.rs", "use super::super::state::Hub;"),
        ("src/pages.rs", "use super::{state::Hub, ui};"),
        ("src/ui/a.rs", "pub(in super::super) fn b() {}"),
    ] {
        assert_eq!(violations_in(path, good), Vec::<String>::new(), "{good}");
    }
}

#[test]
fn item_of_root_counts_as_its_module() {
    let violations = |root: &str, text: &str| {
        arrows::check(&[file("crates/agent-events/src/lib.rs", root), file("crates/agent-events/src/key.rs", text)])
    };
    let root = "mod key;\npub use event::{Kind, moment as time_of};\npub use self::state::AgentNow;\npub use key::event_id;\nuse serde::Value;";
    for bad in ["use super::Kind;", "use crate::{time_of};", "let now: crate::AgentNow;", "use super::DeclaredThere;"] {
        assert_eq!(violations(root, bad).len(), 1, "{bad}");
    }
    for good in ["use super::Value;", "use crate::event_id;"] {
        assert_eq!(violations(root, good), Vec::<String>::new(), "{good}");
    }
}

#[test]
fn the_core_is_pure() {
    let impure = "//! A.\nuse std::fs::File;\n";
    assert_eq!(violations_in("crates/protocol/src/ids.rs", impure).len(), 1);
    assert!(violations_in("crates/protocol/src/ids.rs", "//! Not std::fs.\n").is_empty());
    assert!(violations_in("crates/monitor/src/home.rs", impure).is_empty());
}
