//! Style sheets that the bundle's script adds to the page, so that they do not delay the first paint. The sheet of
//! lazily loaded pages and dialogs is added with the first of them, the sheet of the fonts once the program runs.

use anyhow::{Result, bail};

/// A style sheet that a script adds to the page.
pub struct ScriptedSheet {
    /// Address, relative to the script.
    pub href: String,
    /// Value of the link's `integrity`.
    pub integrity: String,
}

/// The scripted sheets of a bundle.
pub struct ScriptedSheets {
    /// Sheet of lazy pages and dialogs. A part of the wasm that draws is usable when it is applied.
    pub pages: ScriptedSheet,
    /// Sheet of the fonts; none in a bundle without fonts.
    pub fonts: Option<ScriptedSheet>,
}

/// Adds a sheet's link. The promise fails like the fetch of a part: when the sheet cannot be loaded or comes too late.
const ADD_SHEET: &str = r#"
function addSheet(href, integrity) {
    // A page that was saved as evidence holds its sheets.
    if (document.querySelector(`style[data-href="${href}"]`)) return Promise.resolve();
    return new Promise((resolve, reject) => {
        const link = document.createElement("link");
        const fail = () => {
            link.remove();
            reject(new Error(`no style sheet ${href}`));
        };
        const timeout = setTimeout(fail, 30000);
        link.onerror = fail;
        link.onload = () => {
            clearTimeout(timeout);
            resolve();
        };
        Object.assign(link, { rel: "stylesheet", href: new URL(href, import.meta.url).href, integrity });
        document.head.append(link);
    });
}
let pageStyles;
function loadPageStyles() {
    // A worker draws nothing.
    if (typeof document === "undefined") return Promise.resolve();
    pageStyles ??= addSheet(PAGES).catch((error) => {
        pageStyles = undefined;
        throw error;
    });
    return pageStyles;
}
function wrapStyledCb(load) {
    return wrapAsyncCb(() => Promise.all([loadPageStyles(), load()]));
}
"#;

/// Parts that draw nothing of their own and therefore wait for no style sheet.
const WITHOUT_STYLES: [&str; 2] = ["live", "english"];
/// How `wasm_split_cli_support` begins and ends the name of a part's loader.
const LOADER: (&str, &str) = ("export const __wasm_split_load_", " = wrapAsyncCb(");

impl ScriptedSheets {
    /// The script that loads the parts, made to add the sheets.
    ///
    /// # Errors
    ///
    /// When the script does not write the loaders of parts in the known form.
    pub fn added_by(&self, link: &str) -> Result<String> {
        let (start, end) = LOADER;
        let mut styled = String::with_capacity(link.len());
        let mut count = 0;
        for line in link.split_inclusive('\n') {
            match line.strip_prefix(start).and_then(|rest| rest.split_once(end)) {
                Some((part, rest)) if !WITHOUT_STYLES.contains(&part) => {
                    count += 1;
                    styled.push_str(&format!("{start}{part} = wrapStyledCb({rest}"));
                }
                _ => styled.push_str(line),
            }
        }
        if count == 0 {
            bail!("the script that fetches the parts is written differently: pages would have no style sheet");
        }
        let add = ADD_SHEET.replace("PAGES", &self.pages.arguments());
        let fonts = self.fonts.as_ref().map(|fonts| {
            let add = format!("addSheet({}).catch(console.debug)", fonts.arguments());
            format!("addEventListener(\"TrunkApplicationStarted\", () => {add}, {{ once: true }});\n")
        });
        Ok(format!("{styled}{add}{}", fonts.unwrap_or_default()))
    }
}

impl ScriptedSheet {
    fn arguments(&self) -> String {
        format!("\"{}\", \"{}\"", self.href, self.integrity)
    }
}

#[cfg(test)]
mod tests {
    use super::{ScriptedSheet, ScriptedSheets};

    fn sheet(name: &str) -> ScriptedSheet {
        ScriptedSheet { href: format!("./{name}.css"), integrity: format!("sha384-{name}") }
    }

    #[test]
    fn page_parts_wait_for_page_styles() {
        let sheets = ScriptedSheets { pages: sheet("pages"), fonts: Some(sheet("fonts")) };
        let loader =
            |part: &str, wrap: &str| format!("export const __wasm_split_load_{part} = {wrap}(makeLoad(a, [b]));\n");
        let (talk, live) = (loader("talk", "wrapAsyncCb"), loader("live", "wrapAsyncCb"));
        let link = sheets.added_by(&format!("{talk}{live}")).expect("known form");
        assert!(link.starts_with(&format!("{}{live}", loader("talk", "wrapStyledCb"))), "{link}");
        assert!(link.contains("addSheet(\"./pages.css\", \"sha384-pages\")"), "{link}");
        assert!(link.contains("() => addSheet(\"./fonts.css\", \"sha384-fonts\")"), "{link}");
        assert!(sheets.added_by(&live).is_err());
        let without = ScriptedSheets { fonts: None, ..sheets };
        assert!(!without.added_by(&talk).expect("known form").contains("TrunkApplicationStarted"));
    }
}
