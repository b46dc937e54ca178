//! Tests of the hub and its queries by the rules of `docs/contract/`, with one module per topic, such as sessions or
//! tasks. Most tests use the smallest log that shows a rule.
//!
//! Proves (work): The rules of the contract hold, most of them in the smallest log that shows the rule.

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
mod person_requests;
mod quality;
mod resting;
mod runs;
mod search;
mod sessions;
mod tasks;
mod taught;
mod teams;
mod thread_links;
mod waits;
