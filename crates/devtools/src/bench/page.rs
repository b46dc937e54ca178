//! Benchmark results that need a browser. `e2e/bench/` drives a real Chromium against the measured monitor and prints
//! each result as a line of JSON.

use anyhow::{Context, Result, bail};

use super::figure::Figure;
use super::setting::Setting;
use crate::setup;
use xtask::browser_tests;

pub fn pixel(setting: &Setting) -> Result<Vec<Figure>> {
    browser_figures(setting, "pixel")
}

pub fn inp(setting: &Setting) -> Result<Vec<Figure>> {
    browser_figures(setting, "inp")
}

pub fn thread(setting: &Setting) -> Result<Vec<Figure>> {
    browser_figures(setting, "thread")
}

pub fn bubble(setting: &Setting) -> Result<Vec<Figure>> {
    browser_figures(setting, "bubble")
}

pub fn wide(setting: &Setting) -> Result<Vec<Figure>> {
    browser_figures(setting, "wide")
}

fn browser_figures(setting: &Setting, name: &str) -> Result<Vec<Figure>> {
    setup::for_browser()?;
    setting.bundle()?;
    let text = browser_tests::bench(name, &setting.monitor()?, &setting.gauge()?, setting.events)?;
    let figures: Vec<Figure> = text
        .lines()
        .filter_map(|line| line.strip_prefix("figure\t"))
        .map(|json| read(json).with_context(|| format!("e2e/bench/{name}.mjs told {json:?}")))
        .collect::<Result<_>>()?;
    if figures.is_empty() {
        bail!("e2e/bench/{name}.mjs told no figure");
    }
    Ok(figures)
}

fn read(json: &str) -> Result<Figure> {
    let figure: Figure = serde_json::from_str(json)?;
    Ok(figure.judged())
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn a_figure_of_the_browser_is_judged_here() {
        let text = r#"{"goal":"G4","name":"a","value":30.5,"unit":"ms","bound":{"atMost":33}}"#;
        assert_eq!(read(text).expect("well told").met, Some(true));
        assert!(read(r#"{"name":"a"}"#).is_err());
    }
}
