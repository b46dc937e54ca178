//! The `task-monitor` program: reads the command line, runs it, turns the outcome into an exit code.

use std::process::ExitCode;

fn main() -> ExitCode {
    task_monitor::cli::run(std::env::args_os())
}
