//! Shortener of import names between the wasm and its JavaScript glue. wasm-bindgen names each import after the
//! function and a hash of 16 digits, in both files. Brotli cannot compress a hash.

use anyhow::{Context, Result, bail};

const IMPORT_SECTION: u8 = 2;
const DATA_SECTION: u8 = 11;
/// Magic number and version.
const HEADER_BYTES: usize = 8;

/// The wasm and the script with the imports from modules that end in `_bg.js` named by their order.
pub fn shorten(wasm: &[u8], script: &str) -> Result<(Vec<u8>, String)> {
    let mut out = wasm.get(..HEADER_BYTES).context("no wasm")?.to_vec();
    let mut script = script.to_owned();
    let mut at = HEADER_BYTES;
    while at < wasm.len() {
        let (id, mut body) = (wasm[at], at + 1);
        let size = number(wasm, &mut body)?;
        let end = body + size;
        let section = wasm.get(body..end).context("a section is cut off")?;
        if id == IMPORT_SECTION {
            let section = renamed(section, &mut script)?;
            out.push(id);
            put(&mut out, section.len());
            out.extend(section);
        } else {
            out.extend(&wasm[at..end]);
        }
        at = end;
    }
    Ok((out, script))
}

/// What a program holds as data, its texts among it: code may read like anything.
pub fn data(wasm: &[u8]) -> Result<&[u8]> {
    let mut at = HEADER_BYTES;
    while at < wasm.len() {
        let (id, mut body) = (wasm[at], at + 1);
        let size = number(wasm, &mut body)?;
        let section = wasm.get(body..body + size).context("a section is cut off")?;
        if id == DATA_SECTION {
            return Ok(section);
        }
        at = body + size;
    }
    Ok(&[])
}

fn renamed(section: &[u8], script: &mut String) -> Result<Vec<u8>> {
    let mut at = 0;
    let count = number(section, &mut at)?;
    let mut out = Vec::new();
    put(&mut out, count);
    let mut glue = None;
    for index in 0..count {
        let (module, name) = (text(section, &mut at)?, text(section, &mut at)?);
        let start = at;
        skip_type(section, &mut at)?;
        if module.ends_with("_bg.js") {
            let short = short(index);
            *script = replace_word(script, &name, &short).with_context(|| format!("the script gives no `{name}`"))?;
            glue = Some(module);
            put_text(&mut out, "w");
            put_text(&mut out, &short);
        } else {
            put_text(&mut out, &module);
            put_text(&mut out, &name);
        }
        out.extend(&section[start..at]);
    }
    if let Some(glue) = glue {
        *script = script.replace(&format!("\"{glue}\""), "\"w\"");
    }
    Ok(out)
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

/// Steps over what is imported: a function's type, a table, a memory or a global.
fn skip_type(bytes: &[u8], at: &mut usize) -> Result<()> {
    let kind = byte(bytes, at)?;
    if kind == 1 || kind == 3 {
        byte(bytes, at)?;
    }
    match kind {
        0 => drop(number(bytes, at)?),
        1 | 2 => {
            let limits = byte(bytes, at)?;
            number(bytes, at)?;
            if limits & 1 == 1 {
                number(bytes, at)?;
            }
        }
        3 => drop(byte(bytes, at)?),
        kind => bail!("an import of the unknown kind {kind}"),
    }
    Ok(())
}

fn byte(bytes: &[u8], at: &mut usize) -> Result<u8> {
    let byte = *bytes.get(*at).context("the wasm is cut off")?;
    *at += 1;
    Ok(byte)
}

/// An unsigned LEB128 number.
fn number(bytes: &[u8], at: &mut usize) -> Result<usize> {
    let (mut value, mut shift) = (0, 0);
    loop {
        let next = byte(bytes, at)?;
        value |= usize::from(next & 0x7f) << shift;
        shift += 7;
        if next < 0x80 {
            return Ok(value);
        }
        if shift > 28 {
            bail!("a number of the wasm is too long");
        }
    }
}

fn text(bytes: &[u8], at: &mut usize) -> Result<String> {
    let size = number(bytes, at)?;
    let text = bytes.get(*at..*at + size).context("a name is cut off")?;
    *at += size;
    Ok(std::str::from_utf8(text)?.to_owned())
}

fn put(out: &mut Vec<u8>, mut value: usize) {
    while value >= 0x80 {
        out.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put(out, text.len());
    out.extend(text.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::{HEADER_BYTES, put, put_text, short, shorten};

    fn module(names: &[(&str, &str)]) -> Vec<u8> {
        let mut section = Vec::new();
        put(&mut section, names.len() + 1);
        for (module, name) in names {
            put_text(&mut section, module);
            put_text(&mut section, name);
            section.extend([0, 5]);
        }
        put_text(&mut section, "./other.js");
        put_text(&mut section, "memory");
        section.extend([2, 1, 3, 0x80, 1]);
        let mut wasm = b"\0asm\x01\0\0\0".to_vec();
        assert_eq!(wasm.len(), HEADER_BYTES);
        wasm.extend([1, 2, 0, 0, 2]);
        put(&mut wasm, section.len());
        wasm.extend(section);
        wasm.extend([10, 1, 0]);
        wasm
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
        let wasm = [&b"\0asm\x01\0\0\0"[..], &[10, 3, b'<', b'j', b'>'], &[11, 2, b'h', b'i']].concat();
        assert_eq!(super::data(&wasm).expect("data"), b"hi");
        assert_eq!(super::data(&wasm[..13]).expect("no data"), b"");
        assert!(super::data(&wasm[..15]).is_err());
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
