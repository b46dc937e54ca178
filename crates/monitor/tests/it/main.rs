//! Integration tests of `task-monitor`: one binary, because each test binary links the whole server again.
//! `cargo test -p task-monitor --test it schedules::` runs one module.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails loudly")]

mod agent_events;
mod codex_hook;
mod commands;
mod connections;
mod cuts;
mod files;
mod history;
mod hook;
mod many_agents;
mod mutants;
mod overrides;
mod schedules;
mod support;
mod up;
mod upgrade;
mod world;
