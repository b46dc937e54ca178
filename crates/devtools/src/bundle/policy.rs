//! Content security policy written into the page, for web servers that send none. It allows only the bundle's
//! JavaScript, and no foreign style, font, picture or frame. The build fails when the wasm contains markup that the
//! page's Trusted Types policy would refuse.
//!
//! If the web server also sends a policy, the browser applies both. The monitor sends a stricter one: connections only
//! to the monitor, and a limit on the sites that may frame the page, which a policy inside a page cannot set.

use std::path::Path;

use anyhow::{Context, Result, bail};
use evidence_page::{inline_scripts, policy_hash};

use super::imports;

/// Puts the policy into the finished page; nothing may change its inline scripts afterwards.
pub fn in_page(staged: &Path) -> Result<()> {
    let index = staged.join("index.html");
    let html = std::fs::read_to_string(&index)?;
    for entry in std::fs::read_dir(staged)? {
        let file = entry?.path();
        if file.extension().is_some_and(|end| end == "wasm")
            && let Some(markup) =
                refused_markup(&String::from_utf8_lossy(&imports::data(&std::fs::read(&file)?)?), &html)?
        {
            bail!("{} holds the markup {markup}, which the Trusted Types policy in index.html refuses", file.display());
        }
    }
    std::fs::write(&index, with_policy(&html)?).context("cannot write the page")
}

/// Leptos draws what never changes from markup in the program. The first tag of such markup that the page's own policy
/// would refuse: its view would end the page, but only once it is drawn.
fn refused_markup(program: &str, html: &str) -> Result<Option<String>> {
    let list = |before: &str| -> Result<Vec<&str>> {
        let list = html.split(before).nth(1).and_then(|rest| rest.split_once(")(?:")).map(|(list, _)| list);
        Ok(list.with_context(|| format!("index.html has no policy with `{before}`"))?.split('|').collect())
    };
    let (tags, names) = (list("<\\/?(?:")?, list("(?: (?:")?);
    let known = |name: &str| {
        let fits = |pattern: &&str| match pattern.split_once(['[', '(']) {
            Some((start, _)) => name.starts_with(start),
            None => name == *pattern,
        };
        names.iter().any(fits)
    };
    let fits = |tag: &str| {
        let (element, rest) = tag.split_once(' ').unwrap_or((tag, ""));
        // Names and values take turns between the quotes.
        let mut parts = rest.split('"').enumerate();
        let inert = |(at, part): (usize, &str)| match at % 2 {
            0 => part.split([' ', '=']).filter(|name| !name.is_empty()).all(known),
            _ => !part.contains(['<', '>', ':', '(']),
        };
        tags.contains(&element) && parts.all(inert)
    };
    Ok(tags_in(program).find(|tag| !fits(tag)).map(|tag| format!("<{tag}>")))
}

/// The text between `<` and `>` where it is written as an element: `kbd`, `span class="a"`.
fn tags_in(program: &str) -> impl Iterator<Item = &str> {
    program.split('<').skip(1).filter_map(|rest| {
        let (tag, _) = rest.split_once('>')?;
        let element = tag.split(' ').next()?;
        // Binary data holds `<9>` by chance; a browser begins an element at a letter only.
        let written = element.starts_with(|first: char| first.is_ascii_lowercase())
            && element.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        (written && (tag == element || tag.ends_with('"'))).then_some(tag)
    })
}

fn with_policy(html: &str) -> Result<String> {
    const CHARSET_TAG: &str = "<meta charset=\"utf-8\" />";
    if !html.contains(CHARSET_TAG) {
        bail!("the page has no `{CHARSET_TAG}`: its policy must stand before all that it guards");
    }
    let scripts: String = inline_scripts(html).map(|script| format!(" '{}'", policy_hash(script))).collect();
    let policy = format!(
        "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'{scripts}; style-src 'self'; connect-src *; \
         font-src 'self'; img-src 'self' data:; manifest-src 'self'; worker-src 'self'; base-uri 'self'; \
         form-action 'none'; require-trusted-types-for 'script'; trusted-types default"
    );
    let meta = format!("{CHARSET_TAG}\n    <meta http-equiv=\"Content-Security-Policy\" content=\"{policy}\" />");
    Ok(html.replacen(CHARSET_TAG, &meta, 1))
}

#[cfg(test)]
mod tests {
    use super::{refused_markup, with_policy};

    #[test]
    fn refused_markup_is_found_at_build() {
        let page = include_str!("../../../../index.html");
        let refused = |program: &str| refused_markup(program, page).expect("a page with a policy");
        for inert in [
            "<kbd>J</kbd>",
            "a < b <T> <span class=\"a b\" aria-hidden=\"true\"></span>",
            "<circle cx=\"1\" stroke-dasharray=\"2 3\"></circle>",
            "<crates/coordination/src/hub>",
            "\u{1}<9>\u{2}",
        ] {
            assert_eq!(refused(inert), None, "{inert}");
        }
        for other in ["<img src=\"x\">", "<a href=\"/all\">", "<span onclick=\"x\">", "<path d=\"url(x)\">"] {
            assert_eq!(refused(&format!("…{other}…")).as_deref(), Some(other));
        }
    }

    #[test]
    fn only_hashed_inline_scripts_are_allowed() {
        let html = "<meta charset=\"utf-8\" /><script>hello()</script><script type=\"module\" src=\"a.js\"></script>";
        let page = with_policy(html).expect("policy");
        // From `printf 'hello()' | openssl dgst -sha256 -binary | base64`.
        let scripts = "script-src 'self' 'wasm-unsafe-eval' 'sha256-mTytrf2QssaOZNGNRT1WCtMRd3ocH8LJxQQu5qMUanU=';";
        assert!(page.contains(scripts), "{page}");
        assert!(!page.contains("unsafe-inline") && page.find("http-equiv") < page.find("hello"), "{page}");
    }

    #[test]
    fn page_without_policy_placeholder_is_refused() {
        assert!(with_policy("<script>hello()</script>").is_err());
    }
}
