//! Tests of the tidy rules: samples they must report or accept, and the whole repository.
//!
//! Proves (build): Every tidy rule finds what it is for, and the tree itself is clean.

mod arrows;
mod names;

use super::{
    File, citations, documents, glossary, headers, manifests, places, promises, proofs, rust, sinks, style, text,
    violations,
};
use crate::tree;

fn file(path: &str, text: &str) -> File {
    File { path: path.to_owned(), text: text.to_owned() }
}

#[test]
fn the_whole_tree_is_tidy() {
    let found = violations(&tree::root()).expect("the tree can be read");
    assert!(found.is_empty(), "tidy found:\n{}", found.join("\n"));
}

#[test]
fn the_glossary_names_types_and_paths_that_exist() {
    let check = |cell: &str| {
        let page = format!("| term | meaning | type |\n|---|---|---|\n| a | b | {cell} |\n");
        glossary::check(&[
            file("docs/GLOSSARY.md", &page),
            file("crates/protocol/src/api/flow.rs", "pub struct FlowLane {}\npub enum Kind {}\n"),
        ])
    };
    for good in [
        "`FlowLane` in `protocol/src/api/flow.rs`",
        "`FlowLane`, `Kind::A` in `protocol/src/api/flow.rs`",
        "`protocol/src/api/`",
    ] {
        assert!(check(good).is_empty(), "{good}");
    }
    for bad in ["`Flow` in `protocol/src/api/flow.rs`", "`protocol/src/api/gone.rs`", "`src/app/`", "no type at all"] {
        assert_eq!(check(bad).len(), 1, "{bad}");
    }
}

#[test]
fn citations_name_contracts_and_sections_that_exist() {
    let contract =
        "# Contract\n\n## 4. Lists\n\n1. first\n2. second\n\n### 4.2 One\n\n| **D20** | text |\n\n## A. Letters\n";
    let check = |cited: &str| {
        let citing = file("src/a.rs", &format!("//! Of something ({cited}).\n"));
        citations::check(&[file("docs/contract/log.md", contract), citing])
    };
    for good in [
        "`contract/log.md`",
        "`contract/log.md` §4",
        "`contract/log.md` §4.2, §4.1",
        "`contract/log.md` §4–§A",
        "`contract/log.md` §4\n//! and D20",
        "`contract/log.md` §4, as §9 of another document",
        "contract/fuzzing.toml",
    ] {
        assert!(check(good).is_empty(), "{good}: {:?}", check(good));
    }
    for bad in
        ["`contract/gone.md` §4", "`contract/log.md` §4.3", "`contract/log.md` §4,\n//! D21", "`contract/log.md` §B"]
    {
        assert_eq!(check(bad).len(), 1, "{bad}");
    }
}

#[test]
fn documents_are_short_and_their_links_lead_somewhere() {
    let check = |path: &str, text: &str| documents::check(&[file(path, text), file("docs/guide/a.md", "# A\n")]);
    for (path, good) in [
        ("README.md", "[a](docs/guide/a.md#part) [b](https://example.org/x.md) ![c](docs/x.png) [d](docs/guide/)"),
        ("docs/guide/b.md", "[a](a.md), [a](../guide/a.md), [top](#top)"),
        ("docs/long.md", &"word ".repeat(701)),
    ] {
        assert!(check(path, good).is_empty(), "{good}: {:?}", check(path, good));
    }
    for (path, bad) in [
        ("README.md", "[a](docs/a.md)"),
        ("docs/guide/b.md", "[a](docs/guide/a.md)"),
        ("README.md", &"word ".repeat(701)),
    ] {
        assert_eq!(check(path, bad).len(), 1, "{path}");
    }
}

#[test]
fn a_rust_file_begins_with_what_it_is() {
    assert_eq!(rust::check(&file("src/a.rs", "use x;\n")).len(), 1);
    assert_eq!(rust::check(&file("src/a.rs", "//! One.\n//! Two.\n//! Three.\n//! Four.\n")).len(), 1);
    assert!(rust::check(&file("src/a.rs", "//! One.\n//!\n//! Much\n//! more\n//! text.\n")).is_empty());
}

#[test]
fn module_header_begins_with_noun() {
    let check = |header: &str| headers::check(&file("src/a.rs", &format!("//! {header}\n")));
    for good in
        ["Journal of inputs.", "The page of an agent.", "`GET /api/v2/home`.", "Howl of a wolf.", "Lists of archives."]
    {
        assert_eq!(check(good), None, "{good}");
    }
    for bad in ["What is stored of an event.", "However the log is cut.", "Reads a log.", "From events to the log."] {
        assert!(check(bad).is_some(), "{bad}");
    }
    assert_eq!(headers::check(&file("docs/a.md", "//! What.\n")), None);
}

#[test]
fn source_files_end_at_line_limit() {
    let long = format!("//! Long.\n{}", "use x;\n".repeat(400));
    assert_eq!(rust::check(&file("src/a.rs", &long)).len(), 1);
    assert!(rust::check(&file("src/a_tests.rs", &long)).is_empty());
    assert!(rust::check(&file("crates/x/tests/a.rs", &long)).is_empty());
}

#[test]
fn components_stop_at_a_hundred_and_twenty_lines() {
    let component = |lines: usize| {
        format!(
            "//! C.\n#[component]\npub fn A() -> impl IntoView {{\n{}}}\n\nfn b() {{}}\n",
            "    x();\n".repeat(lines)
        )
    };
    assert!(rust::check(&file("src/a.rs", &component(118))).is_empty());
    assert_eq!(rust::check(&file("src/a.rs", &component(119))).len(), 1);
}

#[test]
fn an_allowance_says_why() {
    assert_eq!(rust::check(&file("src/a.rs", "//! A.\n#[allow(dead_code)]\nfn a() {}\n")).len(), 1);
    assert!(rust::check(&file("src/a.rs", "//! A.\n#[allow(dead_code, reason = \"x\")]\nfn a() {}\n")).is_empty());
    let wide = "//! A.\n#[allow(\n    dead_code,\n    reason = \"x\"\n)]\nfn a() {}\n";
    assert!(rust::check(&file("src/a.rs", wide)).is_empty());
}

#[test]
fn secrets_are_neither_compared_by_hand_nor_inherited() {
    let starts = "//! A.\nuse std::process::Command;\n";
    assert_eq!(rust::check(&file("crates/monitor/src/a.rs", starts)).len(), 1);
    let compared = "//! A.\nif session.for_cookie() == given {}\n";
    assert_eq!(rust::check(&file("crates/monitor/src/a.rs", compared)).len(), 1);
}

#[test]
fn no_text_becomes_markup() {
    let banned = [
        ("src/a.rs", "view! { <p inner_html=x/> }"),
        ("src/a.rs", "element.set_inner_html(&text);"),
        ("src/a.rs", "element.set_outer_html(&text);"),
        ("src/a.rs", "element.insert_adjacent_html(\"beforeend\", &text)"),
        ("src/a.rs", "range.create_contextual_fragment(&text)"),
        ("src/a.rs", "web_sys::DomParser::new()"),
        ("src/a.rs", "<iframe srcdoc=text></iframe>"),
        ("crates/monitor/src/a.rs", "format!(\"<script>p.innerHTML={text}</script>\")"),
        ("crates/xtask/src/bundle/a.rs", "let script = \"document.write(x)\";"),
        ("public/sw.js", "body.outerHTML = text;"),
        ("public/sw.js", "body.insertAdjacentHTML('beforeend', text);"),
        ("index.html", "<script>document.write('x')</script>"),
    ];
    for (path, line) in banned {
        assert_eq!(sinks::check(&file(path, &format!("{line}\n"))).len(), 1, "{path}: {line}");
    }
}

#[test]
fn no_text_becomes_a_program() {
    let banned = [
        ("src/a.rs", "js_sys::eval(&text)"),
        ("src/a.rs", "js_sys::Function::new_no_args(&text)"),
        ("src/a.rs", "view! { <a href=\"javascript:void(0)\"> }"),
        ("public/sw.js", "eval(text);"),
        ("public/sw.js", "return new Function('a', text);"),
        ("public/sw.js", "setTimeout('x()', 1);"),
        ("index.html", "<script>(0, eval)(x); eval(x)</script>"),
        ("crates/xtask/src/bundle/a.rs", "let script = \"eval(x)\";"),
    ];
    for (path, line) in banned {
        assert_eq!(sinks::check(&file(path, &format!("{line}\n"))).len(), 1, "{path}: {line}");
    }
}

#[test]
fn similar_names_are_not_sinks() {
    let fine = [
        ("src/a.rs", "// No innerHTML here."),
        ("src/a.rs", "let policy = \"script-src 'wasm-unsafe-eval'\";"),
        ("crates/xtask/src/main.rs", "Some(\"eval\") => eval::run(rest),"),
        ("crates/xtask/src/a.rs", "pub fn eval(files: &[String]) {}"),
        ("src/a.rs", "let kept = retrieval(x);"),
        ("crates/monitor/src/web/tests/a.rs", "let text = \"<p>innerHTML javascript:1</p>\";"),
        ("crates/xtask/src/tidy/sinks.rs", "\"innerHTML\","),
        ("src/a.rs", "fn a() {}\n\n#[cfg(test)]\nmod tests {\n    const A: &str = \"javascript:1\";\n}"),
        ("e2e/support/a.mjs", "place.innerHTML = text;"),
    ];
    for (path, line) in fine {
        assert!(sinks::check(&file(path, &format!("{line}\n"))).is_empty(), "{path}: {line}");
    }
    let after = "#[cfg(test)]\nmod tests;\nfn a() { js_sys::eval(x) }\n";
    assert_eq!(sinks::check(&file("src/a.rs", after)).len(), 1, "code below the name of a test file is looked at");
}

#[test]
fn hangul_only_in_i18n() {
    assert_eq!(places::check(&file("src/pages/a.rs", "let a = \"대화\";\n")).len(), 1);
    assert!(places::check(&file("src/i18n/ko/home.rs", "let a = \"대화\";\n")).is_empty());
    assert!(places::check(&file("src/pages/a.rs", "let a = 1; // 대화\n")).is_empty());
    assert_eq!(places::check(&file("crates/monitor/src/core/a.rs", "let a = \"대화\";\n")).len(), 1);
    assert!(places::check(&file("crates/monitor/src/core/alerts/text.rs", "let a = \"해결됨\";\n")).is_empty());
}

#[test]
fn sentences_only_in_i18n() {
    assert_eq!(places::check(&file("src/pages/a.rs", "<p>\"Could not load this\"</p>\n")).len(), 1);
    assert!(places::check(&file("src/pages/a.rs", "class=\"card card--wide is-open\"\n")).is_empty());
    assert!(places::check(&file("src/components/a.rs", "\"Task was completed\" => Done,\n")).is_empty());
    assert!(
        places::check(&file("src/components/a.rs", "if line.starts_with(\"Force completed with\") {\n")).is_empty()
    );
    assert!(places::check(&file("src/state/a.rs", "log(\"Could not load this\")\n")).is_empty());
}

#[test]
fn files_are_named_after_their_idea() {
    assert_eq!(places::check(&file("src/utils.rs", "//! U.\n")).len(), 1);
}

#[test]
fn colours_only_in_tokens() {
    assert_eq!(style::check(&file("style/base.css", "a { color: #1d6b42; }\n")).len(), 1);
    assert_eq!(style::check(&file("style/base.css", "a { background: white; }\n")).len(), 1);
    assert!(style::check(&file("style/base.css", "/* #1d6b42 */ #main { color: var(--ink); }\n")).is_empty());
    assert!(style::check(&file("style/base.css", "a { white-space: nowrap; }\n")).is_empty());
    assert!(style::check(&file("style/tokens.css", "a { color: #1d6b42; }\n")).is_empty());
    assert_eq!(style::check(&file("src/ui/a.rs", "let c = \"#1d6b42\";\n")).len(), 1);
}

#[test]
fn loose_ends_hosts_and_machine_paths_are_found() {
    assert_eq!(text::check(&file("src/a.rs", "// TODO later\n")).len(), 1);
    assert!(text::check(&file("src/a.rs", "// TODO(mina): later\n")).is_empty());
    assert!(text::check(&file("src/a.rs", "let state = \"TODO\";\n")).is_empty());
    let host = &text::registry_hosts()[0];
    assert_eq!(text::check(&file("e2e/package-lock.json", &format!("\"https://{host}/x\"\n"))).len(), 1);
    let path = &text::machine_paths()[0];
    assert_eq!(text::check(&file("README.md", &format!("cd {path}/x\n"))).len(), 1);
}

#[test]
fn manifests_keep_the_arrows_and_the_lints() {
    let leptos = "[dependencies]\nleptos = \"0.8\"\n";
    assert_eq!(manifests::check(&file("crates/coordination/Cargo.toml", leptos)).len(), 1);
    assert_eq!(manifests::check(&file("crates/monitor/Cargo.toml", leptos)).len(), 1);
    assert!(manifests::check(&file("Cargo.toml", leptos)).is_empty());
    let lock = "  \"resolved\": \"x\",\n";
    assert_eq!(manifests::check(&file("e2e/package-lock.json", lock)).len(), 1);
    let folder = "  \"resolved\": \"../../npm/x\",\n";
    assert!(manifests::check(&file("e2e/package-lock.json", folder)).is_empty());
    let app = file("Cargo.toml", "[lints.rust]\nunsafe_code = \"forbid\"\n");
    assert_eq!(manifests::crates_inherit_lints(&[app]).len(), 0);
    assert_eq!(manifests::crates_inherit_lints(&[file("crates/x/Cargo.toml", "[package]\n")]).len(), 2);
}

/// Files of a tree with one claim, one soak and the page that the generator makes of them.
fn claimed(claim: &str) -> Vec<File> {
    let mut files = vec![
        file("docs/PROOFS.md", ""),
        file("crates/a/tests/it/law.rs", &format!("//! Laws.\n//!\n{claim}\n\nmod x;\n")),
        file("crates/a/src/law.rs", "//! A law.\n"),
        file("crates/devtools/src/soak.rs", "Proof { name: \"live\", claim: \"it lasts\", work }"),
    ];
    files[0].text = proofs::page(&files);
    files
}

#[test]
fn claims_become_rows_of_proofs() {
    let page = |claim: &str| claimed(claim).remove(0).text;
    let row = "| It works. Always. | [a/tests/it/law.rs](../crates/a/tests/it/law.rs) | \
               `cargo test -p a --test it law` |\n";
    let spread = page("//! Proves (live): It works.\n//! Always.\n//!\n//! More.");
    assert!(
        spread.contains(&format!("\n## Live updates\n\n| claim | proof | command |\n|---|---|---|\n{row}")),
        "{spread}"
    );
    assert!(spread.ends_with("| It lasts. | `make soak ARGS=live` |\n"), "{spread}");
    let linked = page(
        "//! Proves (live): It works.\n//! See also: `crates/a/src/law.rs`.\n//! Long form: `make soak ARGS=live`.",
    );
    assert!(linked.contains("law.rs), [a/src/law.rs](../crates/a/src/law.rs) |"), "{linked}");
    assert!(linked.contains("--test it law`, `make soak ARGS=live` |"), "{linked}");
}

#[test]
fn each_proof_has_its_command() {
    for (path, command) in [
        ("e2e/specs/find.spec.mjs", "make e2e ARGS=find"),
        ("e2e/openclaw/real.spec.mjs", "make test-openclaw"),
        ("crates/monitor/tests/it/files/mod.rs", "cargo test -p task-monitor --test it files"),
        ("crates/monitor/tests/overrides_system.rs", "cargo test -p task-monitor --test overrides_system"),
        ("crates/monitor/src/web/tests/live.rs", "cargo test -p task-monitor --lib web::tests::live"),
        ("crates/devtools/src/eval.rs", "cargo run -p devtools -- eval"),
        ("crates/bench/src/main.rs", "make bench"),
        ("src/routes/tests.rs", "cargo test -p task-hub routes::tests"),
    ] {
        assert_eq!(proofs::command(path).as_deref(), Some(command), "{path}");
    }
    assert_eq!(proofs::command("crates/devtools/src/soak/fuzz.rs"), None);
}

#[test]
fn proofs_are_complete_and_generated() {
    let check = |claim: &str| proofs::check(&claimed(claim));
    assert!(
        check("//! Proves (live): It works. See also: `crates/a/src/`. Long form: `make soak ARGS=live`.").is_empty()
    );
    for bad in [
        "//! Proves (gone): It works.",
        "//! Proves (live): it works",
        "//! Proves (live): It works. See also: `crates/a/src/gone.rs`.",
        "//! Proves (live): It works. Long form: `make soak ARGS=gone`.",
    ] {
        assert_eq!(check(bad).len(), 1, "{bad}: {:?}", check(bad));
    }
    let mut files = claimed("//! Proves (live): It works.");
    files.push(file("e2e/specs/find.spec.mjs", "// Finds things.\n"));
    assert_eq!(proofs::check(&files).len(), 1, "a spec without a claim");
    files[0].text.push_str("more\n");
    assert_eq!(proofs::check(&files).len(), 2, "a page that was edited");
}

#[test]
fn a_promise_names_a_proof_that_exists() {
    let page = |proof: &str| {
        let text = format!("| promise | proof |\n|---|---|\n| Nothing is lost. | {proof} |\n");
        promises::check(&[file("SECURITY.md", &text), file("e2e/specs/a.spec.mjs", "")]).len()
    };
    assert_eq!(page("`make e2e ARGS=a`"), 0);
    assert_eq!(page("`make e2e ARGS=a`, `make e2e ARGS=b`"), 1);
    assert_eq!(page("trust us"), 1);
    assert_eq!(page("`rm -rf /`"), 1);
    assert_eq!(promises::check(&[file("SECURITY.md", "# Security\n")]).len(), 1);
}
