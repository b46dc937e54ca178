//! Removal of unused exports from the page's wasm and script: the stream classes of `wasm-streams`, a dependency of
//! `server_fn`. If they stayed, the browser would download them and the code that they use at the first load.

use anyhow::{Result, bail};
use wasm_encoder::reencode::{Reencode as _, RoundtripReencoder};
use wasm_encoder::{ExportSection, Module, RawSection};
use wasmparser::{Parser, Payload};

use super::imports::section;

/// How the classes begin in the script.
const CLASSES: &str = "IntoUnderlying";

/// The wasm and the script of wasm-bindgen without the classes. What only they used is still in the wasm: wasm-opt
/// removes it.
pub fn removed(wasm: &[u8], script: &str) -> Result<(Vec<u8>, String)> {
    let mut out = Module::new();
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::ExportSection(exports) => {
                let mut remaining = ExportSection::new();
                for export in exports {
                    let export = export?;
                    if !is_unused(export.name) {
                        remaining.export(
                            export.name,
                            RoundtripReencoder.export_kind(export.kind)?,
                            RoundtripReencoder.external_index(export.kind, export.index)?,
                        );
                    }
                }
                out.section(&remaining);
            }
            other => {
                if let Some((id, range)) = other.as_section() {
                    out.section(&RawSection { id, data: section(wasm, range)? });
                }
            }
        }
    }
    Ok((out.finish(), without_classes(script)?))
}

fn is_unused(export: &str) -> bool {
    let prefix = CLASSES.to_ascii_lowercase();
    export.strip_prefix("__wbg_").unwrap_or(export).starts_with(&prefix)
}

/// Leaves out each class, which ends with its `Symbol.dispose`, and its registry for finalization.
fn without_classes(script: &str) -> Result<String> {
    let mut out = String::with_capacity(script.len());
    let mut lines = script.lines();
    while let Some(line) = lines.next() {
        let end = if line.starts_with(&format!("export class {CLASSES}")) {
            "if (Symbol.dispose)"
        } else if line.starts_with(&format!("const {CLASSES}")) {
            "    : new FinalizationRegistry"
        } else {
            out.push_str(line);
            out.push('\n');
            continue;
        };
        if !lines.any(|line| line.starts_with(end)) {
            bail!("a stream class has no `{end}`: wasm-bindgen writes classes differently");
        }
    }
    if out.contains(CLASSES) {
        bail!("the script still names a stream class: wasm-bindgen writes classes differently");
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{CodeSection, ExportKind, ExportSection, Function, FunctionSection, Module, TypeSection};

    use super::removed;

    const SCRIPT: &str = "const a = 1;\nexport class IntoUnderlyingSink {\n    free() {}\n}\n\
        if (Symbol.dispose) IntoUnderlyingSink.prototype[Symbol.dispose] = IntoUnderlyingSink.prototype.free;\n\
        const IntoUnderlyingSinkFinalization = (typeof FinalizationRegistry === 'undefined')\n    ? {}\n    \
        : new FinalizationRegistry(ptr => wasm.__wbg_intounderlyingsink_free(ptr, 1));\nconst b = 2;\n";

    fn module(names: &[&str]) -> Vec<u8> {
        let mut types = TypeSection::new();
        types.ty().function([], []);
        let mut functions = FunctionSection::new();
        functions.function(0);
        let mut exports = ExportSection::new();
        for name in names {
            exports.export(name, ExportKind::Func, 0);
        }
        let mut code = CodeSection::new();
        code.function(Function::new([]).raw(*b"\x0b"));
        Module::new().section(&types).section(&functions).section(&exports).section(&code).clone().finish()
    }

    #[test]
    fn stream_classes_are_removed_on_both_sides() {
        let wasm = module(&["main", "intounderlyingsink_close", "__wbg_intounderlyingsink_free"]);
        let (wasm, script) = removed(&wasm, SCRIPT).expect("known form");
        assert_eq!(wasm, module(&["main"]));
        assert_eq!(script, "const a = 1;\nconst b = 2;\n");
        assert_eq!(removed(&wasm, &script).expect("nothing left"), (wasm, script));
    }

    #[test]
    fn class_of_other_form_is_refused() {
        assert!(removed(&module(&[]), "class IntoUnderlyingSink {}").is_err());
        assert!(removed(&module(&[]), "export class IntoUnderlyingSink {").is_err());
    }
}
