//! Tests of three tidy checks: refused words, type and component names that exist twice, and soaks (long test runs)
//! whose test filter matches no test. The scanner that separates code, comments and literals is tested too.

use super::super::{promises, source, type_names, words};
use super::file;

#[test]
fn source_scanner_separates_code_comments_literals() {
    use source::Kind::{Code, Comment, Literal};
    let text = "a('x', '\\'', \"// no\"); // yes \"\nfn b<'a>(c: &'a str) { r#\"\"no\"# } /* d\n/* e */ f */ g\n";
    let found: Vec<_> = source::pieces(text).iter().map(|piece| (piece.line, piece.kind, piece.text.trim())).collect();
    let expected = [
        (0, Code, "a("),
        (0, Literal, "'x'"),
        (0, Code, ","),
        (0, Literal, "'\\''"),
        (0, Code, ","),
        (0, Literal, "\"// no\""),
        (0, Code, ");"),
        (0, Comment, "// yes \""),
        (1, Code, "fn b<'a>(c: &'a str) { r#"),
        (1, Literal, "\"\"no\"#"),
        (1, Code, "}"),
        (1, Comment, "/* d"),
        (2, Comment, "/* e */ f */"),
        (2, Code, "g"),
    ];
    assert_eq!(found, expected);
}

#[test]
fn identifiers_use_terms_of_the_field() {
    let check = |code: &str| words::check(&file("src/a.rs", &format!("//! A.\n{code}\n")));
    for good in [
        "let receipt_stand = untold + standstill;",
        "let a = \"told anew\"; // \u{2026} `told`",
        "ResolveFlags::BENEATH",
        "OverANewLog",
        "flow.asked_at",
    ] {
        assert!(check(good).is_empty(), "{good}: {:?}", check(good));
    }
    for bad in [
        "fn told_next() {}",
        "struct KeptLine;",
        "let toldAnew = 1;",
        "const ASKED: u8 = 1;",
        "From::Told",
        "x.asked_by",
    ] {
        assert_eq!(check(bad).len(), 1, "{bad}: {:?}", check(bad));
    }
    assert_eq!(check("let told = 1;\nlet b = told;").len(), 1, "once per file and identifier");
    assert!(words::check(&file("crates/monitor/src/gateway/ledger.rs", "//! A.\nasked_by,\n")).is_empty());
    assert!(words::check(&file("src/a.mjs", "let told = 1;\n")).is_empty());
}

#[test]
fn comments_use_plain_words() {
    let check = |comment: &str| words::check(&file("src/a.rs", &format!("{comment}\nfn a() {{}}\n")));
    for good in [
        "// Retold, untold.",
        "/// Sets `told`.",
        "// The list is\n\n// none of them.",
        "// Goes upon.",
        "// `None` when there is none.",
    ] {
        assert!(check(good).is_empty(), "{good}: {:?}", check(good));
    }
    for bad in [
        "// The page is told.",
        "//! Whoever asks.",
        "/* made\n anew */",
        "/// That is\n/// none of ours.",
        "fn b() {} // Goes on.",
    ] {
        assert_eq!(check(bad).len(), 1, "{bad}: {:?}", check(bad));
    }
}

#[test]
fn type_names_are_unique() {
    let check = |one: &str, other: &str| type_names::check(&[file("src/a.rs", one), file("crates/b/src/b.rs", other)]);
    for (one, other) in [
        ("pub struct A;", "pub struct B;"),
        ("struct A { b: B }", "// struct A;\nconst TEXT: &str = \"struct A;\";"),
        ("impl X for Y {\n    type Item = u8;\n}", "impl<T: Into<u8>> X for T {\n    type Item = u8;\n}"),
        ("trait X {\n    type Item;\n}", "type Item = u8;"),
        ("fn a(union: u8, r#type: u8) -> impl Sized { union }", "fn b(union: u8) { union }"),
        ("struct Point<T: Trait>(T);", "fn c() -> impl Trait {}"),
    ] {
        assert!(check(one, other).is_empty(), "{one} {other}: {:?}", check(one, other));
    }
    for (one, other) in [
        ("pub struct A;", "pub(crate) enum A {}"),
        ("trait A {}", "type A = u8;"),
        ("#[derive(Debug)]\nstruct A<T>(T);", "mod tests {\n    union A {}\n}"),
        ("impl X for Y {\n    fn a() {\n        struct A;\n    }\n}", "pub struct A;"),
        ("unsafe trait A {}", "mod b {\n    pub type A = u8;\n}"),
    ] {
        assert_eq!(check(one, other).len(), 1, "{one} {other}");
    }
    assert_eq!(check("struct A;\nstruct A;", "struct A;").len(), 2);
    assert!(type_names::check(&[file("fixtures/a.rs", "struct A;"), file("src/a.rs", "struct A;")]).is_empty());
}

#[test]
fn component_names_are_unique() {
    let check = |one: &str, other: &str| type_names::check(&[file("src/a.rs", one), file("src/b.rs", other)]);
    for (one, other) in [
        ("#[component]\nfn A() {}", "#[component]\npub(super) fn B() {}"),
        ("#[component]\nfn A() {}", "// #[component]\nfn A() {}"),
        ("#[component]\nfn A() { view! { <B /> } }\nfn c() {}", "#[component]\nfn B() {}\nfn c() {}"),
        ("#[component]\nfn A(component: [u8; 1]) {}\nfn c() {}", "fn c(component: u8) {}"),
    ] {
        assert!(check(one, other).is_empty(), "{one} {other}: {:?}", check(one, other));
    }
    for (one, other) in [
        ("#[component]\nfn A() {}", "#[component]\npub(super) fn A<T>() {}"),
        ("#[component]\nfn A() {}", "#[component(transparent)]\n#[allow(dead_code, reason = \"test\")]\npub fn A() {}"),
        ("#[component]\nfn A() {}", "pub struct A;"),
        ("enum A {}", "#[component]\n/// One line.\nfn A() {}"),
    ] {
        assert_eq!(check(one, other).len(), 1, "{one} {other}");
    }
}

#[test]
fn soak_filter_without_test_is_found() {
    let soak = |filter: &str| file("crates/devtools/src/soak.rs", &format!("tests(\"coordination\", \"{filter}\")"));
    let law = || file("crates/coordination/tests/it/law.rs", "fn parts_keep_the_law() {}");
    for filter in ["keep_the_law", "law", "it::law"] {
        assert_eq!(promises::check_soaks(&[soak(filter), law()]), [""; 0], "{filter}");
    }
    assert_eq!(promises::check_soaks(&[soak("gone"), law()]).len(), 1);
}
