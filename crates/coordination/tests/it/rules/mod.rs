//! Tests of the rules in `docs/contract/`, most of them with the smallest log that shows the rule.
//!
//! Proves (work): Each rule of the contract holds in the smallest log that shows it.

mod agent_page;
mod agents;
mod attention;
mod bursts;
mod changes;
mod delivery;
mod delivery_law;
mod drift;
mod events;
mod hooked;
mod log;
mod named;
mod pages;
mod params;
mod quality;
mod resting;
mod runs;
mod search;
mod sessions;
mod tasks;
mod taught;
mod teams;
mod thread_links;
