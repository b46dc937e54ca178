//! Small program with the controls of `make bench` and the workloads whose instructions `make test` counts. It judges
//! no time itself: `crates/xtask` starts it, times it, or runs it under callgrind.
#![allow(clippy::print_stdout, reason = "its answers go to the program that started it")]
#![allow(unreachable_pub, reason = "a binary: nothing is reachable from outside")]

#[path = "../../coordination/tests/it/bombs/patterns.rs"]
mod bombs;
mod broadcast;
mod counted;
mod input;
mod passes;

use std::path::PathBuf;
use std::process::ExitCode;

const USAGE: &str = "\
usage: gauge COMMAND

  counted              the counted work, one part after the other; names of the parts to stdout
  parse FILE...        parse every line, keep nothing; one line of JSON
  lines FILE...        only look for the ends of lines
  find FILE... -- TERM...   look for each term in all bytes
  broadcast CLIENTS FRAMES BYTES MICROSECONDS   frames to bare connections, so far apart
  bombs BYTES          texts that are built to be large, as JSON";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((command, rest)) = words.split_first() else {
        eprintln!("{USAGE}");
        return ExitCode::FAILURE;
    };
    let files = || rest.iter().take_while(|word| *word != "--").map(PathBuf::from).collect::<Vec<_>>();
    let terms = || rest.iter().skip_while(|word| *word != "--").skip(1).cloned().collect::<Vec<_>>();
    let outcome = match command.as_str() {
        "counted" => counted::run(),
        "parse" => passes::parse(&files()),
        "lines" => passes::lines(&files()),
        "bombs" => {
            rest.first().and_then(|bytes| bytes.parse().ok()).map(print_bombs).ok_or("bombs takes a size".to_owned())
        }
        "broadcast" => broadcast::run(rest),
        "find" => passes::find(&files(), &terms()),
        other => Err(format!("unknown command {other:?}\n\n{USAGE}")),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Prints name and text of each, as one JSON array.
fn print_bombs(bytes: usize) {
    let all =
        bombs::BOMBS.iter().map(|bomb| serde_json::json!({ "name": bomb.name, "text": bomb.text_of_size(bytes) }));
    println!("{}", serde_json::Value::Array(all.collect()));
}
