//! Licence texts of crates: selection of a crate's licence files, standard texts for crates without one, and sections
//! in which equal texts occur once.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use super::Package;
use crate::tree;

/// Names that licence files begin with, in capitals.
const STARTS: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE"];
/// Words in the names of files that state another choice than MIT.
const OTHER_CHOICES: [&str; 5] = ["APACHE", "BSD", "ZLIB", "BOOST", "LLVM"];

const MIT: &str = "\
Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated
documentation files (the \"Software\"), to deal in the Software without restriction, including without limitation the
rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit
persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the
Software.

THE SOFTWARE IS PROVIDED \"AS IS\", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE
WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR
COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR
OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.";

const BSD_3_CLAUSE: &str = "\
Redistribution and use in source and binary forms, with or without modification, are permitted provided that the
following conditions are met:

1. Redistributions of source code must retain the above copyright notice, this list of conditions and the following
disclaimer.

2. Redistributions in binary form must reproduce the above copyright notice, this list of conditions and the following
disclaimer in the documentation and/or other materials provided with the distribution.

3. Neither the name of the copyright holder nor the names of its contributors may be used to endorse or promote products
derived from this software without specific prior written permission.

THIS SOFTWARE IS PROVIDED BY THE COPYRIGHT HOLDERS AND CONTRIBUTORS \"AS IS\" AND ANY EXPRESS OR IMPLIED WARRANTIES,
INCLUDING, BUT NOT LIMITED TO, THE IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS FOR A PARTICULAR PURPOSE ARE
DISCLAIMED. IN NO EVENT SHALL THE COPYRIGHT HOLDER OR CONTRIBUTORS BE LIABLE FOR ANY DIRECT, INDIRECT, INCIDENTAL,
SPECIAL, EXEMPLARY, OR CONSEQUENTIAL DAMAGES (INCLUDING, BUT NOT LIMITED TO, PROCUREMENT OF SUBSTITUTE GOODS OR SERVICES;
LOSS OF USE, DATA, OR PROFITS; OR BUSINESS INTERRUPTION) HOWEVER CAUSED AND ON ANY THEORY OF LIABILITY, WHETHER IN
CONTRACT, STRICT LIABILITY, OR TORT (INCLUDING NEGLIGENCE OR OTHERWISE) ARISING IN ANY WAY OUT OF THE USE OF THIS
SOFTWARE, EVEN IF ADVISED OF THE POSSIBILITY OF SUCH DAMAGE.";

/// It names no holder.
const APACHE_2: &str = include_str!("apache-2.0.txt");

/// The MIT licence for a holder.
pub(super) fn mit(holder: &str) -> String {
    format!("MIT License\n\nCopyright (c) {holder}\n\n{MIT}")
}

/// Texts in the order in which they were first used, each with those that use it.
#[derive(Debug, Default)]
pub(super) struct LicenceTexts {
    entries: Vec<LicenceText>,
}

#[derive(Debug)]
struct LicenceText {
    /// Words separated by single blanks: texts that differ by line breaks only are one.
    key: String,
    text: String,
    users: Vec<String>,
}

impl LicenceTexts {
    /// The number of a text, which `user` needs.
    pub(super) fn number(&mut self, text: &str, user: &str) -> String {
        let key = text.split_whitespace().collect::<Vec<_>>().join(" ");
        let at = self.entries.iter().position(|entry| entry.key == key).unwrap_or_else(|| {
            self.entries.push(LicenceText { key, text: clean(text), users: Vec::new() });
            self.entries.len() - 1
        });
        if let Some(entry) = self.entries.get_mut(at).filter(|entry| !entry.users.iter().any(|known| known == user)) {
            entry.users.push(user.to_owned());
        }
        (at + 1).to_string()
    }

    /// A section for each text.
    pub(super) fn render(&self) -> String {
        let section = |(at, entry): (usize, &LicenceText)| {
            format!("\n### Text {}\n\n{}\n\n````text\n{}\n````\n", at + 1, entry.users.join(", "), entry.text)
        };
        self.entries.iter().enumerate().map(section).collect()
    }
}

/// The licence texts of a crate: its own files, else the standard text with its authors.
pub(super) fn of_crate(package: &Package, sources: &[PathBuf]) -> Result<Vec<String>> {
    let folder = format!("{}-{}", package.name, package.version);
    let found = sources.iter().map(|source| source.join(&folder)).find(|dir| dir.is_dir());
    let dir = found.with_context(|| format!("the source of {folder} is not in the cargo home: run `cargo fetch`"))?;
    let mut names = Vec::new();
    for file in tree::files_below(&dir, &[])? {
        let name = file.strip_prefix(&dir)?.to_string_lossy().replace('\\', "/");
        if is_licence(&name) {
            names.push(name);
        }
    }
    let mut texts = Vec::new();
    for name in chosen(&package.licence, &names) {
        let bytes = std::fs::read(dir.join(name)).with_context(|| format!("cannot read {name} of {folder}"))?;
        texts.push(String::from_utf8_lossy(&bytes).into_owned());
    }
    if texts.is_empty() {
        texts.push(standard(package, &dir)?);
    }
    Ok(texts)
}

fn is_licence(path: &str) -> bool {
    let name = file_name(path).to_uppercase();
    let code = [".RS", ".C", ".H", ".TOML", ".JSON"].iter().any(|ending| name.ends_with(ending));
    !code && (name.starts_with("UNLICENSE") || STARTS.iter().any(|start| name.starts_with(start)))
}

/// Files to reproduce. With a choice that includes MIT and a file for it, the files of other choices are left out.
/// `COPYING` is left out beside a licence file of its folder: it names the choice, or is the GPL of Zstandard's choice.
fn chosen<'a>(licence: &str, names: &'a [String]) -> Vec<&'a String> {
    let choice = (licence.contains(" OR ") || licence.contains('/')) && licence.contains("MIT");
    let takes_mit = choice && names.iter().any(|name| file_name(name).to_uppercase().contains("MIT"));
    let beside = |name: &str| names.iter().any(|other| other != name && folder(other) == folder(name));
    let keeps = |name: &&String| {
        let file = file_name(name).to_uppercase();
        if file.starts_with("COPYING") && beside(name) {
            return false;
        }
        let other_choice = file.starts_with("UNLICENSE") || OTHER_CHOICES.iter().any(|word| file.contains(word));
        !(takes_mit && other_choice)
    };
    names.iter().filter(keeps).collect()
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// The standard text, for a crate that comes without a licence file.
fn standard(package: &Package, dir: &Path) -> Result<String> {
    let manifest = dir.join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).with_context(|| format!("cannot read {}", manifest.display()))?;
    let holder = match authors(&text) {
        names if names.is_empty() => format!("the authors of {}", package.name),
        names => names.join(", "),
    };
    if package.licence.contains("MIT") && !package.licence.contains(" AND ") {
        return Ok(mit(&holder));
    }
    if package.licence == "BSD-3-Clause" {
        return Ok(format!("Copyright (c) {holder}\n\n{BSD_3_CLAUSE}"));
    }
    if package.licence == "Apache-2.0" {
        return Ok(APACHE_2.to_owned());
    }
    bail!("{} {} has no licence file, and there is no text for {}", package.name, package.version, package.licence)
}

/// Names in `authors` of a published manifest, without addresses.
fn authors(manifest: &str) -> Vec<String> {
    let Some((_, rest)) = manifest.split_once("\nauthors = [") else { return Vec::new() };
    let list = rest.split(']').next().unwrap_or_default();
    let quoted = list.split('"').skip(1).step_by(2);
    quoted.map(|author| author.split('<').next().unwrap_or_default().trim().to_owned()).collect()
}

/// Lines without trailing blanks, and no empty ones around the text.
fn clean(text: &str) -> String {
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().map(str::trim_end).collect();
    lines.join("\n").trim_matches('\n').to_owned()
}

#[cfg(test)]
mod tests {
    use super::{LicenceTexts, authors, chosen, is_licence};

    fn files(licence: &str, names: &[&str]) -> Vec<String> {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        chosen(licence, &names).into_iter().cloned().collect()
    }

    #[test]
    fn choice_with_mit_takes_mit() {
        assert_eq!(files("MIT OR Apache-2.0", &["LICENSE-APACHE", "LICENSE-MIT"]), ["LICENSE-MIT"]);
        assert_eq!(files("Unlicense/MIT", &["COPYING", "LICENSE-MIT", "UNLICENSE"]), ["LICENSE-MIT"]);
        let unicode = ["LICENSE-APACHE", "LICENSE-MIT", "LICENSE-UNICODE"];
        assert_eq!(files("(MIT OR Apache-2.0) AND Unicode-3.0", &unicode), ["LICENSE-MIT", "LICENSE-UNICODE"]);
    }

    #[test]
    fn files_without_licence_choice_are_included() {
        let both = ["LICENSE.BSD-3-Clause", "LICENSE.MIT"];
        assert_eq!(files("BSD-3-Clause AND MIT", &both), both);
        assert_eq!(files("Apache-2.0 OR BSL-1.0", &["LICENSE-APACHE", "LICENSE-BOOST"]).len(), 2);
        assert_eq!(files("BSD-3-Clause/MIT", &["LICENSE"]), ["LICENSE"]);
        let bundled = ["LICENSE", "zstd/COPYING", "zstd/LICENSE"];
        assert_eq!(files("BSD-3-Clause", &bundled), ["LICENSE", "zstd/LICENSE"]);
        assert_eq!(files("MIT", &["COPYING"]), ["COPYING"]);
    }

    #[test]
    fn licence_files_have_known_names() {
        assert!(is_licence("LICENSE-MIT.md") && is_licence("src/spin/LICENSE") && is_licence("license-apache-2.0"));
        assert!(!is_licence("src/license.rs") && !is_licence("README.md"));
    }

    #[test]
    fn equal_texts_are_one() {
        let mut texts = LicenceTexts::default();
        assert_eq!(texts.number("a\nb", "one 1.0"), "1");
        assert_eq!(texts.number("c", "two 1.0"), "2");
        assert_eq!(texts.number("a  b\r\n", "three 1.0"), "1");
        assert_eq!(texts.number("a b", "one 1.0"), "1");
        assert!(texts.render().starts_with("\n### Text 1\n\none 1.0, three 1.0\n\n````text\na\nb\n````\n"));
    }

    #[test]
    fn authors_lose_their_addresses() {
        let manifest = "name = \"a\"\nauthors = [\n    \"A B <a@b.example>\",\n    \"C\",\n]\n";
        assert_eq!(authors(manifest), ["A B", "C"]);
        assert!(authors("[package]\nname = \"a\"\n").is_empty());
    }
}
