//! Builder of the static bundle in `dist/`. It runs Trunk's release build, splits the wasm into parts, merges the style
//! sheets and adds fonts. It then names files by final content, adds integrity hashes and a content security policy to
//! the page, makes the page around evidence files, and compresses the files.

mod chunk_pack;
mod compress;
mod flags;
mod fonts;
mod imports;
mod integrity;
mod names;
mod order;
mod policy;
mod scripted_sheets;
mod split;
mod stamp;
mod styles;
mod unused;

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result, bail};
use coordination::evidence::PAGE_FILE;
use evidence_page::PagePacking;

pub use self::compress::brotli;
use self::scripted_sheets::ScriptedSheets;
use crate::{clock, setup, shell, tree};

/// `make bundle`.
pub fn run() -> Result<()> {
    let tools = setup::for_bundle()?;
    build(&tools)?;
    shell::say(
        "the bundle is in dist/: serve it with task-monitor, or copy it to any static host (docs/guide/nextjs.md)",
    );
    Ok(())
}

/// Where the finished bundle lies.
pub fn dist() -> PathBuf {
    tree::root().join("dist")
}

/// Builds and finishes the bundle, unless `dist/` is already what would come out. It is staged beside `dist/` and
/// swapped in whole, so a running server never sees half of one.
pub fn build(tools: &setup::BundleTools) -> Result<()> {
    let start = Instant::now();
    let inputs = stamp::inputs(tools)?;
    if stamp::holds(&inputs, &dist()) {
        shell::say("the dashboard is built already: nothing it is made of has changed");
        return Ok(());
    }
    shell::say("fetching crates");
    shell::run(shell::cargo().args(["fetch", "--locked"]))?;
    shell::say("building the dashboard (wasm, release; 2 to 4 minutes from scratch, one when little changed)");
    let staged = tree::target()?.join("bundle");
    if staged.exists() {
        std::fs::remove_dir_all(&staged).with_context(|| format!("cannot clear {}", staged.display()))?;
    }
    let mut trunk = tools.command("trunk")?;
    trunk.args(["build", "--release", "--offline", "--features", "split", "--dist"]).arg(&staged);
    // An absolute target folder: Trunk resolves a relative one against its own idea of the workspace.
    trunk.env("CARGO_TARGET_DIR", tree::target()?).env("TRUNK_SKIP_VERSION_CHECK", "true");
    trunk.env("NO_COLOR", "true");
    trunk.env("CARGO_ENCODED_RUSTFLAGS", flags::encoded()?);
    shell::run(&mut trunk)?;
    if !staged.join("index.html").is_file() {
        bail!("Trunk left no index.html in {}", staged.display());
    }
    let sheets = ScriptedSheets { pages: styles::join(tools, &staged)?, fonts: fonts::add(&staged)? };
    split::parts(tools, &staged, "wasm-release", &sheets)?;
    finish(&staged)?;
    swap_in(&staged, &dist())?;
    stamp::set(&inputs, &dist())?;
    shell::say(&format!("bundle built in {}", clock::words(start.elapsed())));
    Ok(())
}

fn finish(staged: &Path) -> Result<()> {
    names::by_content(staged)?;
    integrity::in_page(staged)?;
    policy::in_page(staged)?;
    flags::is_silent(staged)?;
    let page = evidence_page::page(&|name| std::fs::read(staged.join(name)), PagePacking::Lzma)?;
    std::fs::write(staged.join(PAGE_FILE), page.without_text())?;
    let (count, saved) = compress::siblings(staged)?;
    shell::say(&format!("{count} files compressed ahead (brotli, zstd, gzip), {} KB smaller in brotli", saved / 1000));
    Ok(())
}

fn swap_in(staged: &Path, dist: &Path) -> Result<()> {
    let old = dist.with_extension("old");
    if old.exists() {
        std::fs::remove_dir_all(&old)?;
    }
    // The target folder may lie on another disk, so the bundle is copied next to its place first.
    let new = dist.with_extension("new");
    if new.exists() {
        std::fs::remove_dir_all(&new)?;
    }
    copy_dir(staged, &new)?;
    if dist.exists() {
        std::fs::rename(dist, &old).context("cannot move the old dist/ away")?;
    }
    std::fs::rename(&new, dist).context("cannot move the new dist/ in")?;
    if old.exists() {
        std::fs::remove_dir_all(&old)?;
    }
    Ok(())
}

/// Copies a folder with everything in it.
pub fn copy_dir(from: &Path, to: &Path) -> Result<()> {
    std::fs::create_dir_all(to).with_context(|| format!("cannot create {}", to.display()))?;
    for file in tree::files_below(from, &[])? {
        let place = to.join(file.strip_prefix(from)?);
        if let Some(parent) = place.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::copy(&file, &place).with_context(|| format!("cannot copy {}", file.display()))?;
    }
    Ok(())
}
