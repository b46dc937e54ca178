//! Tests of the check of colour contrast in the style sheets. Ratios are compared with published values. Faults are put
//! into copies of the sheets, and the check must report each.
//!
//! Proves (build): The check finds colours with too little contrast, unknown colour notations, and colours that are in
//! no checked pair of text and background.

use super::css::Colour;
use super::{Measured, THEMES, check, measure};
use crate::tidy::{File, files};
use crate::tree;

fn sheets() -> Vec<File> {
    let style = |file: &File| file.path.starts_with("style/");
    files(&tree::root()).expect("the tree can be read").into_iter().filter(style).collect()
}

/// What the rule says when `from` is replaced everywhere in one sheet.
fn with(path: &str, from: &str, to: &str) -> Vec<String> {
    let mut sheets = sheets();
    let sheet = sheets.iter_mut().find(|file| file.path == path).expect("the sheet exists");
    assert!(sheet.text.contains(from), "{path} no longer has `{from}`");
    sheet.text = sheet.text.replace(from, to);
    check(&sheets)
}

fn with_token(from: &str, to: &str) -> Vec<String> {
    with("style/tokens.css", from, to)
}

#[test]
fn tokens_have_enough_contrast() {
    let sheets = sheets();
    let found = check(&sheets);
    assert!(found.is_empty(), "{}", found.join("\n"));
    for theme in THEMES {
        let all = measure(&sheets).expect("the sheets can be read");
        let mut all: Vec<&Measured> = all.iter().filter(|one| one.theme.name == theme.name).collect();
        assert!(all.len() > 250, "{}: {} ratios", theme.name, all.len());
        all.sort_by(|a, b| (a.pair.kind, a.ratio).partial_cmp(&(b.pair.kind, b.ratio)).expect("ratios are numbers"));
        println!("{}: {} ratios of {} pairs", theme.name, all.len(), measured_pairs(&all));
        for group in all.chunk_by(|a, b| a.pair.kind == b.pair.kind) {
            println!("  {:?}, smallest: {:.2} {}", group[0].pair.kind, group[0].ratio, group[0].what);
        }
    }
}

fn measured_pairs(all: &[&Measured]) -> usize {
    all.iter().map(|one| &one.pair).collect::<std::collections::BTreeSet<_>>().len()
}

#[test]
fn ratios_match_published_values() {
    let ratio = |one, two| {
        let [one, two] = [one, two].map(|colour| Colour::parse(colour).expect("a colour"));
        (one.contrast(two).expect("opaque") * 100.0).round() / 100.0
    };
    assert_eq!(ratio("#000000", "#ffffff"), 21.0);
    assert_eq!(ratio("#767676", "#ffffff"), 4.54);
    assert_eq!(ratio("#ff0000", "#ffffff"), 4.0);
    assert_eq!(ratio("oklch(.62796 .25768 29.234)", "#ffffff"), 4.0);
    let scrim = Colour::parse("rgb(0 0 0 / .5)").expect("a colour");
    assert!(scrim.contrast(scrim).is_err());
}

#[test]
fn too_light_grey_is_reported_with_ratio() {
    let found = with_token("#5f6567", "#8a9092");
    let line = found.iter().find(|line| line.contains("on --paper")).expect("reported");
    let expected = "--ink-3 #8a9092 on --paper #f8f8f5 is 3.04:1, at least 4.5:1 (light; Text; ";
    assert!(line.starts_with(&format!("style/tokens.css:16: {expected}")), "{line}");
}

#[test]
fn weak_colours_of_every_kind_are_reported() {
    let weak = [
        (
            "light-dark(#80857f, #747d7d)",
            "light-dark(#a0a59f, #747d7d)",
            "--edge #a0a59f on --paper",
            "(light; Outline",
        ),
        ("oklch(.88 .045 var(--h))", "oklch(.60 .045 var(--h))", "[customer_community] is", "(dark; Text; .badge)"),
        ("oklch(.56 .105 var(--h))", "oklch(.76 .105 var(--h))", "--cat-mark", "(light; Mark"),
        ("#3a4042", "#666c6e", "--ink-3 #666c6e", "(light, more contrast; Text"),
        ("--paper: #ffffff", "--paper: #777777", "--ink-3 #5f6567 on --paper #777777", "(print; Text"),
    ];
    for (from, to, what, theme) in weak {
        let found = with_token(from, to);
        assert!(found.iter().any(|line| line.contains(what) && line.contains(theme)), "{to}: {found:?}");
    }
    let found = with("style/markdown.css", "var(--ink) 7%", "var(--ink) 30%");
    assert!(found.iter().any(|line| line.contains("30 % --ink over --bub-right")), "{found:?}");
    let found = with(
        "style/ui.css",
        "background: var(--sunk); color: var(--ink-2)",
        "background: var(--edge); color: var(--ink-2)",
    );
    assert!(found.iter().any(|line| line.contains("--ink-2 #42484a on --edge") && line.contains(".chip.is-rest")));
}

#[test]
fn unknown_colours_and_tokens_are_errors() {
    let broken = [
        ("#5f6567", "hsl(200 4% 39%)", "unknown notation"),
        ("#5f6567", "#567", "unknown notation"),
        ("oklch(.56 .105 var(--h))", "oklch(.56 .4 var(--h))", "far outside of sRGB"),
        ("--ink-3: ", "--t-gone: ", "tokens that are gone: [\"--ink-3\"]"),
        ("--ink-3: ", "--new: #000000; --ink-3: ", "--new"),
        (":root[data-theme=\"dark\"] ", ".dark ", "unknown scope"),
        ("@media print", "@media (prefers-contrast: more)", "unknown scope"),
        ("{ --h: 122; }", "{ --h: 122; ", "brace"),
    ];
    for (from, to, says) in broken {
        let found = with_token(from, to);
        assert!(found.len() == 1 && found[0].contains(says), "{to}: {found:?}");
    }
    let sheets = [
        ("style/base.css", ".dim { color: var(--ink-3)", ".dim { color: var(--edge)", "in no pair"),
        ("style/base.css", ".dim { color: var(--ink-3)", ".dim { color: var(--gone)", "in no pair"),
        ("style/base.css", ".dim { color: var(--ink-3)", ".dim { color: tomato", "not a token"),
        ("style/base.css", "solid var(--focus)", "solid var(--rule)", "not in OUTLINES"),
        ("style/base.css", "margin: 0; background", "--ink: var(--ink-3); margin: 0; background", "outside of"),
        ("style/lists.css", ".search-field{", ".search-box{", "`.search-field`"),
    ];
    for (path, from, to, says) in sheets {
        let found = with(path, from, to);
        assert!(found.len() == 1 && found[0].contains(says), "{to}: {found:?}");
    }
}
