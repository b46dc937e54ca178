//! Check of colours: style sheets and the page's Rust code have no literal colours and use the tokens of
//! `style/tokens.css`.

use super::File;

pub(super) fn check(file: &File) -> Vec<String> {
    let is_sheet = file.path.ends_with(".css") && file.path.starts_with("style/") && file.path != "style/tokens.css";
    let is_app = file.path.starts_with("src/") && file.is_rust() && !file.is_test();
    if !is_sheet && !is_app {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut in_comment = false;
    for (number, line) in file.text.lines().enumerate() {
        let code = if is_sheet { without_comment(line, &mut in_comment) } else { line.to_owned() };
        let colour = if is_sheet { css_colour(&code) } else { quoted_colour(&code) };
        if let Some(colour) = colour {
            found.push(file.error(number, &format!("a literal colour ({colour}): use a token of style/tokens.css")));
        }
    }
    found
}

fn without_comment(line: &str, in_comment: &mut bool) -> String {
    let mut out = String::new();
    let mut rest = line;
    loop {
        if *in_comment {
            let Some(end) = rest.find("*/") else { return out };
            rest = &rest[end + 2..];
            *in_comment = false;
        } else {
            let Some(start) = rest.find("/*") else {
                out.push_str(rest);
                return out;
            };
            out.push_str(&rest[..start]);
            rest = &rest[start + 2..];
            *in_comment = true;
        }
    }
}

/// `#abc`, `rgb(…)`, `white` and the like in the value of a declaration.
fn css_colour(code: &str) -> Option<String> {
    let (_, value) = code.split_once(':')?;
    let functions = ["rgb(", "rgba(", "hsl(", "hsla(", "oklch(", "oklab(", "hwb(", "lab(", "lch("];
    if let Some(function) = functions.iter().find(|function| value.contains(**function)) {
        return Some((*function).to_owned());
    }
    if let Some(colour) = hex(value) {
        return Some(colour);
    }
    let names = ["white", "black", "red", "green", "blue", "gray", "grey", "yellow", "orange", "purple"];
    let mut words = value.split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'));
    words.find(|word| names.contains(word)).map(str::to_owned)
}

/// A whole quoted literal like `"#1d6b42"` in Rust.
fn quoted_colour(code: &str) -> Option<String> {
    code.split('"')
        .skip(1)
        .step_by(2)
        .find(|text| hex(text).is_some_and(|found| found.len() == text.len()))
        .map(str::to_owned)
}

fn hex(text: &str) -> Option<String> {
    text.match_indices('#').find_map(|(at, _)| {
        let digits = text[at + 1..].chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-' || *c == '_');
        let digits: String = digits.collect();
        let fits = [3, 4, 6, 8].contains(&digits.len()) && digits.chars().all(|c| c.is_ascii_hexdigit());
        fits.then(|| format!("#{digits}"))
    })
}
