//! Shortening of import names in the wasm and its JavaScript glue. wasm-bindgen names each import after its function
//! and a hash of 16 digits, in both files. Hashes do not compress, so short names make the download smaller.
//!
//! `wasm-opt --minify-imports` is not used: it renames either only imports of WASI and `env`, or also exports, which
//! the lazily loaded parts of the wasm need under their names.

use anyhow::{Context, Result};
use wasm_encoder::reencode::{Reencode as _, RoundtripReencoder};
use wasm_encoder::{ImportSection, Module, RawSection};
use wasmparser::{Parser, Payload};

/// The wasm and the script with the imports from modules that end in `_bg.js` named by their order.
pub fn shorten(wasm: &[u8], script: &str) -> Result<(Vec<u8>, String)> {
    let mut out = Module::new();
    let mut script = script.to_owned();
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::ImportSection(imports) => {
                let mut section = ImportSection::new();
                let mut glue = None;
                for (index, import) in imports.into_imports().enumerate() {
                    let import = import?;
                    let kind = RoundtripReencoder.entity_type(import.ty)?;
                    if import.module.ends_with("_bg.js") {
                        let short = short(index);
                        script = replace_word(&script, import.name, &short)
                            .with_context(|| format!("the script gives no `{}`", import.name))?;
                        glue = Some(import.module);
                        section.import("w", &short, kind);
                    } else {
                        section.import(import.module, import.name, kind);
                    }
                }
                if let Some(glue) = glue {
                    script = script.replace(&format!("\"{glue}\""), "\"w\"");
                }
                out.section(&section);
            }
            other => {
                if let Some((id, range)) = other.as_section() {
                    out.section(&RawSection { id, data: section(wasm, range)? });
                }
            }
        }
    }
    Ok((out.finish(), script))
}

/// The data sections of a program and of the chunks packed in it, which hold its texts. Code is left out, because it may
/// read like anything.
pub fn data(wasm: &[u8]) -> Result<Vec<u8>> {
    let mut data = Vec::new();
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::DataSection(found) => data.extend_from_slice(section(wasm, found.range())?),
            Payload::CustomSection(packed) if packed.name().starts_with("chunk_") => {
                data.append(&mut self::data(packed.data())?);
            }
            _ => {}
        }
    }
    Ok(data)
}

/// The bytes of a section.
pub fn section(wasm: &[u8], range: std::ops::Range<usize>) -> Result<&[u8]> {
    wasm.get(range).context("a section is cut off")
}

/// `text` with every whole word `name` replaced; `None` when there is none.
fn replace_word(text: &str, name: &str, by: &str) -> Option<String> {
    let inside = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$');
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut found = false;
    while let Some(at) = rest.find(name) {
        let (before, after) = (&rest[..at], &rest[at + name.len()..]);
        out.push_str(before);
        let whole = !before.ends_with(inside) && !after.starts_with(inside);
        out.push_str(if whole { by } else { name });
        found |= whole;
        rest = after;
    }
    out.push_str(rest);
    found.then_some(out)
}

/// `a` to `z`, then two letters, and so on.
fn short(index: usize) -> String {
    let letter = char::from(b"abcdefghijklmnopqrstuvwxyz"[index % 26]);
    if index < 26 { letter.to_string() } else { format!("{}{letter}", short(index / 26 - 1)) }
}

#[cfg(test)]
mod tests {
    use wasm_encoder::{
        CodeSection, DataCountSection, DataSection, EntityType, Function, FunctionSection, ImportSection, MemoryType,
        Module, TypeSection,
    };

    use super::super::chunk_pack::pack;
    use super::{short, shorten};

    /// A module with these imports of functions, a memory from elsewhere, and a section behind them.
    fn module(names: &[(&str, &str)]) -> Vec<u8> {
        let mut imports = ImportSection::new();
        for (module, name) in names {
            imports.import(module, name, EntityType::Function(0));
        }
        let memory =
            MemoryType { minimum: 3, maximum: Some(128), memory64: false, shared: false, page_size_log2: None };
        imports.import("./other.js", "memory", EntityType::Memory(memory));
        let mut types = TypeSection::new();
        types.ty().function([], []);
        let mut module = Module::new();
        module.section(&types).section(&imports).section(&DataCountSection { count: 0 });
        module.finish()
    }

    #[test]
    fn both_sides_take_short_names_only() {
        let wasm = module(&[("./x_bg.js", "__wbg_new_0123"), ("./x_bg.js", "__wbg_new"), ("./parts.js", "__wbg_new")]);
        let script = "{ __wbg_new_0123: 1, __wbg_new: 2, my__wbg_new: 3 } \"./x_bg.js\": import0";
        let (wasm, script) = shorten(&wasm, script).expect("readable");
        assert_eq!(wasm, module(&[("w", "a"), ("w", "b"), ("./parts.js", "__wbg_new")]));
        assert_eq!(script, "{ a: 1, b: 2, my__wbg_new: 3 } \"w\": import0");
    }

    #[test]
    fn data_is_read_from_its_section() {
        let mut types = TypeSection::new();
        types.ty().function([], []);
        let mut functions = FunctionSection::new();
        functions.function(0);
        let mut code = CodeSection::new();
        code.function(Function::new([]).raw(*b"<code>"));
        let mut texts = DataSection::new();
        texts.passive(*b"<hi>");
        let mut module = Module::new();
        let without = module.section(&types).section(&functions).section(&code).clone().finish();
        let wasm = module.section(&texts).clone().finish();
        assert!(super::data(&wasm).expect("data").ends_with(b"<hi>"));
        let packed = pack(&[("chunk_1".to_owned(), wasm.clone()), ("chunk_2".to_owned(), without.clone())]);
        assert_eq!(super::data(&packed).expect("data"), super::data(&wasm).expect("data"));
        assert_eq!(super::data(&without).expect("no data"), b"");
        assert!(super::data(&wasm[..wasm.len() - 2]).is_err());
    }

    #[test]
    fn script_not_matching_wasm_is_refused() {
        assert!(shorten(&module(&[("./x_bg.js", "gone")]), "{}").is_err());
        assert!(shorten(b"\0asm\x01\0\0\0\x02\x7f", "").is_err());
    }

    #[test]
    fn names_grow_when_letters_are_used_up() {
        assert_eq!([short(0), short(25), short(26), short(701), short(702)], ["a", "z", "aa", "zz", "aaa"]);
    }
}
