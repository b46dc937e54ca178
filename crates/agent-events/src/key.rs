//! Content-derived identifiers (`contract/event-schema-v1_1.md` §A.4): SHA-256 over canonical JSON.

use serde_json::Value;

use protocol::digest::digest_hex;

/// Letters of an id that a digest gives.
const ID_LETTERS: usize = 26;

/// JSON with sorted keys and no spaces, UTF-8: the same value always gives the same text.
#[must_use]
pub fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Array(items) => {
            out.push('[');
            for (number, item) in items.iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        Value::Object(fields) => {
            let mut names: Vec<&String> = fields.keys().collect();
            names.sort_unstable();
            out.push('{');
            for (number, name) in names.into_iter().enumerate() {
                if number > 0 {
                    out.push(',');
                }
                write(&Value::String(name.clone()), out);
                out.push(':');
                write(&fields[name], out);
            }
            out.push('}');
        }
        // Neither of these has parts whose order is free.
        single => out.push_str(&single.to_string()),
    }
}

/// `evt_` and 26 letters of what makes an input itself.
#[must_use]
pub fn event_id(of: &Value) -> String {
    format!("evt_{}", digest_hex(&canonical(of), ID_LETTERS))
}
