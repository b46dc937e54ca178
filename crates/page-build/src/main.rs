//! Program `page-build --source DIR --wasm FILE --out DIR [--fonts DIR]`: writes the page as a folder of static files
//! (`stage.rs`).

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context as _, Result, bail};
use page_build::stage::{PageSources, stage};

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("page-build: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let (mut source, mut wasm, mut out, mut fonts) = (None, None, None, None);
    let mut args = std::env::args_os().skip(1);
    while let Some(name) = args.next() {
        let value = PathBuf::from(args.next().with_context(|| format!("{} needs a value", name.display()))?);
        match name.to_str() {
            Some("--source") => source = Some(value),
            Some("--wasm") => wasm = Some(value),
            Some("--out") => out = Some(value),
            Some("--fonts") => fonts = Some(value),
            _ => bail!("unknown option {}", name.display()),
        }
    }
    let page = PageSources {
        source: &source.context("--source is missing")?,
        wasm: &wasm.context("--wasm is missing")?,
        fonts: fonts.as_deref(),
    };
    stage(&page, &out.context("--out is missing")?)
}
