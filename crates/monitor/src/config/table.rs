//! Table of all settings of `serve`: key in the configuration file, flag, environment variable, kind of value, default
//! and meaning. Flags, the command `task-monitor config` and `docs/guide/settings.md` are made from it.

mod spec;

use spec::{secret, setting};

pub use spec::{SettingSpec, ValueKind};

const ON_OFF: ValueKind = ValueKind::Word(&["on", "off"]);

/// All of them, in the order of the documents.
pub static SETTINGS: &[SettingSpec] = &[
    setting("home", "home", "OPENCLAW_STATE_DIR", ValueKind::Text("DIR"), "~/.openclaw", "OpenClaw's state directory"),
    setting("host", "host", "TASK_MONITOR_HOST", ValueKind::Text("HOST"), "127.0.0.1", "Address to listen on"),
    setting(
        "port",
        "port",
        "TASK_MONITOR_PORT",
        ValueKind::Number("a port number", 65_535),
        "3847",
        "Port to listen on; 0 lets the system choose",
    ),
    setting(
        "bundle",
        "bundle",
        "TASK_MONITOR_BUNDLE",
        ValueKind::Text("DIR"),
        "the dashboard inside the program, if it has one",
        "Folder of the built dashboard",
    ),
    setting(
        "base_path",
        "base-path",
        "TASK_MONITOR_BASE_PATH",
        ValueKind::Text("PATH"),
        "/",
        "Sub-path the whole app is reached under, such as /hub/",
    ),
    setting(
        "api_base",
        "api-base",
        "TASK_MONITOR_API_BASE",
        ValueKind::Text("PATH"),
        "api",
        "Where the page finds the API: relative to its base, or an absolute path",
    ),
    setting(
        "public_url",
        "public-url",
        "TASK_MONITOR_PUBLIC_URL",
        ValueKind::Text("URL"),
        "none",
        "Address of the dashboard as people open it, for links in alerts",
    ),
    setting(
        "host_link.label",
        "host-link-label",
        "TASK_MONITOR_HOST_LINK_LABEL",
        ValueKind::Text("TEXT"),
        "none",
        "Words of a link back to the site that hosts the dashboard",
    ),
    setting(
        "host_link.url",
        "host-link-url",
        "TASK_MONITOR_HOST_LINK_URL",
        ValueKind::Text("URL"),
        "none",
        "Where that link leads",
    ),
    setting(
        "allowed_hosts",
        "allowed-hosts",
        "TASK_MONITOR_ALLOWED_HOSTS",
        ValueKind::List("HOST"),
        "none",
        "Host names that are answered besides loopback and the address listened on",
    ),
    setting(
        "allowed_origins",
        "allowed-origins",
        "TASK_MONITOR_ALLOWED_ORIGINS",
        ValueKind::List("ORIGIN"),
        "none",
        "Origins that may write and open live streams besides our own",
    ),
    setting(
        "cors_origins",
        "cors-origins",
        "TASK_MONITOR_CORS_ORIGINS",
        ValueKind::List("ORIGIN"),
        "none",
        "Origins that get Access-Control-Allow-Origin",
    ),
    setting(
        "frame_ancestors",
        "frame-ancestors",
        "TASK_MONITOR_FRAME_ANCESTORS",
        ValueKind::List("ORIGIN"),
        "none",
        "Origins that may show the dashboard in a frame",
    ),
    setting(
        "trusted_proxies",
        "trusted-proxies",
        "TASK_MONITOR_TRUSTED_PROXIES",
        ValueKind::List("NETWORK"),
        "none",
        "Addresses or networks of reverse proxies whose X-Forwarded-For and X-Forwarded-Host are believed",
    ),
    setting(
        "identity.header",
        "identity-header",
        "TASK_MONITOR_IDENTITY_HEADER",
        ValueKind::Text("HEADER"),
        "none",
        "Header in which a trusted proxy names the signed-in user, such as X-Forwarded-User",
    ),
    setting(
        "identity.groups_header",
        "identity-groups-header",
        "TASK_MONITOR_IDENTITY_GROUPS_HEADER",
        ValueKind::Text("HEADER"),
        "none",
        "Header with the user's groups, separated by commas",
    ),
    setting(
        "rights.view",
        "rights-view",
        "TASK_MONITOR_RIGHTS_VIEW",
        ValueKind::List("USER|@GROUP"),
        "everybody",
        "Who may see the dashboard through a trusted proxy",
    ),
    setting(
        "rights.categorize",
        "rights-categorize",
        "TASK_MONITOR_RIGHTS_CATEGORIZE",
        ValueKind::List("USER|@GROUP"),
        "everybody",
        "Who may change categories, classifier words, notes, views for everybody and rules of alerts through a trusted proxy",
    ),
    setting(
        "rights.speak",
        "rights-speak",
        "TASK_MONITOR_RIGHTS_SPEAK",
        ValueKind::List("USER|@GROUP"),
        "everybody",
        "Who may send messages to agents through a trusted proxy",
    ),
    setting(
        "rights.answer",
        "rights-answer",
        "TASK_MONITOR_RIGHTS_ANSWER",
        ValueKind::List("USER|@GROUP"),
        "everybody",
        "Who may see and answer permission requests of agents through a trusted proxy",
    ),
    setting(
        "answers.confirm",
        "answers-confirm",
        "TASK_MONITOR_ANSWERS_CONFIRM",
        ValueKind::List("WORDS"),
        "none",
        "Words in a command or file that take a second press to allow, besides the built-in rules",
    ),
    secret(
        "write_token",
        "TASK_MONITOR_WRITE_TOKEN",
        "Secret that each write must carry in X-Task-Monitor-Token; without it only the page on this machine may change anything",
    ),
    setting(
        "write_token_file",
        "write-token-file",
        "TASK_MONITOR_WRITE_TOKEN_FILE",
        ValueKind::Text("FILE"),
        "none",
        "File of the write token",
    ),
    setting(
        "watcher",
        "watcher",
        "TASK_MONITOR_WATCHER",
        ON_OFF,
        "on",
        "Whether the system is asked to tell when files change; the log is looked at every second without it, and every eight seconds with it",
    ),
    setting(
        "cache",
        "cache",
        "TASK_MONITOR_CACHE",
        ValueKind::Text("DIR|on|off"),
        "off",
        "Cache of the state read from the log, which shortens the next start: a folder, or `on` for the user's cache folder",
    ),
    setting(
        "classifier",
        "classifier",
        "TASK_MONITOR_CLASSIFIER",
        ValueKind::Word(&["v1", "v2"]),
        "v2",
        "Classifier of sessions without a manual category; v1 is that of the original 1.x monitor",
    ),
    setting(
        "discord_users",
        "discord-users",
        "TASK_MONITOR_DISCORD_USERS",
        ValueKind::Map("ID=NAME"),
        "none",
        "Names of people by their Discord ids, for mentions",
    ),
    setting(
        "gateway.url",
        "gateway-url",
        "TASK_MONITOR_GATEWAY_URL",
        ValueKind::Text("URL"),
        "none",
        "OpenClaw's gateway on this machine (http://127.0.0.1:18789), through which agents are spoken to",
    ),
    secret("gateway.token", "TASK_MONITOR_GATEWAY_TOKEN", "Token of the gateway"),
    setting(
        "gateway.token_file",
        "gateway-token-file",
        "TASK_MONITOR_GATEWAY_TOKEN_FILE",
        ValueKind::Text("FILE"),
        "none",
        "File of the gateway's token",
    ),
    setting(
        "alerts.language",
        "alerts-language",
        "TASK_MONITOR_ALERTS_LANGUAGE",
        ValueKind::Word(&["ko", "en"]),
        "ko",
        "Language of alerts that the monitor sends",
    ),
    setting(
        "alerts.utc_offset",
        "alerts-utc-offset",
        "TASK_MONITOR_ALERTS_UTC_OFFSET",
        ValueKind::Text("±HH:MM"),
        "none",
        "Zone of the quiet hours of alerts, such as +09:00; it knows no daylight saving time",
    ),
    setting(
        "hooks.capture",
        "hooks-capture",
        "TASK_MONITOR_HOOKS_CAPTURE",
        ValueKind::Word(&["none", "summary", "full"]),
        "summary",
        "How much of a coding agent's hooks is stored",
    ),
    setting(
        "hooks.heartbeat_interval_sec",
        "hooks-heartbeat-interval-sec",
        "TASK_MONITOR_HEARTBEAT_INTERVAL_SEC",
        ValueKind::Number("a number of seconds", 120),
        "15",
        "Seconds between heartbeats of the live stream of coding agents' events, 5 to 120",
    ),
    setting(
        "hooks.locale",
        "hooks-locale",
        "TASK_MONITOR_LOCALE",
        ValueKind::Text("TAG"),
        "ko-KR",
        "Language of coding agents' events that name none",
    ),
    setting(
        "hooks.max_tool_events",
        "hooks-max-tool-events",
        "TASK_MONITOR_HOOKS_MAX_TOOL_EVENTS",
        ValueKind::Number("a number of events", 10_000_000),
        "50000",
        "Events of tools that are held in memory, 1000 to 10000000",
    ),
    setting(
        "fleet.name",
        "fleet",
        "TASK_MONITOR_FLEET",
        ValueKind::Text("NAME"),
        "none",
        "Fleet of machines that is shown, or that this home is published to",
    ),
    setting(
        "fleet.nats",
        "nats",
        "TASK_MONITOR_NATS",
        ValueKind::List("URL"),
        "none",
        "NATS servers with JetStream that carry the fleet, such as nats://127.0.0.1:4222",
    ),
    setting(
        "fleet.creds_file",
        "creds",
        "TASK_MONITOR_NATS_CREDS",
        ValueKind::Text("FILE"),
        "none",
        "File of NATS credentials, or of one line `user:password`",
    ),
    setting(
        "fleet.ca_file",
        "nats-ca",
        "TASK_MONITOR_NATS_CA",
        ValueKind::Text("FILE"),
        "none",
        "Certificates of the authority of the servers; with it the connection must be TLS",
    ),
    setting(
        "fleet.machine",
        "machine",
        "TASK_MONITOR_MACHINE",
        ValueKind::Text("NAME"),
        "the host name",
        "Name of this machine in the fleet",
    ),
    setting(
        "fleet.text",
        "fleet-text",
        "TASK_MONITOR_FLEET_TEXT",
        ValueKind::Word(&["full", "summary", "none"]),
        "full",
        "How much of the texts of this home leaves this machine",
    ),
    setting(
        "fleet.ship",
        "fleet-ship",
        "TASK_MONITOR_FLEET_SHIP",
        ON_OFF,
        "off",
        "Whether `serve` publishes its own home to the fleet instead of showing the fleet",
    ),
    setting(
        "fleet.writes",
        "fleet-writes",
        "TASK_MONITOR_FLEET_WRITES",
        ON_OFF,
        "off",
        "Whether `serve` with fleet.ship carries out what people change on pages of the fleet",
    ),
    setting(
        "fleet.mirror",
        "fleet-mirror",
        "TASK_MONITOR_FLEET_MIRROR",
        ValueKind::Text("DIR"),
        "the user's cache folder",
        "Folder of the mirrored homes; one for each process that shows a fleet",
    ),
    setting(
        "log.format",
        "log-format",
        "TASK_MONITOR_LOG_FORMAT",
        ValueKind::Word(&["text", "json"]),
        "text",
        "Form of the program's own log on standard error",
    ),
    setting(
        "log.level",
        "log-level",
        "RUST_LOG",
        ValueKind::Text("FILTER"),
        "info",
        "What is logged: error, warn, info, debug or trace, also by module (`info,task_monitor::web=debug`)",
    ),
    setting(
        "log.access",
        "log-access",
        "TASK_MONITOR_LOG_ACCESS",
        ON_OFF,
        "off",
        "A line in that log for each request",
    ),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_follow_from_key_and_are_unique() {
        let mut seen = BTreeSet::new();
        for setting in SETTINGS {
            let dashed = setting.key.replace(['.', '_'], "-");
            // What a fleet needs is written often enough to have short flags.
            let is_short = setting.key.starts_with("fleet.");
            assert!(setting.flag.is_none_or(|flag| flag == dashed || is_short), "{}", setting.key);
            assert!(seen.insert(setting.key) && seen.insert(setting.env), "{}", setting.key);
        }
    }
}
