//! Entry point of the `task-monitor` program. It parses the command line, runs the command and returns its exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    task_monitor::cli::run(std::env::args_os())
}
