//! Check of dependency arrows (ARCHITECTURE.md, "Arrows"). For most crates, a table lists for each module the modules
//! that it may import. The check also refuses IO, clocks, async, Leptos and axum in the pure crates, which monitor and
//! page share.

mod imports;

use std::collections::BTreeMap;

use super::{File, PURE};
use imports::{RootImport, root_imports};

/// Files whose items are the root of their crate.
const ROOTS: [&str; 2] = ["lib.rs", "main.rs"];

/// The modules of one crate, and for each the modules it may import besides itself: only modules of rows above its own,
/// so that no table allows a cycle.
struct Crate {
    root: &'static str,
    modules: &'static [(&'static str, &'static [&'static str])],
    /// Modules that may import everything and that nothing listed above may import.
    top: &'static [&'static str],
}

const CRATES: [Crate; 17] = [
    Crate {
        root: "src/",
        modules: &[
            ("lazy_chunks", &[]),
            ("ui", &[]),
            ("routes", &[]),
            ("i18n", &["routes", "lazy_chunks"]),
            ("source", &["i18n", "routes", "lazy_chunks"]),
            ("state", &["i18n", "routes", "source"]),
            ("live", &["state", "source", "lazy_chunks"]),
            ("queries", &["i18n", "routes", "state", "source", "live"]),
            ("components", &["ui", "i18n", "routes", "state", "queries"]),
            ("pages", &["ui", "i18n", "routes", "state", "queries", "source", "components", "lazy_chunks"]),
        ],
        top: &["app", "main"],
    },
    Crate {
        root: "crates/monitor/src/",
        modules: &[
            ("clock", &[]),
            ("random", &[]),
            ("sink", &[]),
            ("testing", &[]),
            ("version", &[]),
            ("workers", &[]),
            ("fs", &[]),
            ("home", &["fs"]),
            ("config", &["clock", "home", "random"]),
            ("inputs", &["sink"]),
            ("sources", &["clock", "config", "fs", "home", "inputs", "sink"]),
            ("core", &["clock", "config", "fs", "home", "inputs", "random", "sink", "sources", "workers"]),
            ("gateway", &["clock", "config", "home"]),
            ("agent_hooks", &["clock", "config", "fs", "home"]),
            ("permissions", &["clock", "config", "gateway", "home", "random", "sink", "sources"]),
            ("app", &["config", "core", "gateway", "home", "inputs", "permissions", "random", "sink", "sources"]),
            ("fleet", &["app", "clock", "config", "fs", "home", "inputs", "random", "sources"]),
            (
                "web",
                &[
                    "app",
                    "clock",
                    "config",
                    "core",
                    "fleet",
                    "fs",
                    "gateway",
                    "home",
                    "permissions",
                    "random",
                    "sources",
                    "version",
                ],
            ),
        ],
        top: &["cli", "lib", "main"],
    },
    Crate {
        root: "crates/protocol/src/",
        modules: &[
            ("category", &[]),
            ("commas", &[]),
            ("csv", &[]),
            ("decode", &[]),
            ("digest", &[]),
            ("ids", &[]),
            ("delivery", &["ids"]),
            ("json_number", &[]),
            ("role", &[]),
            ("session", &[]),
            ("session_key", &[]),
            ("time", &[]),
            ("url_encode", &[]),
            ("roster", &["ids", "session_key"]),
            ("workspace", &["ids", "json_number", "time"]),
            (
                "api",
                &[
                    "category",
                    "commas",
                    "decode",
                    "delivery",
                    "digest",
                    "ids",
                    "role",
                    "roster",
                    "session",
                    "session_key",
                    "workspace",
                ],
            ),
            ("alerts", &["api", "ids"]),
            ("flow_layout", &["api", "delivery", "ids"]),
            ("burst", &["api", "ids"]),
            ("shared_records", &["api", "ids"]),
            ("json_patch", &[]),
            ("view", &["api", "ids", "json_patch"]),
            ("link", &["api", "view"]),
        ],
        top: &["lib"],
    },
    Crate {
        root: "crates/hangul/src/",
        modules: &[("syllable", &[]), ("jamo", &["syllable"]), ("initials", &["jamo"]), ("layout", &["jamo"])],
        top: &["lib"],
    },
    Crate {
        root: "crates/message-text/src/",
        modules: &[
            ("hidden", &[]),
            ("markers", &[]),
            ("needle", &[]),
            ("outcome", &[]),
            ("lookalike", &["hidden"]),
            ("notice", &["markers"]),
            ("plain", &["markers"]),
        ],
        top: &["lib"],
    },
    Crate {
        root: "crates/classifier/src/",
        modules: &[
            ("classified", &[]),
            ("keywords", &[]),
            ("v2", &[]),
            ("scan", &["keywords"]),
            ("v1", &["classified", "scan"]),
            ("record", &["classified", "v1", "v2"]),
        ],
        top: &["lib"],
    },
    Crate {
        root: "crates/coordination-log/src/",
        modules: &[("event", &[]), ("title", &["event"]), ("doctor", &["event"])],
        top: &["lib"],
    },
    Crate {
        root: "crates/transcripts/src/",
        modules: &[("transcript", &[]), ("store", &["transcript"])],
        top: &["lib"],
    },
    Crate {
        root: "crates/agent-events/src/",
        modules: &[
            ("event", &[]),
            ("key", &[]),
            ("program", &[]),
            ("check", &["event", "key"]),
            ("map", &["event", "key"]),
            ("refused", &["check", "event", "key"]),
            ("state", &["event", "key"]),
            ("input", &["event", "program", "state"]),
            ("beats", &["event", "input", "key", "state"]),
            ("hook", &["event", "input", "key", "program", "state"]),
            ("item", &["check", "hook", "input", "program"]),
            ("timeline", &["event", "input", "state"]),
            ("ledger", &["event", "hook", "input", "state", "timeline"]),
        ],
        top: &["lib"],
    },
    Crate {
        root: "crates/search/src/",
        modules: &[
            ("class", &[]),
            ("event", &[]),
            ("fold", &[]),
            ("particle", &[]),
            ("operators", &["fold"]),
            ("term", &["class", "fold", "particle"]),
            ("when", &["fold"]),
            ("grammar", &["class", "fold", "operators", "term", "when"]),
            ("index", &["class", "event", "fold", "term"]),
            ("substring_index", &["fold", "index", "term"]),
            ("words", &["fold", "term"]),
        ],
        top: &["lib"],
    },
    Crate {
        root: "crates/safe-markdown/src/",
        modules: &[
            ("nesting", &[]),
            ("punycode", &[]),
            ("host", &["punycode"]),
            ("link", &["host"]),
            ("tree", &["host"]),
            ("discord", &["host", "link", "tree"]),
            ("measure", &["tree"]),
            ("build", &["discord", "host", "link", "measure", "tree"]),
            ("head", &["measure", "tree"]),
        ],
        top: &["lib"],
    },
    Crate {
        root: "crates/coordination/src/",
        modules: &[
            ("merge", &[]),
            ("hub", &["merge"]),
            ("query", &["hub", "merge"]),
            ("compat", &["hub"]),
            ("evidence", &["hub", "query"]),
            ("gateway_message", &[]),
            ("gateway_approval", &["gateway_message"]),
            ("tool_dangers", &[]),
        ],
        top: &["lib"],
    },
    Crate {
        root: "crates/xtask/src/",
        modules: &[
            ("clock", &[]),
            ("tree", &[]),
            ("shell", &["tree"]),
            ("steps", &["clock", "shell"]),
            ("setup", &["clock", "shell", "tree"]),
            ("browser_tests", &["clock", "setup", "shell", "steps", "tree"]),
            ("native_tests", &["setup", "shell", "steps", "tree"]),
            ("page", &["clock", "setup", "shell", "tree"]),
            ("notices", &["shell", "tree"]),
            ("supply_chain", &["notices", "setup", "shell", "tree"]),
            ("run", &["clock", "page", "setup", "shell", "tree"]),
            ("real", &["browser_tests", "clock", "setup", "shell"]),
            ("tidy", &["shell", "tree"]),
            (
                "test",
                &["browser_tests", "native_tests", "page", "setup", "shell", "steps", "supply_chain", "tidy", "tree"],
            ),
        ],
        top: &["lib", "main"],
    },
    Crate {
        root: "crates/devtools/src/",
        modules: &[
            ("alike", &[]),
            ("bundle", &[]),
            ("dist", &["bundle"]),
            ("gates", &[]),
            ("records", &[]),
            ("survives", &[]),
            ("size", &["bundle"]),
            ("eval", &["records"]),
            ("train", &["bundle", "eval", "records"]),
            ("contract", &["bundle"]),
            ("fleet", &["bundle"]),
            ("soak", &["alike", "bundle", "contract", "fleet"]),
        ],
        top: &["main"],
    },
    Crate {
        root: "crates/bench/src/",
        modules: &[
            ("home", &[]),
            ("http", &[]),
            ("live", &["home", "http"]),
            ("server", &["http"]),
            ("nats", &["server"]),
            ("figure", &[]),
            ("groups", &["figure"]),
            ("goals", &["figure", "groups"]),
            ("latest", &["figure", "goals", "groups"]),
        ],
        top: &["lib", "main"],
    },
    Crate {
        root: "crates/page-build/src/",
        modules: &[("bin", &[]), ("bind", &[]), ("stage", &["bind"])],
        top: &["lib", "main"],
    },
    Crate { root: "crates/gauge/src/", modules: &[("input", &[])], top: &["main"] },
];

/// What a pure crate must never name (no IO, clock, async, Leptos or axum).
const IMPURE: [&str; 12] = [
    "std::fs",
    "std::net",
    "std::process",
    "std::thread",
    "SystemTime::now",
    "Instant::now",
    "tokio::",
    "axum::",
    "leptos::",
    "web_sys::",
    "js_sys::",
    "async fn",
];

/// Every file that names what a pure crate must not, or imports a module that its own may not.
pub(super) fn check(files: &[File]) -> Vec<String> {
    let rust = || files.iter().filter(|file| file.is_rust());
    let mut found: Vec<String> = rust().filter(|file| is_pure(file)).flat_map(pure).collect();
    for home in &CRATES {
        let of_crate = || rust().filter_map(|file| Some((file, file.path.strip_prefix(home.root)?)));
        let roots = of_crate().filter(|(_, path)| ROOTS.contains(path));
        let exports: BTreeMap<&str, &str> = roots
            .flat_map(|(file, path)| root_imports(&file.text, path))
            .map(|import| (import.alias, import.name))
            .collect();
        for (file, path) in of_crate().filter(|(file, _)| !file.is_test()) {
            found.extend(home.check(file, path, &exports));
        }
    }
    found
}

impl Crate {
    /// Imports of a file that the table does not allow. `exports` has the names that the crate's root takes from its
    /// modules.
    fn check(&self, file: &File, path: &str, exports: &BTreeMap<&str, &str>) -> Vec<String> {
        let module = module_of(path);
        if self.top.contains(&module) {
            return Vec::new();
        }
        let Some((_, allowed)) = self.modules.iter().find(|(name, _)| *name == module) else {
            return vec![
                file.error(0, &format!("`{module}` has no row in the table of arrows (xtask, tidy/arrows.rs)")),
            ];
        };
        let is_known = |name: &str| self.top.contains(&name) || self.modules.iter().any(|(module, _)| *module == name);
        let mut found = Vec::new();
        for RootImport { line, name, .. } in root_imports(&file.text, path) {
            let problem = match exports.get(name).copied() {
                _ if name == module || allowed.contains(&name) => continue,
                _ if is_known(name) => format!("`{module}` must not import `{name}`"),
                Some(origin) if !is_known(origin) || origin == module || allowed.contains(&origin) => continue,
                Some(origin) => format!("`{module}` must not import `{origin}` (`{name}`)"),
                None => format!("`{module}` must not import `{name}` of its crate's root"),
            };
            found.push(file.error(line, &problem));
        }
        found.dedup();
        found
    }
}

/// Part of one of [`PURE`].
fn is_pure(file: &File) -> bool {
    let below = file.path.strip_prefix("crates/").and_then(|path| path.split_once("/src/"));
    below.is_some_and(|(name, _)| PURE.contains(&name))
}

fn pure(file: &File) -> Vec<String> {
    let code = file.text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    code.filter_map(|(number, line)| {
        let word = IMPURE.iter().find(|word| line.contains(**word))?;
        Some(file.error(number, &format!("a pure crate: no `{word}`")))
    })
    .collect()
}

/// `pages/home.rs` and `pages.rs` belong to `pages`.
fn module_of(path: &str) -> &str {
    let first = path.split('/').next().unwrap_or_default();
    first.strip_suffix(".rs").unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::CRATES;

    #[test]
    fn tables_allow_no_cycle() {
        for one in &CRATES {
            for (at, (module, allowed)) in one.modules.iter().enumerate() {
                for name in *allowed {
                    let above = one.modules[..at].iter().any(|(other, _)| other == name);
                    assert!(above, "{}: `{module}` allows `{name}`, which is not above it", one.root);
                }
            }
        }
    }
}
