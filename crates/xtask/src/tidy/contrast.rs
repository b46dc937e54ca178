//! Check of the WCAG 2.2 contrast of the colours in `style/tokens.css`, for both themes, high contrast and print. Start
//! reading at `measure`.
//!
//! Colour pairs come from rules of `style/*.css` that set text and background together. For text that inherits its
//! background, the tables below list the pairs. An unknown colour, selector or token is an error.
//!
//! Not covered: elements dimmed by `opacity`, emoji, and disabled controls, which WCAG exempts. The browser tests with
//! axe check the rendered page.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail, ensure};

use super::File;

mod css;
#[cfg(test)]
mod tests;

use css::{Rule, Tokens};

const TOKENS: &str = "style/tokens.css";

/// Text colours of rows, messages, links, marks and banners. All of them occur on every ground: a status mark or a
/// link is shown in plain, hovered, selected and tinted rows, in bubbles, code, popovers and dialogs.
const TEXT: [&str; 9] = ["--ink", "--ink-2", "--ink-3", "--accent", "--live", "--warn", "--bad", "--info", "--review"];
#[rustfmt::skip]
const GROUNDS: [&str; 13] = [
    "--paper", "--sheet", "--sunk", "--hover", "--accent-tint", "--live-tint", "--warn-tint", "--bad-tint",
    "--info-tint", "--review-tint", "--bub-left", "--bub-right", "--bub-human",
];
/// Text on a ground of its own, where no single rule sets both: the letter or icon of an avatar and of a tile takes
/// the colour of the line around it; a badge may stand in selected text.
#[rustfmt::skip]
const TEXT_ON: [(&str, &str); 5] = [
    ("--ink", "--ag-tint"), ("--ink-2", "--ag-tint"), ("--ink", "--cat-tint"), ("--ink-2", "--cat-tint"),
    ("--cat-text", "--accent-tint"),
];
/// Text inside inline code of a bubble on the right: plain, quoted or struck out, linked.
const CODE_TEXT: [&str; 3] = ["--ink", "--ink-2", "--accent"];
const CODE_BUBBLES: [&str; 2] = ["--bub-right", "--bub-human"];
/// Focus rings and outlines of controls, on every ground.
const OUTLINES: [&str; 3] = ["--focus", "--edge", "--accent"];
/// Drawn shapes that carry meaning: bars and underlines of categories, work of agents, the switch's knob, the tick.
#[rustfmt::skip]
const MARKS_ON: [(&str, &str); 9] = [
    ("--cat-mark", "--paper"), ("--cat-mark", "--sheet"), ("--cat-mark", "--hover"), ("--ag-mark", "--paper"),
    ("--ag-mark", "--ag-tint"), ("--sheet", "--edge"), ("--sheet", "--accent"), ("--accent-ink", "--accent"),
    ("--ag-mark", "--hover"),
];
/// Input fields: their outline is what shows them, on the page and in panels.
#[rustfmt::skip]
const FIELDS: [&str; 10] = [
    ".search-field", ".menu__select", ".day-field", ".rule__word", ".rule__weight input", ".views__form input",
    ".thread-find input", ".field input", ".speak textarea", ".choice-box::before",
];
/// Carry no meaning alone: hairlines, bubble outlines (the side and the name say it too), the dialog's backdrop.
const DECORATION: [&str; 6] =
    ["--rule", "--rule-2", "--bub-left-rule", "--bub-right-rule", "--bub-human-rule", "--scrim"];

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ContrastKind {
    Text,
    Outline,
    Mark,
}

/// A theme as the page can have it.
#[derive(Clone, Copy, Debug)]
struct ContrastTheme {
    name: &'static str,
    dark: bool,
    more: bool,
    print: bool,
}

const THEMES: [ContrastTheme; 6] = [
    ContrastTheme { name: "light", dark: false, more: false, print: false },
    ContrastTheme { name: "dark", dark: true, more: false, print: false },
    ContrastTheme { name: "light, more contrast", dark: false, more: true, print: false },
    ContrastTheme { name: "dark, more contrast", dark: true, more: true, print: false },
    ContrastTheme { name: "print", dark: false, more: false, print: true },
    ContrastTheme { name: "print, more contrast", dark: false, more: true, print: true },
];

impl ContrastTheme {
    /// AA; with more contrast what `tokens.css` promises: text 7:1, outlines 4.5:1.
    fn required(self, kind: ContrastKind) -> f64 {
        match (kind, self.more) {
            (ContrastKind::Text, true) => 7.0,
            (ContrastKind::Text, false) | (ContrastKind::Outline, true) => 4.5,
            (ContrastKind::Outline | ContrastKind::Mark, _) => 3.0,
        }
    }
}

/// A foreground token on a ground token; `veil` is a translucent layer of a third token between them.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ColourPair {
    kind: ContrastKind,
    front: String,
    ground: String,
    veil: Option<(String, u8)>,
    /// A selector, or the table's name.
    origin: String,
}

struct Measured {
    pair: ColourPair,
    theme: ContrastTheme,
    ratio: f64,
    /// `--ink-3 #5f6567 on --paper #f8f8f5`, with the category or agent hue where there is one.
    what: String,
}

impl Measured {
    fn fails(&self) -> bool {
        self.ratio < self.theme.required(self.pair.kind)
    }
}

pub(super) fn check(files: &[File]) -> Vec<String> {
    let Some(tokens) = files.iter().find(|file| file.path == TOKENS) else {
        return vec![format!("{TOKENS}: the file is missing")];
    };
    let measured = match measure(files) {
        Ok(measured) => measured,
        Err(error) => return vec![format!("{TOKENS}: {error:#}")],
    };
    let mut weak = BTreeMap::<_, (&Measured, BTreeSet<&str>)>::new();
    for one in measured.iter().filter(|one| one.fails()) {
        let ColourPair { kind, front, ground, veil, origin } = &one.pair;
        let (worst, origins) =
            weak.entry((front, one.theme.name, kind, ground, veil)).or_insert((one, BTreeSet::new()));
        origins.insert(origin);
        if one.ratio < worst.ratio {
            *worst = one;
        }
    }
    let mut found = Vec::new();
    for (Measured { pair, theme, ratio, what }, origins) in weak.into_values() {
        let defines = |line: &str| line.trim_start().starts_with(&format!("{}:", pair.front));
        let lines: Vec<usize> = (0..).zip(tokens.text.lines()).filter(|(_, l)| defines(l)).map(|(at, _)| at).collect();
        let line = if theme.more { lines.last() } else { lines.first() };
        let (need, origins) = (theme.required(pair.kind), Vec::from_iter(origins).join(" + "));
        let text = format!("{what} is {ratio:.2}:1, at least {need}:1 ({}; {:?}; {origins})", theme.name, pair.kind);
        found.push(tokens.error(line.copied().unwrap_or(0), &text));
    }
    found
}

/// Every pair in every theme.
fn measure(files: &[File]) -> Result<Vec<Measured>> {
    let tokens = files.iter().find(|file| file.path == TOKENS).context("the file is missing")?;
    let tokens = Tokens::parse(&tokens.text)?;
    let mut rules = Vec::new();
    for file in files.iter().filter(|file| file.path.starts_with("style/") && file.path.ends_with(".css")) {
        if file.path != TOKENS {
            rules.extend(css::rules(&file.text).with_context(|| file.path.clone())?);
        }
    }
    let pairs = pairs(&rules)?;
    classified(&tokens, &pairs, &rules)?;
    let mut measured = Vec::new();
    for theme in THEMES {
        for pair in &pairs {
            let pair_name = format!("{} on {} ({})", pair.front, pair.ground, pair.origin);
            measured.extend(ratios(&tokens, pair, theme).with_context(|| pair_name)?);
        }
    }
    Ok(measured)
}

/// One ratio for each hue where the pair has a hue.
fn ratios(tokens: &Tokens, pair: &ColourPair, theme: ContrastTheme) -> Result<Vec<Measured>> {
    let fronts = tokens.colours(&pair.front, theme)?;
    let grounds = tokens.colours(&pair.ground, theme)?;
    let mut measured = Vec::new();
    for (hue, front) in &fronts {
        for (other, ground) in grounds.iter().filter(|(other, _)| hue.is_empty() || other.is_empty() || other == hue) {
            let mut ground = *ground;
            if let Some((veil, percent)) = &pair.veil {
                let veils = tokens.colours(veil, theme)?;
                let [(_, veil)] = veils.as_slice() else { bail!("a veil has one colour") };
                ground = veil.blend_over(ground, f64::from(*percent) / 100.0);
            }
            let veil = pair.veil.as_ref().map(|(name, part)| format!("{part} % {name} over ")).unwrap_or_default();
            let hue = if hue.is_empty() { other } else { hue };
            let hue = if hue.is_empty() { String::new() } else { format!(" [{hue}]") };
            let what = format!("{} {front} on {veil}{} {ground}{hue}", pair.front, pair.ground);
            measured.push(Measured { pair: pair.clone(), theme, ratio: front.contrast(ground)?, what });
        }
    }
    ensure!(!measured.is_empty(), "no hue in common");
    Ok(measured)
}

/// The tables, and what the style sheets set together.
fn pairs(rules: &[Rule]) -> Result<BTreeSet<ColourPair>> {
    let mut pairs = BTreeSet::new();
    let mut add = |kind, front: &str, ground: &str, veil, origin: &str| {
        let [front, ground, origin] = [front, ground, origin].map(str::to_owned);
        pairs.insert(ColourPair { kind, front, ground, veil, origin });
    };
    for ground in GROUNDS {
        TEXT.iter().for_each(|text| add(ContrastKind::Text, text, ground, None, "TEXT"));
        OUTLINES.iter().for_each(|outline| add(ContrastKind::Outline, outline, ground, None, "OUTLINES"));
    }
    TEXT_ON.iter().for_each(|(text, ground)| add(ContrastKind::Text, text, ground, None, "TEXT_ON"));
    MARKS_ON.iter().for_each(|(mark, ground)| add(ContrastKind::Mark, mark, ground, None, "MARKS_ON"));
    for rule in rules.iter().filter(|rule| !rule.at.contains("forced-colors")) {
        let selector = rule.selector.as_str();
        let place = || format!("`{selector}`");
        let front = rule.last(&["color"]).map(css::token).transpose().with_context(place)?.flatten();
        let ground = rule.last(&["background", "background-color"]);
        if let Some(ground) = ground.filter(|ground| ground.starts_with("color-mix(")) {
            ensure!(selector.starts_with(".is-right ") && front.is_none(), "{selector}: on which ground is {ground}?");
            let veil = css::veil(ground).with_context(place)?;
            for (text, bubble) in CODE_TEXT.iter().flat_map(|text| CODE_BUBBLES.map(|bubble| (text, bubble))) {
                add(ContrastKind::Text, text, bubble, Some(veil.clone()), selector);
            }
        } else if let (Some(front), Some(ground), false) = (&front, ground, disabled(selector))
            && let Some(ground) = css::token(ground).with_context(place)?
        {
            add(ContrastKind::Text, front, &ground, None, selector);
        }
        if let Some(field) = FIELDS.iter().find(|field| rule.selectors().any(|one| one == **field)) {
            let border = rule.last(&["border"]).and_then(|border| border.rsplit(' ').next());
            let Some(border) = border.map(css::token).transpose()?.flatten() else { continue };
            let own = ground.map(css::token).transpose()?.flatten();
            for ground in own.iter().map(String::as_str).chain(["--paper", "--sheet"]) {
                add(ContrastKind::Outline, &border, ground, None, &format!("outline of {field}"));
            }
        }
    }
    Ok(pairs)
}

fn disabled(selector: &str) -> bool {
    selector.split(',').all(|one| one.contains("disabled"))
}

/// Every token has a place in a table, every text and outline of the style sheets is in a pair, no entry is stale.
fn classified(tokens: &Tokens, pairs: &BTreeSet<ColourPair>, rules: &[Rule]) -> Result<()> {
    let fronts = |kind| pairs.iter().filter(move |pair| pair.kind == kind).map(|pair| pair.front.as_str());
    let texts: BTreeSet<&str> = fronts(ContrastKind::Text).collect();
    let mut used: BTreeMap<&str, ()> =
        pairs.iter().flat_map(|pair| [(&*pair.front, ()), (&*pair.ground, ())]).collect();
    used.extend(DECORATION.map(|name| (name, ())));
    for name in tokens.names() {
        ensure!(
            used.remove(name).is_some(),
            "{name} is in no table of tidy/contrast.rs: text, ground, mark or decoration?"
        );
    }
    ensure!(used.is_empty(), "tidy/contrast.rs names tokens that are gone: {:?}", used.keys());
    let real = rules.iter().filter(|rule| !rule.at.contains("forced-colors") && !disabled(&rule.selector));
    for rule in real {
        if let Some(text) = rule.last(&["color"]).map(css::token).transpose()?.flatten() {
            ensure!(texts.contains(text.as_str()), "`{}` sets text in {text}, which is in no pair", rule.selector);
        }
        let outline = rule.last(&["outline", "outline-color"]).and_then(|value| value.rsplit(' ').next());
        if let Some(outline) = outline.map(css::token).transpose()?.flatten() {
            let in_table = OUTLINES.contains(&outline.as_str());
            ensure!(in_table, "`{}` has an outline in {outline}, which is not in OUTLINES", rule.selector);
        }
        let own = rule.declarations.iter().find(|(name, _)| tokens.names().any(|token| token == name));
        ensure!(own.is_none(), "`{}` sets a colour token outside of {TOKENS}: {own:?}", rule.selector);
    }
    for field in FIELDS {
        let outlined = pairs.iter().any(|pair| pair.origin == format!("outline of {field}"));
        ensure!(outlined, "the field `{field}` has no outline in a token, or is gone");
    }
    Ok(())
}
