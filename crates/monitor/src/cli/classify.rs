//! Command `task-monitor classify`: reads records of messages as NDJSON and adds the classifier's decision to each.

use std::io::{self, BufRead, BufWriter, Write};
use std::path::PathBuf;

use clap::Args;
use coordination::classify::{self, Classifier};
use serde_json::Value;

use super::enrich::{self, ClassifierVersion};

/// Flags of `classify`.
#[derive(Debug, Clone, Args)]
pub(super) struct ClassifyArgs {
    /// Which classifier decides.
    #[arg(long, value_enum, default_value_t = ClassifierVersion::V2)]
    classifier: ClassifierVersion,
    /// Records `{label?, messages: [{type, from, to, text}]}`, one a line [default: standard input].
    file: Option<PathBuf>,
}

pub(super) fn run(args: &ClassifyArgs) -> anyhow::Result<()> {
    let input = enrich::input(args.file.as_deref())?;
    let out = &mut BufWriter::new(io::stdout().lock());
    classify(input, args.classifier.into(), out, &mut io::stderr().lock())
}

/// One output line a record, every key unchanged and `result` added; a bad line is reported with its number.
fn classify(
    input: impl BufRead,
    classifier: Classifier,
    out: &mut impl Write,
    trouble: &mut impl Write,
) -> anyhow::Result<()> {
    for (number, line) in (1_u64..).zip(input.lines()) {
        let line = line?;
        if line.trim().is_empty() {
            continue;
        }
        match serde_json::from_str::<Value>(&line) {
            Ok(Value::Object(mut record)) => {
                record.insert("result".to_owned(), decided(&record, classifier)?);
                serde_json::to_writer(&mut *out, &record)?;
                out.write_all(b"\n")?;
            }
            Ok(_) => writeln!(trouble, "line {number}: notObject")?,
            Err(error) => writeln!(trouble, "line {number}: notJson: {error}")?,
        }
    }
    Ok(out.flush()?)
}

fn decided(record: &serde_json::Map<String, Value>, classifier: Classifier) -> serde_json::Result<Value> {
    let messages = record.get("messages").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
    let text = |message: &'_ Value, key: &str| message.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let messages: Vec<_> = messages.iter().map(|message| (text(message, "type"), text(message, "text"))).collect();
    let messages: Vec<_> = messages.iter().map(|(kind, text)| (kind.as_str(), text.as_str())).collect();
    let label = record.get("label").and_then(Value::as_str);
    serde_json::to_value(classify::classify_messages(classifier, label, &messages))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn over(text: &str) -> (Vec<Value>, String) {
        let (mut out, mut trouble) = (Vec::new(), Vec::new());
        classify(text.as_bytes(), Classifier::V2, &mut out, &mut trouble).expect("classify");
        let lines = String::from_utf8(out).expect("utf-8");
        let values = lines.lines().map(|line| serde_json::from_str(line).expect("json")).collect();
        (values, String::from_utf8(trouble).expect("utf-8"))
    }

    #[test]
    fn records_keep_their_keys_and_get_result() {
        let record = r#"{"id":"x1","label":null,"messages":[{"type":"a2a.send","from":"a","to":"b","text":"결제 서버가 죽었어요. 재시작하고 롤백해 주세요."}]}"#;
        let (values, trouble) = over(&format!("{record}\nnonsense\n{{}}\n"));
        assert_eq!(values.len(), 2);
        assert_eq!(values[0]["id"], "x1");
        let result = &values[0]["result"];
        assert_eq!((&result["category"], &result["source"]), (&"infra_ops".into(), &"rule".into()));
        assert!(result["confidence"].as_f64().is_some_and(|confidence| confidence > 0.3), "{result}");
        assert!(result["matches"].as_array().is_some_and(|words| !words.is_empty()), "{result}");
        assert!(result["runnerUp"].is_array() && result["subTags"].is_array(), "{result}");
        assert_eq!(values[1]["result"]["source"], "fallback");
        assert!(trouble.starts_with("line 2: notJson"), "{trouble}");
    }
}
