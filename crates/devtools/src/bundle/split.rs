//! Splitter of the page's wasm into a main file and parts that are loaded when needed: code for single pages and for
//! old monitors. `src/lazy_chunks.rs` defines the split points.
//!
//! Trunk has no step for this, and splitting must come before wasm-bindgen. This module therefore processes cargo's
//! output again: it splits the wasm, runs wasm-bindgen, shrinks the files, and writes one JavaScript file in place of
//! Trunk's.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use page_build::bind::{BindOptions, BindTarget, bind};

use super::scripted_sheets::ScriptedSheets;
use super::{chunk_pack, imports, integrity, order, unused};
use crate::{shell, tree};
use xtask::setup::BundleTools;

const NAME: &str = "task-hub";
/// Placeholder in a file's name until `names::by_content` puts the content's hash there.
const NO_HASH: &str = "0000000000000000";
const LINK_SCRIPT: &str = "./parts.js";
/// File of the bundle that says who loads each part: an evidence page leaves out what it does not load.
const PARTS_INDEX: &str = "parts.json";
/// Of LLVM's output for this target; everything the supported browsers have.
const FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

/// For each file of a part, the chunk names of `lazy_chunk!` that load it.
type PartUsers = BTreeMap<String, BTreeSet<String>>;

/// Puts the split program in place of Trunk's; `profile` is the folder cargo built into.
pub fn parts(tools: &BundleTools, staged: &Path, profile: &str, sheets: &ScriptedSheets) -> Result<()> {
    let target = tree::target()?;
    let work = target.join("parts");
    if work.exists() {
        std::fs::remove_dir_all(&work)?;
    }
    std::fs::create_dir_all(&work)?;
    let linked = target.join("wasm32-unknown-unknown").join(profile).join(format!("{NAME}.wasm"));
    shell::say("splitting the wasm into the first load and parts");
    let SplitFiles { files: cut, users } = cut(&linked, &work)?;

    let script = only(staged, ".js")?;
    let main = only(staged, "_bg.wasm")?;
    let stem = script.file_stem().and_then(|stem| stem.to_str()).context("a script without a name")?.to_owned();
    let bound = work.join("bound");
    let options = BindOptions { demangle: false, keep_lld_exports: true, ..BindOptions::default() };
    bind(&work.join(format!("{NAME}.wasm")), &bound, &stem, BindTarget::Web, options)?;

    let (unshrunk, glue) = (bound.join(format!("{stem}_bg.wasm")), bound.join(format!("{stem}.js")));
    let (wasm, text) = unused::removed(&std::fs::read(&unshrunk)?, &std::fs::read_to_string(&glue)?)?;
    std::fs::write(&unshrunk, wasm)?;
    std::fs::write(&glue, text)?;
    shrink(tools, &unshrunk, &main)?;
    let link_script = work.join(LINK_SCRIPT);
    let mut link = std::fs::read_to_string(&link_script)?.replace(&format!("./{NAME}.js"), &format!("./{stem}.js"));
    // A part that cannot be loaded is reported on the page that needs it; a failed prefetch is no error at all.
    link = link.replace("console.error(", "console.debug(");
    let mut packed = Vec::new();
    let mut index = PartUsers::default();
    for part in cut {
        let old = part.file_name().and_then(|name| name.to_str()).context("a part without a name")?.to_owned();
        let new = part_name(&old);
        let file = staged.join(&new);
        shrink(tools, &part, &file)?;
        let bytes = std::fs::read(&file)?;
        match old.strip_suffix(".wasm").filter(|stem| stem.starts_with("chunk_")) {
            Some(chunk) if bytes.len() < chunk_pack::MAX_PACKED_CHUNK_BYTES => {
                std::fs::remove_file(file)?;
                packed.push((chunk.to_owned(), bytes));
            }
            _ => {
                link = fetched(&link, &old, &new, &integrity::integrity_value(&bytes))?;
                index.insert(new, users_of(&users, &old));
            }
        }
    }
    if !packed.is_empty() {
        let (name, bytes) = (part_name("chunk_s.wasm"), chunk_pack::pack(&packed));
        link = chunk_pack::read_by(&link, &packed, &checked_fetch(&name, &integrity::integrity_value(&bytes)))?;
        let users = packed.iter().flat_map(|(chunk, _)| users_of(&users, chunk)).collect();
        index.insert(name.clone(), users);
        std::fs::write(staged.join(name), bytes)?;
    }
    std::fs::write(staged.join(PARTS_INDEX), serde_json::to_string(&index)?)?;
    std::fs::write(bound.join(LINK_SCRIPT), sheets.added_by(&link)?)?;
    let (wasm, text) = imports::shorten(&std::fs::read(&main)?, &std::fs::read_to_string(&glue)?)?;
    std::fs::write(&main, wasm)?;
    std::fs::write(&glue, text)?;
    // One file: the two scripts name each other, so no hash of their content could be in their names.
    let mut join = tools.command("esbuild")?;
    join.arg(&glue).args(["--bundle", "--minify", "--format=esm", "--log-level=error"]);
    shell::run(join.arg("--allow-overwrite").arg(format!("--outfile={}", script.display())))
}

/// What the splitter wrote.
struct SplitFiles {
    files: Vec<PathBuf>,
    /// For each chunk name of `lazy_chunk!`, the stems of the files that it loads.
    users: HashMap<String, Vec<String>>,
}

/// Chunk names of `lazy_chunk!` that load a file.
fn users_of(users: &HashMap<String, Vec<String>>, file: &str) -> BTreeSet<String> {
    let stem = file.trim_end_matches(".wasm");
    let loads = |files: &[String]| files.iter().any(|known| known == stem);
    users.iter().filter(|(_, files)| loads(files)).map(|(name, _)| name.clone()).collect()
}

/// Cuts. What is left lies beside the parts under the program's name.
fn cut(linked: &Path, work: &Path) -> Result<SplitFiles> {
    let wasm = std::fs::read(linked).with_context(|| format!("cargo left no {}", linked.display()))?;
    let rest = work.join(format!("{NAME}.wasm"));
    let script = format!("./{NAME}.js");
    let mut options = wasm_split_cli_support::Options::new(&wasm);
    options.output_dir = work;
    options.main_out_path = &rest;
    options.main_module = &script;
    options.link_name = LINK_SCRIPT;
    let split =
        wasm_split_cli_support::transform(options).map_err(|error| anyhow!("cannot split the wasm: {error:#}"))?;
    let users = split.prefetch_map;
    let mut files: Vec<PathBuf> = split.split_modules.into_iter().filter(|file| file.is_file()).collect();
    files.sort();
    if files.is_empty() {
        bail!("the wasm was not split: does cargo build it with the feature `split`?");
    }
    Ok(SplitFiles { files, users })
}

/// How a part is fetched. One that is never answered must not hold one of the browser's few connections for ever: when
/// a network dies without a word while parts are fetched ahead, no question of the page would find a free one. What was
/// given up is asked for again when it is needed. And what comes must be what was built.
fn fetched(link: &str, old: &str, new: &str, integrity: &str) -> Result<String> {
    let plain = plain_fetch(old);
    if !link.contains(&plain) {
        bail!("the script that fetches the parts is written differently: {old} would have no time limit and no check");
    }
    Ok(link.replace(&plain, &checked_fetch(new, integrity)))
}

/// How the link script fetches a file.
pub fn plain_fetch(name: &str) -> String {
    format!("fetch(new URL(\"./{name}\", import.meta.url))")
}

fn checked_fetch(name: &str, integrity: &str) -> String {
    let limits = format!("{{ signal: AbortSignal.timeout(30000), integrity: \"{integrity}\" }}");
    format!("fetch(new URL(\"./{name}\", import.meta.url), {limits})")
}

/// `split_talk.wasm` is a part's own code, `chunk_3.wasm` what several parts share.
fn part_name(name: &str) -> String {
    let stem = name.trim_end_matches(".wasm").trim_start_matches("split_").replace("chunk_", "shared");
    format!("part-{stem}-{NO_HASH}.wasm")
}

fn shrink(tools: &BundleTools, from: &Path, to: &Path) -> Result<()> {
    let mut command = tools.command("wasm-opt")?;
    command.args(["-Oz", "--strip-debug", "--strip-producers"]).args(FEATURES).arg(from).arg("-o").arg(to);
    // It warns of name sections it does not know, part by part.
    shell::run_quietly(&mut command)?;
    std::fs::write(to, order::functions_alike(&std::fs::read(to)?)?)
        .with_context(|| format!("cannot write {}", to.display()))
}

/// The program's one file at the top of the bundle with this ending.
fn only(staged: &Path, ending: &str) -> Result<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(staged)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str());
        if name.is_some_and(|name| name.starts_with(NAME) && name.ends_with(ending)) {
            found.push(path);
        }
    }
    match (found.pop(), found.pop()) {
        (Some(file), None) => Ok(file),
        (None, _) => bail!("Trunk left no file that ends in {ending}"),
        (Some(_), Some(_)) => bail!("Trunk left several files that end in {ending}"),
    }
}

#[cfg(test)]
mod tests {
    use super::{fetched, part_name, users_of};

    #[test]
    fn parts_are_fetched_with_timeout_and_integrity() {
        let link = "const src = fetch(new URL(\"./a.wasm\", import.meta.url));\nsrc.catch(() => {});";
        let limited = fetched(link, "a.wasm", "b.wasm", "sha384-x").expect("fetched");
        let wanted = "fetch(new URL(\"./b.wasm\", import.meta.url), { signal: AbortSignal.timeout(30000), integrity: \"sha384-x\" });";
        assert!(limited.contains(wanted), "{limited}");
        assert!(fetched("fetch(other)", "a.wasm", "b.wasm", "sha384-x").is_err());
    }

    #[test]
    fn part_is_listed_with_its_users() {
        let loads = |files: &[&str]| files.iter().map(|file| (*file).to_owned()).collect();
        let users = [("talk".to_owned(), loads(&["chunk_1", "split_talk"])), ("work".to_owned(), loads(&["chunk_1"]))];
        let users = users.into_iter().collect();
        assert_eq!(users_of(&users, "chunk_1.wasm").into_iter().collect::<Vec<_>>(), ["talk", "work"]);
        assert_eq!(users_of(&users, "split_talk.wasm").into_iter().collect::<Vec<_>>(), ["talk"]);
        assert!(users_of(&users, "chunk_11").is_empty());
    }

    #[test]
    fn part_names_show_content_and_await_hash() {
        assert_eq!(part_name("split_talk.wasm"), "part-talk-0000000000000000.wasm");
        assert_eq!(part_name("chunk_3.wasm"), "part-shared3-0000000000000000.wasm");
    }
}
