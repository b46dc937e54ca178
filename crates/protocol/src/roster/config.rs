//! Reader of `openclaw.json` as one value: JSON5, with the files that it includes (`contract/workspace.md` §2).

use serde_json::{Map, Value};

/// Nesting of `$include` files.
const MAX_INCLUDE_DEPTH: usize = 10;
/// Limits on included files and their bytes: ten files that each include the next ten times make ten to the tenth.
const MAX_INCLUDES: usize = 100;
const MAX_INCLUDED_BYTES: usize = 8 * 1024 * 1024;
/// Nesting of brackets in one file; a real configuration has fewer than twenty.
const MAX_NESTING: usize = 128;

type Include<'a> = &'a mut dyn FnMut(&str) -> Result<String, String>;

pub(super) fn read(text: &str, include: Include<'_>) -> Result<Value, String> {
    let (mut files, mut bytes) = (0, 0);
    let mut counted = |path: &str| {
        files += 1;
        if files > MAX_INCLUDES {
            return Err(format!("`$include` asks for more than {MAX_INCLUDES} files"));
        }
        let text = include(path)?;
        bytes += text.len();
        if bytes > MAX_INCLUDED_BYTES {
            return Err(format!("`$include` asks for more than {} MiB", MAX_INCLUDED_BYTES / 1024 / 1024));
        }
        Ok(text)
    };
    let value = expand(parse(text, "")?, "", 0, &mut counted)?;
    if value.is_object() { Ok(value) } else { Err("the configuration is not an object".to_owned()) }
}

fn parse(text: &str, path: &str) -> Result<Value, String> {
    let place = if path.is_empty() { String::new() } else { format!("{path}: ") };
    let text = text.trim_start_matches('\u{feff}');
    if nesting(text) > MAX_NESTING {
        return Err(format!("{place}nested too deep"));
    }
    json5::from_str(text).map_err(|error| format!("{place}{error}"))
}

/// An upper bound of the nesting: brackets in texts and comments count too, so it errs to the safe side.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    for byte in text.bytes() {
        match byte {
            b'{' | b'[' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

fn expand(value: Value, base: &str, depth: usize, include: Include<'_>) -> Result<Value, String> {
    match value {
        Value::Object(mut object) => {
            let wanted = object.shift_remove("$include");
            let mut rest = Map::new();
            for (key, inner) in object {
                rest.insert(key, expand(inner, base, depth, include)?);
            }
            let Some(wanted) = wanted else { return Ok(Value::Object(rest)) };
            let mut merged = load_all(&wanted, base, depth, include)?;
            if !rest.is_empty() {
                if !merged.is_object() {
                    return Err("`$include` beside other keys must give an object".to_owned());
                }
                merge(&mut merged, Value::Object(rest));
            }
            Ok(merged)
        }
        Value::Array(items) => {
            let items: Result<Vec<_>, _> = items.into_iter().map(|item| expand(item, base, depth, include)).collect();
            items.map(Value::Array)
        }
        scalar => Ok(scalar),
    }
}

fn load_all(wanted: &Value, base: &str, depth: usize, include: Include<'_>) -> Result<Value, String> {
    let paths: Vec<&str> = match wanted {
        Value::String(path) => vec![path],
        Value::Array(paths) => paths.iter().filter_map(Value::as_str).collect(),
        _ => return Err("`$include` must be a path or an array of paths".to_owned()),
    };
    if depth >= MAX_INCLUDE_DEPTH {
        return Err(format!("`$include` nests more than {MAX_INCLUDE_DEPTH} files deep"));
    }
    let mut merged = Value::Object(Map::new());
    for path in paths {
        let path = join(base, path);
        let text = include(&path).map_err(|cause| format!("{path}: {cause}"))?;
        let folder = path.rfind('/').map_or("", |at| &path[..at]);
        merge(&mut merged, expand(parse(&text, &path)?, folder, depth + 1, include)?);
    }
    Ok(merged)
}

/// A path relative to the including file, seen from the configuration's folder. An absolute one stays as it is;
/// whether it is allowed is the caller's decision.
fn join(base: &str, path: &str) -> String {
    let path = path.strip_prefix("./").unwrap_or(path);
    if base.is_empty() || path.starts_with('/') { path.to_owned() } else { format!("{base}/{path}") }
}

/// Deep merge as the gateway does it: objects key by key, arrays one after the other, else the later value.
fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (key, value) in from {
                match into.get_mut(&key) {
                    Some(present) => merge(present, value),
                    None => {
                        into.insert(key, value);
                    }
                }
            }
        }
        (Value::Array(into), Value::Array(from)) => into.extend(from),
        (into, from) => *into = from,
    }
}
