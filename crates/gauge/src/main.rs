//! Small program with the controls of `make bench` and the workloads whose instructions `make test-full` counts. It
//! judges no time itself: `bench` starts and times it, `devtools` runs it under callgrind.
//!
//! It is a crate of its own, apart from `bench`, because its example is also built for wasm, and so that nothing but
//! the core is linked beside the counted code.
#![allow(clippy::print_stdout, reason = "its answers go to the program that started it")]
#![allow(unreachable_pub, reason = "a binary: nothing is reachable from outside")]

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
  broadcast CLIENTS FRAMES BYTES MICROSECONDS   frames to bare connections, so far apart";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (command, rest) = words.split_first().map_or(("", &words[..]), |(command, rest)| (command.as_str(), rest));
    let (files, terms) = match rest.iter().position(|word| word == "--") {
        Some(at) => (&rest[..at], &rest[at + 1..]),
        None => (rest, &[][..]),
    };
    let files: Vec<PathBuf> = files.iter().map(PathBuf::from).collect();
    let outcome = match command {
        "counted" => counted::run(),
        "parse" => passes::parse(&files),
        "lines" => passes::lines(&files),
        "find" => passes::find(&files, terms),
        "broadcast" => broadcast::run(rest),
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
