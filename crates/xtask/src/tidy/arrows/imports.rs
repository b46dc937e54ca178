//! Scanner for imports between a crate's modules. It finds the paths in a Rust source text that start at the crate root
//! (`crate::a`) or reach it through `super::` or `self::`. For each it returns the line, the first name after the root and
//! the local alias. The check of dependency arrows (`tidy/arrows.rs`) compares the names with its tables.
//!
//! A path counts wherever it occurs: in a `use` tree, in an expression, or as the text of an attribute
//! (`with = "super::text"`). Modules below `#[cfg(test)]` are left out.

use super::super::source::tokens;

/// Opening of a module that only tests compile, before its name.
const TEST_MODULE: [&str; 8] = ["#", "[", "cfg", "(", "test", ")", "]", "mod"];

/// A path that passes through the crate's root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct RootImport<'a> {
    /// Counted from 0.
    pub line: usize,
    /// The name at the root: a module, or an item that the root declares or re-exports. `*` is all of them.
    pub name: &'a str,
    /// The name by which the file knows what the path leads to.
    pub alias: &'a str,
}

/// Paths of a file through its crate's root, those of `use` in the root itself included. `path` is the file's place
/// below the folder of that root.
pub(super) fn root_imports<'a>(text: &'a str, path: &str) -> Vec<RootImport<'a>> {
    let mut scan = ImportScan { tokens: tokens(text), at: 0, found: Vec::new() };
    scan.file(module_depth(path));
    scan.found
}

/// Modules above the items of a file: none for the root, one for `a.rs` and `a/mod.rs`, two for `a/b.rs`.
fn module_depth(path: &str) -> usize {
    let names = path.split('/').count();
    match path.rsplit('/').next() {
        Some("mod.rs") => names - 1,
        Some("lib.rs" | "main.rs") if names == 1 => 0,
        _ => names,
    }
}

fn is_word(token: &str) -> bool {
    token.starts_with(|c: char| c.is_alphabetic() || c == '_')
}

struct ImportScan<'a> {
    tokens: Vec<(usize, &'a str)>,
    at: usize,
    found: Vec<RootImport<'a>>,
}

impl<'a> ImportScan<'a> {
    fn token(&self, ahead: usize) -> &'a str {
        self.tokens.get(self.at + ahead).map_or("", |(_, token)| token)
    }

    fn is_separator(&self, ahead: usize) -> bool {
        self.token(ahead) == ":" && self.token(ahead + 1) == ":"
    }

    /// Reads a file whose items are `depth` modules below the root.
    fn file(&mut self, depth: usize) {
        let mut braces = 0_usize;
        // Open inline modules, each by the number of braces around its items.
        let mut inline: Vec<usize> = Vec::new();
        while self.at < self.tokens.len() {
            match self.token(0) {
                "{" => braces += 1,
                "}" => {
                    inline.pop_if(|around| *around == braces);
                    braces = braces.saturating_sub(1);
                }
                "#" if TEST_MODULE.iter().enumerate().all(|(ahead, token)| self.token(ahead) == *token) => {
                    self.at += TEST_MODULE.len() + 1;
                    self.skip_block();
                    continue;
                }
                "mod" if self.token(2) == "{" => inline.push(braces + 1),
                "crate" | "super" | "self" if self.is_separator(1) => {
                    self.tree(depth + inline.len(), None);
                    continue;
                }
                "use" if depth + inline.len() == 0 => {
                    self.at += 1;
                    self.tree(0, None);
                    continue;
                }
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Passes over the block in braces that begins here, if one does.
    fn skip_block(&mut self) {
        let mut braces = 0_usize;
        while self.at < self.tokens.len() {
            match self.token(0) {
                "{" => braces += 1,
                "}" => braces = braces.saturating_sub(1),
                _ => {}
            }
            if braces == 0 {
                return;
            }
            self.at += 1;
        }
    }

    /// Reads a path or a tree of paths. It begins `depth` modules below the root, or behind the name `root`.
    fn tree(&mut self, mut depth: usize, mut root: Option<&'a str>) {
        while let Some(&(line, token)) = self.tokens.get(self.at) {
            match token {
                "crate" => depth = 0,
                "super" => depth = depth.saturating_sub(1),
                "self" => {}
                "{" => return self.group(depth, root),
                _ if !is_word(token) && token != "*" => return,
                _ if depth == 0 => {
                    root = root.or(Some(token));
                }
                _ => depth += 1,
            }
            self.at += 1;
            if self.is_separator(0) {
                self.at += 2;
                continue;
            }
            let mut alias = token;
            if self.token(0) == "as" {
                alias = self.token(1);
                self.at += 2;
            }
            self.found.extend(root.map(|name| RootImport { line, name, alias }));
            return;
        }
    }

    /// Reads the trees of a list in braces.
    fn group(&mut self, depth: usize, root: Option<&'a str>) {
        self.at += 1;
        while self.at < self.tokens.len() {
            match self.token(0) {
                "}" => {
                    self.at += 1;
                    return;
                }
                token if is_word(token) || matches!(token, "{" | "*") => self.tree(depth, root),
                _ => self.at += 1,
            }
        }
    }
}
