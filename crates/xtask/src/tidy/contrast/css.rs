//! Parser of the style sheets and of the colours in `tokens.css`. It accepts only the notations in use: any other
//! notation is an error.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};

use super::{ContrastTheme, THEMES};

/// A rule of a style sheet; `at` holds the `@media` around it.
pub(super) struct Rule {
    pub(super) at: String,
    pub(super) selector: String,
    pub(super) declarations: Vec<(String, String)>,
}

impl Rule {
    pub(super) fn last(&self, names: &[&str]) -> Option<&str> {
        self.declarations.iter().rev().find(|(name, _)| names.contains(&name.as_str())).map(|(_, value)| value.as_str())
    }

    pub(super) fn selectors(&self) -> impl Iterator<Item = &str> {
        self.selector.split(',').map(str::trim)
    }
}

pub(super) fn rules(css: &str) -> Result<Vec<Rule>> {
    let (mut rules, mut open) = (Vec::new(), Vec::<Rule>::new());
    let mut code = String::new();
    for (at, part) in css.split("/*").enumerate() {
        code += if at == 0 { part } else { part.split_once("*/").context("a comment does not end")?.1 };
    }
    let (mut text, mut quoted) = (String::new(), false);
    for c in code.chars() {
        quoted ^= c == '"';
        if quoted || !['{', '}', ';'].contains(&c) {
            text.push(c);
            continue;
        }
        let part = std::mem::take(&mut text).trim().to_owned();
        if c == '{' {
            let at = open.iter().map(|rule| rule.selector.as_str()).collect::<Vec<_>>().join(" ");
            open.push(Rule { at, selector: part, declarations: Vec::new() });
            continue;
        }
        if let (Some(rule), Some((name, value))) = (open.last_mut(), part.split_once(':')) {
            rule.declarations.push((name.trim().to_owned(), value.trim().to_owned()));
        } else {
            ensure!(part.is_empty() || part.starts_with("@import"), "not a declaration: {part}");
        }
        if c == '}' {
            rules.push(open.pop().context("a brace too many")?);
        }
    }
    ensure!(open.is_empty(), "a brace is missing");
    Ok(rules)
}

/// The token of `var(--x)`; nothing for what is inherited or not painted.
pub(super) fn token(value: &str) -> Result<Option<String>> {
    if ["inherit", "none", "transparent", "currentColor", "0"].contains(&value) || value.ends_with(",inherit)") {
        return Ok(None);
    }
    let name = value.strip_prefix("var(").and_then(|rest| rest.strip_suffix(')'));
    let name = name.filter(|name| name.starts_with("--") && !name.contains([',', '(']));
    Ok(Some(name.with_context(|| format!("`{value}` is not a token"))?.to_owned()))
}

/// `color-mix(in srgb,var(--ink) 7%,transparent)`: 7 % of `--ink` over whatever lies below.
pub(super) fn veil(value: &str) -> Result<(String, u8)> {
    let part = value.strip_prefix("color-mix(in srgb,").and_then(|rest| rest.strip_suffix("%,transparent)"));
    let (name, percent) = part.and_then(|part| part.split_once(' ')).with_context(|| format!("unknown: {value}"))?;
    Ok((token(name)?.context("a token is mixed")?, percent.parse()?))
}

/// The custom properties of `tokens.css` by scope: (more contrast, print) and name. `hues` are `--h` and `--ah`.
#[derive(Default)]
pub(super) struct Tokens {
    colours: BTreeMap<(bool, bool, String), String>,
    hues: BTreeMap<&'static str, Vec<(String, f64)>>,
}

impl Tokens {
    pub(super) fn parse(css: &str) -> Result<Self> {
        let mut tokens = Self::default();
        for Rule { at, selector, declarations } in rules(css)? {
            let quoted = selector.split('"').nth(1).unwrap_or_default();
            let (more, print) = match (at.as_str(), selector.as_str()) {
                ("", ":root" | "[data-cat]" | "[class*=\"agent-hue-\"]") => (false, false),
                ("", ":root[data-contrast=\"more\"]" | ":root[data-contrast=\"more\"] [data-cat]") => (true, false),
                ("@media print", ":root:root") => (false, true),
                ("", ":root[data-theme=\"light\"]" | ":root[data-theme=\"dark\"]") => {
                    let schemes = [("color-scheme".to_owned(), quoted.to_owned())];
                    ensure!(declarations == schemes, "{selector} sets more than its color-scheme");
                    continue;
                }
                ("", one) if one == format!("[data-cat=\"{quoted}\"]") => {
                    tokens.hue("--h", quoted, &declarations)?;
                    continue;
                }
                ("", one) if one.starts_with(".agent-hue-") => {
                    tokens.hue("--ah", one, &declarations)?;
                    continue;
                }
                ("@media print" | "", one) if one.starts_with('@') => continue,
                _ => bail!("an unknown scope: {at} {selector}"),
            };
            for (name, value) in declarations.into_iter().filter(|(name, _)| !no_colour(name)) {
                ensure!(name.starts_with("--"), "{selector} sets {name}");
                let old = tokens.colours.insert((more, print, name.clone()), value);
                ensure!(old.is_none(), "{name} is set twice for {selector}");
            }
        }
        let lone = tokens.colours.keys().find(|(_, _, name)| !tokens.names().any(|base| base == name));
        ensure!(lone.is_none(), "a colour without a value for every theme: {lone:?}");
        for name in tokens.names() {
            THEMES.into_iter().try_for_each(|theme| tokens.colours(name, theme).map(drop))?;
        }
        Ok(tokens)
    }

    fn hue(&mut self, kind: &'static str, of: &str, declarations: &[(String, String)]) -> Result<()> {
        let [(name, value)] = declarations else { bail!("{of} sets more than its hue") };
        ensure!(name == kind, "{of} sets {name}");
        self.hues.entry(kind).or_default().push((of.to_owned(), value.parse()?));
        Ok(())
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.colours.keys().filter(|(more, print, _)| !more && !print).map(|(_, _, name)| name.as_str())
    }

    /// The colour in a theme; for colours of categories and agents one for each hue.
    pub(super) fn colours(&self, name: &str, theme: ContrastTheme) -> Result<Vec<(String, Colour)>> {
        let scopes = [(theme.print, (false, true)), (theme.more, (true, false)), (true, (false, false))];
        let mut scopes = scopes.into_iter().filter(|(holds, _)| *holds);
        let value = scopes.find_map(|(_, (more, print))| self.colours.get(&(more, print, name.to_owned())));
        let mut value = value.with_context(|| format!("{name} is not defined"))?.as_str();
        if let Some(both) = value.strip_prefix("light-dark(").and_then(|rest| rest.strip_suffix(')')) {
            // The comma between the two, not one inside of a colour.
            let middle = both
                .match_indices(", ")
                .map(|(at, _)| at)
                .find(|at| both[..*at].matches('(').count() == both[..*at].matches(')').count());
            let (light, dark) = both.split_at(middle.with_context(|| format!("{name}: {value}"))?);
            value = if theme.dark { dark.trim_start_matches(", ") } else { light };
        }
        for kind in ["--h", "--ah"] {
            let variable = format!("var({kind})");
            if value.contains(&variable) {
                let hues = self.hues.get(kind).with_context(|| format!("{kind} has no value"))?;
                let labelled_colour = |(label, hue): &(String, f64)| {
                    Ok((label.clone(), Colour::parse(&value.replace(&variable, &hue.to_string()))?))
                };
                return hues.iter().map(labelled_colour).collect();
            }
        }
        Ok(vec![(String::new(), Colour::parse(value).with_context(|| name.to_owned())?)])
    }
}

/// Custom properties that are sizes, fonts, curves and shadows.
fn no_colour(name: &str) -> bool {
    let size = |prefix: &str| {
        let rest = name.strip_prefix(prefix).unwrap_or_default();
        !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit())
    };
    let words = ["color-scheme", "--sans", "--mono", "--rp", "--mast-h", "--tab-h", "--pick-h", "--ease"];
    let families = ["--t-", "--lh-", "--shadow-"];
    words.contains(&name) || size("--s") || size("--r") || families.iter().any(|family| name.starts_with(family))
}

/// sRGB from 0 to 1, with alpha.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Colour {
    rgb: [f64; 3],
    alpha: f64,
}

impl Colour {
    /// The notations of `tokens.css`: `#rrggbb`, `rgb(r g b / .a)`, `oklch(L C H)`.
    pub(super) fn parse(value: &str) -> Result<Self> {
        let arguments = |function: &str| value.strip_prefix(function).and_then(|rest| rest.strip_suffix(')'));
        let numbers = |text: &str| -> Result<Vec<f64>> {
            let parts = text.split([' ', '/']).filter(|part| !part.is_empty());
            parts.map(|part| part.parse().with_context(|| format!("not a number: {part}"))).collect()
        };
        if let Some(hex) = value.strip_prefix('#').filter(|hex| hex.len() == 6) {
            let bits = u32::from_str_radix(hex, 16).with_context(|| format!("not a colour: {value}"))?;
            return Ok(Self { rgb: [16, 8, 0].map(|shift| f64::from((bits >> shift) & 0xff) / 255.0), alpha: 1.0 });
        }
        if let Some([r, g, b, alpha]) = arguments("rgb(").map(numbers).transpose()?.as_deref() {
            return Ok(Self { rgb: [r, g, b].map(|channel| channel / 255.0), alpha: *alpha });
        }
        if let Some([l, c, h]) = arguments("oklch(").map(numbers).transpose()?.as_deref() {
            return Self::from_oklch(*l, *c, *h).with_context(|| format!("{value} is far outside of sRGB"));
        }
        bail!("an unknown notation of a colour: {value}")
    }

    /// CSS Color 4. A channel just outside of sRGB is clipped, as browsers do on an sRGB screen; further out, what is
    /// painted depends on the browser and the screen.
    fn from_oklch(l: f64, c: f64, h: f64) -> Option<Self> {
        let (a, b) = (c * h.to_radians().cos(), c * h.to_radians().sin());
        let [l, m, s] = [
            l + 0.396_337_777_4 * a + 0.215_803_757_3 * b,
            l - 0.105_561_345_8 * a - 0.063_854_172_8 * b,
            l - 0.089_484_177_5 * a - 1.291_485_548_0 * b,
        ]
        .map(|root| root.powi(3));
        let linear = [
            4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s,
            -1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s,
            -0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s,
        ];
        let near = linear.iter().all(|channel| (-0.03..=1.03).contains(channel));
        let encode = |v: f64| if v <= 0.003_130_8 { 12.92 * v } else { 1.055 * v.powf(1.0 / 2.4) - 0.055 };
        // As painted: eight bits a channel.
        let rgb = linear.map(|channel| (encode(channel.clamp(0.0, 1.0)) * 255.0).round() / 255.0);
        near.then_some(Self { rgb, alpha: 1.0 })
    }

    /// This colour at `alpha` over a ground, mixed in sRGB as browsers do.
    pub(super) fn blend_over(self, ground: Self, alpha: f64) -> Self {
        let mix = |at: usize| self.rgb[at] * alpha + ground.rgb[at] * (1.0 - alpha);
        Self { rgb: [mix(0), mix(1), mix(2)], alpha: ground.alpha }
    }

    /// The ratio of WCAG 2.2, from 1 to 21.
    pub(super) fn contrast(self, other: Self) -> Result<f64> {
        ensure!(self.alpha == 1.0 && other.alpha == 1.0, "a translucent colour has no contrast of its own");
        let (one, two) = (self.luminance(), other.luminance());
        Ok((one.max(two) + 0.05) / (one.min(two) + 0.05))
    }

    fn luminance(self) -> f64 {
        let [r, g, b] = self.rgb.map(|v| if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) });
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }
}

impl std::fmt::Display for Colour {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [r, g, b] = self.rgb.map(|channel| (channel * 255.0).round());
        write!(f, "#{:02x}{:02x}{:02x}", r as u8, g as u8, b as u8)
    }
}
