//! Tests of path traversal: many spellings of a path out of a folder, fixed and random ones, in the path and query
//! parameters of the routes of REST 1.x and v2.
//!
//! Proves (security): No spelling of a path leads out of a folder, in any parameter of any route.

use std::collections::BTreeMap;
use std::fs;
use std::time::Instant;

use super::files_fixture::{FilesFixture, HONEST, SECRET, SESSION, count};

/// Routes with a parameter in their path, marked by `*`. The other parameters name existing objects.
const PATHS: [(&str, &str); 46] = [
    ("GET", "/*"),
    ("GET", "/assets/*"),
    ("GET", "/api/*"),
    ("GET", "/api/agents/*/info"),
    ("GET", "/api/agents/*/tasks"),
    ("GET", "/api/agents/*/current"),
    ("GET", "/api/agents/*/history"),
    ("GET", "/api/agents/*/blocked"),
    ("GET", "/api/agents/*/plans"),
    ("GET", "/api/agents/eden/*"),
    ("GET", "/api/agents/*/tasks/task_1"),
    ("GET", "/api/agents/eden/tasks/*"),
    ("GET", "/api/work-sessions/*"),
    ("PATCH", "/api/work-sessions/*/category"),
    ("GET", "/api/workspace-file/*"),
    ("GET", "/api/milestones/*"),
    ("POST", "/api/milestones/*"),
    ("GET", "/api/v2/*"),
    ("GET", "/api/v2/sessions/*"),
    ("GET", "/api/v2/sessions/*/threads/conv:c1"),
    ("GET", "/api/v2/sessions/SESSION/threads/*"),
    ("GET", "/api/v2/sessions/*/threads/conv:c1/find?q=x"),
    ("GET", "/api/v2/sessions/SESSION/threads/*/find?q=x"),
    ("GET", "/api/v2/sessions/*/find?q=x"),
    ("GET", "/api/v2/sessions/*/timeline"),
    ("GET", "/api/v2/sessions/*/delegations"),
    ("GET", "/api/v2/sessions/*/flow"),
    ("PATCH", "/api/v2/sessions/*/category"),
    ("DELETE", "/api/v2/sessions/*/category"),
    ("GET", "/api/v2/sessions/*/category/history"),
    ("PUT", "/api/v2/shared/*"),
    ("DELETE", "/api/v2/shared/*"),
    ("GET", "/api/v2/permission-requests/*"),
    ("DELETE", "/api/v2/push-subscriptions/*"),
    ("POST", "/api/v2/permission-requests/*/answer"),
    ("GET", "/api/v2/sessions-store/*/preview"),
    ("GET", "/api/v2/sessions-store/*/history"),
    ("GET", "/api/v2/sessions-archive/*/nobody/history"),
    ("GET", "/api/v2/sessions-archive/eden/*/history"),
    ("GET", "/api/v2/agents/*"),
    ("GET", "/api/v2/agents/*/activity"),
    ("GET", "/api/v2/agents/*/avatar"),
    ("GET", "/api/v2/events/*"),
    ("GET", "/api/v2/tasks/*/task_1"),
    ("GET", "/api/v2/tasks/eden/*"),
    ("GET", "/api/v2/live/*"),
];

/// Routes that take values behind a question mark, and their names.
const QUERIES: [(&str, &[&str]); 32] = [
    ("/api/workspace-file", &["path", "file", "agentId"]),
    ("/api/milestones", &["path", "agentId"]),
    ("/api/agents/eden/history", &["month", "limit"]),
    ("/api/agents/eden/tasks", &["status"]),
    ("/api/events", &["type", "agentId", "role", "since", "limit", "offset", "viewCategory", "path"]),
    ("/api/events/search", &["q", "type", "role", "viewCategory", "limit"]),
    ("/api/work-sessions", &["status", "role", "type", "subTag", "viewCategory", "limit", "offset", "q"]),
    ("/api/work-sessions/search", &["q", "type", "role", "viewCategory", "limit"]),
    ("/api/work-sessions/SESSION", &["role", "type", "viewCategory", "limit", "offset"]),
    (
        "/api/v2/sessions",
        &["category", "status", "agent", "sessionKey", "tag", "q", "since", "sort", "limit", "after", "path"],
    ),
    ("/api/v2/sessions/SESSION", &["path"]),
    ("/api/v2/sessions/SESSION/threads/conv:c1", &["before", "after", "around", "limit"]),
    ("/api/v2/sessions/SESSION/threads/conv:c1/find", &["q"]),
    ("/api/v2/sessions/SESSION/find", &["q"]),
    ("/api/v2/sessions/SESSION/timeline", &["before", "after", "around", "limit", "q"]),
    ("/api/v2/sessions/SESSION/flow", &["path"]),
    ("/api/v2/category-changes", &["who", "session", "from", "to", "since", "until", "limit", "cursor"]),
    ("/api/v2/classifier/config", &["path"]),
    ("/api/v2/classifier/replay", &["path", "since"]),
    ("/api/v2/agents", &["since"]),
    ("/api/v2/agents/eden/avatar", &["path", "file"]),
    ("/api/v2/delegations", &["since", "agent", "limit"]),
    ("/api/v2/quality", &["since", "offset"]),
    ("/api/v2/drift", &["since", "offset"]),
    (
        "/api/v2/events",
        &["role", "type", "agent", "origin", "session", "task", "since", "until", "q", "limit", "before"],
    ),
    ("/api/v2/tasks", &["agent", "status", "session", "q", "limit", "after"]),
    ("/api/v2/sessions-archive", &["agent", "key", "session", "search", "limit"]),
    ("/api/v2/sessions-store", &["kinds", "agent", "activeMinutes", "search", "limit", "includeLastMessage"]),
    ("/api/v2/sessions-store/agent:eden:main/preview", &["limit", "maxChars"]),
    ("/api/v2/sessions-store/agent:eden:main/history", &["limit", "includeTools"]),
    ("/api/v2/schema-events", &["since", "limit", "agent", "type", "format", "path"]),
    ("/api/v2/live/poll", &["cursor"]),
];

/// Numbers that look random and are the same in every run.
struct TraversalRandom(u64);

impl TraversalRandom {
    fn below(&mut self, bound: usize) -> usize {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.below(choices.len())]
    }
}

const UP: [&str; 22] = [
    "..",
    "..",
    "..",
    "%2e%2e",
    "%2E.",
    ".%2e",
    "%252e%252e",
    "%25252e%25252e",
    "%c0%ae%c0%ae",
    "%e0%80%ae%e0%80%ae",
    "%f0%80%80%ae.",
    "%u002e%u002e",
    "․․",
    "‥",
    "．．",
    "。。",
    "..;",
    "....",
    "...",
    ".%00.",
    "..%00",
    "%ef%bc%8e%ef%bc%8e",
];
const SEPARATORS: [&str; 18] = [
    "/",
    "/",
    "%2f",
    "%2F",
    "%252f",
    "%5c",
    "\\",
    "%255c",
    "%c0%af",
    "%e0%80%af",
    "%c1%9c",
    "//",
    "/./",
    "／",
    "∕",
    "⁄",
    "%u2215",
    "%2f%2e%2f",
];
/// Targets above the home, outside of a workspace, or far away, with endings that the routes add or not.
const AIMS: [&str; 20] = [
    "canary",
    "canary.md",
    "canary.json",
    "canary%00.md",
    "canary.png",
    "outside/team-state.json",
    "outside",
    "outside/workspace-eden/tasks/task_1.md",
    "outside/workspace-eden/tasks/task_1",
    "openclaw.json",
    "openclaw",
    "outside/workspace-eden/task-history/2026-02",
    "workspace-seum/tasks/task_1",
    "etc/passwd",
    "proc/self/environ",
    "proc/self/cwd/etc/passwd",
    "proc/self/fd/3",
    "outside/logs/coordination-events.ndjson",
    "outside/openclaw.json",
    "workspace-eden/face.png",
];
const BEFORE: [&str; 16] = [
    "", "", "", "eden", "eden/", "task_1", "task_", "2026-02", "ws_", ".", "file://", "file:///", "~/", "C:\\",
    "\\\\?\\", "%00",
];

/// The plainest path out: some steps up, then an existing file. Every depth, spelling and target in turn, so that the
/// first few dozen strings find a route without a guard.
fn plain(number: usize) -> String {
    const UP: [&str; 4] = ["..", "%2e%2e", ".%2E", "./.."];
    const SEPARATORS: [&str; 2] = ["%2f", "/"];
    const AIMS: [&str; 5] =
        ["canary", "canary.md", "outside", "outside/workspace-eden/tasks/task_1", "outside/team-state.json"];
    let (depth, rest) = (1 + number % 6, number / 6);
    let (separator, rest) = (SEPARATORS[rest % SEPARATORS.len()], rest / SEPARATORS.len());
    let (up, rest) = (UP[rest % UP.len()], rest / UP.len());
    format!("{}{}", format!("{up}{separator}").repeat(depth), AIMS[rest % AIMS.len()].replace('/', separator))
}

/// One string that leads upwards, begins elsewhere or is no name at all. `root` is the folder above the home.
fn hostile(dice: &mut TraversalRandom, root: &str) -> String {
    let mut text = dice.pick(&BEFORE).to_owned();
    match dice.below(8) {
        // An absolute path.
        0 => text.push_str(&format!("{root}/{}", dice.pick(&AIMS))),
        1 => text.push_str(&format!("{root}/{}", dice.pick(&AIMS)).replace('/', dice.pick(&SEPARATORS))),
        // Very long.
        2 if dice.below(8) == 0 => text.push_str(&"../".repeat(dice.below(2_000))),
        3 if dice.below(8) == 0 => text.push_str(&"a".repeat(dice.below(20_000))),
        _ => {
            let (up, separator) = (dice.pick(&UP), dice.pick(&SEPARATORS));
            let mixed = dice.below(3) == 0;
            for _ in 0..1 + dice.below(8) {
                text.push_str(if mixed { dice.pick(&UP) } else { up });
                text.push_str(if mixed { dice.pick(&SEPARATORS) } else { separator });
            }
            text.push_str(&dice.pick(&AIMS).replace('/', separator));
        }
    }
    text.push_str(dice.pick(&["", "", "", "%00", "%0a", ".md", "%00.md", ";", "%20", "/", "%2f."]));
    text
}

/// As a client would have to send it: what no address may hold is written as bytes in hexadecimal; what is hexadecimal
/// already, right or wrong, stays as it is.
fn in_address(text: &str, query: bool) -> String {
    let mut out = String::new();
    for byte in text.bytes() {
        let plain = byte.is_ascii_alphanumeric() || b"-._~!$'()*,;:@%/\\".contains(&byte) || (query && byte == b'?');
        if plain { out.push(char::from(byte)) } else { out.push_str(&format!("%{byte:02X}")) }
    }
    out.replace('\\', "%5C")
}

/// No route with a parameter is missing from the lists above.
#[test]
fn every_parameterised_route_is_requested() {
    let v1_source = include_str!("../../../src/web/v1/mod.rs");
    let v1 = v1_source.split(".route(\"").skip(1).filter_map(|rest| rest.split('"').next());
    let openapi: serde_json::Value =
        serde_json::from_str(include_str!("../../../../../docs/openapi.json")).expect("the OpenAPI document");
    let v2 = openapi["paths"].as_object().expect("its paths").keys().map(String::as_str);
    let routes: Vec<String> =
        v1.chain(v2).filter(|route| route.contains('{')).map(|route| route.replace("{*rest}", "{}")).collect();
    assert!(routes.len() > 20, "{routes:?}");
    for route in routes {
        let parts: Vec<&str> = route.split('/').collect();
        let fits = |listed: &str| {
            let listed: Vec<&str> = listed.split('?').next().unwrap_or_default().split('/').collect();
            listed.len() == parts.len()
                && listed.iter().zip(&parts).all(|(one, other)| one == other || other.starts_with('{'))
        };
        let variants = PATHS.iter().filter(|(_, listed)| fits(listed)).count();
        let parameters = parts.iter().filter(|part| part.starts_with('{')).count();
        assert!(variants >= parameters, "{route} has {parameters} parameters and is requested in {variants} ways");
    }
}

#[tokio::test]
async fn hostile_addresses_give_nothing_from_outside_the_home() {
    let mut fixture = FilesFixture::new();
    let root = fixture.dir.path().to_str().expect("path").to_owned();
    for folder in [".", "outside", ".openclaw", ".openclaw/workspace-eden"] {
        for ending in ["", ".md", ".json", ".png"] {
            // The marker without the task's or picture's shape would be refused for that alone.
            let text = format!("## Metadata\n- **Status:** blocked\n\n## Description\n{SECRET}\n");
            fs::write(fixture.dir.path().join(folder).join(format!("canary{ending}")), text).expect("canary");
        }
    }
    let state = fixture.start();
    state.ready().await;
    fixture.eventually("/api/v2/tasks/eden/task_1", |answer| answer.holds(HONEST)).await;
    let strings = count(120, 10_000);
    let mut statuses: BTreeMap<u16, usize> = BTreeMap::new();
    let (begun, mut slowest) = (Instant::now(), (std::time::Duration::ZERO, String::new()));
    let mut dice = TraversalRandom(0x9e37_79b9_7f4a_7c15);
    for number in 0..strings {
        let text = if number % 2 == 0 { plain(number / 2) } else { hostile(&mut dice, &root) };
        let mut requests: Vec<(&str, String)> = PATHS
            .iter()
            .map(|(method, route)| (*method, route.replace("SESSION", SESSION).replace('*', &in_address(&text, false))))
            .collect();
        for (route, names) in QUERIES {
            // In short one name of each route a string, in turn.
            let chosen_names = if count(0, 1) == 1 { names } else { &names[number / 2 % names.len()..][..1] };
            for name in chosen_names {
                requests
                    .push(("GET", format!("{}?{name}={}", route.replace("SESSION", SESSION), in_address(&text, true))));
            }
        }
        for (method, route) in requests {
            // No server takes longer ones; this is its refusal.
            if route.len() > 60_000 {
                continue;
            }
            let answer = fixture.ask(method, &route).await;
            let status = answer.status.as_u16();
            *statuses.entry(status).or_default() += 1;
            assert!(!answer.holds(SECRET), "{method} {route} tells what is outside: {}", answer.text());
            assert!(!answer.holds("root:x:0:0"), "{method} {route} reads the system");
            assert!(status < 500, "{method} {route}: {status} {}", answer.text());
            if answer.kind.starts_with("application/json") {
                let body = answer.json();
                assert!(status < 400 || body["error"].is_string(), "{method} {route}: {body}");
            } else {
                let page = ["text/html", "text/css"].iter().any(|kind| answer.kind.starts_with(kind));
                let own = page || (answer.kind == "image/png" && answer.holds(HONEST));
                assert!(status != 200 || own, "{method} {route}: {} {}", answer.kind, answer.text());
            }
            if answer.took > slowest.0 {
                slowest = (answer.took, route.chars().take(120).collect());
            }
        }
    }
    let total: usize = statuses.values().sum();
    println!("{strings} strings, {total} requests in {:?}, by status: {statuses:?}", begun.elapsed());
    println!("slowest: {:?} for {}", slowest.0, slowest.1);
    let after = fixture.get("/api/agents/eden/tasks/task_1").await;
    assert!(after.holds(HONEST), "it goes on as before: {}", after.text());
}
