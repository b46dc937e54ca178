//! Performance test of the reduction of hooks: the redaction of secrets and the shortening of texts before a hook is
//! stored (`contract/event-schema-v1_1.md` §C.6). The texts are chosen to be expensive; the time must grow in
//! proportion to their length.
//!
//! Proves (claude-code): The time to reduce a hook grows in proportion to its text.

use crate::own_time;

use coordination::schema::hook::Capture;
use coordination::schema::{Defaults, read_item_with};
use own_time::{Pattern, grows_with_the_text};
use serde_json::json;

/// As much of a text as is looked at where the most of it is kept; a quarter of it in the short form.
const MAX_BYTES: usize = 64 * 1_024;

/// Beginnings of what is hidden or shortened, and the characters around them: each repeated without end.
const BEGINNINGS: [&str; 82] = [
    "\u{1}",
    " ",
    "\n",
    "\\",
    "/",
    "\"",
    "'",
    "`",
    ":",
    "=",
    ".",
    "-",
    "_",
    "~",
    "@",
    "[",
    "(",
    "<",
    "|",
    "+",
    "a",
    "A1b",
    "0",
    "f:",
    "1.",
    "한",
    "\u{1F980}",
    "\\\\a",
    "\\\\a\\",
    "\\\\a\\b",
    "C:\\",
    "C:\\a\\",
    "/home/",
    "/home/a/",
    "~/",
    "~/a ",
    "file://",
    "file:///home/",
    "-I",
    " -I/home/",
    "\\n/home/",
    "-----BEGIN ",
    "-----END ",
    "password",
    "password=",
    "password: ",
    "password\n",
    "--token ",
    "token is ",
    "비밀번호",
    "비밀번호는 ",
    "cookie: ",
    "<pw>",
    "AKIA",
    "ghp_a",
    "https://",
    "https://a:b@",
    "a:b@",
    "curl -u a:b ",
    "hooks.slack.com/",
    "10.0.0.1",
    "fe80::",
    "mysql ",
    "mysql -p",
    "mysql -pa ",
    "machine ",
    "machine a login b ",
    "machine a login b password ",
    "a:1:b:c:",
    "a:",
    "?key=",
    "?code=abcdef&",
    "---- BEGIN SSH2 ",
    "---- END SSH2 ",
    "PuTTY-User-Key-File-",
    "discord.com/api/v1/",
    "비밀번호 a1 ",
    "\u{200b}",
    "ｐ",
    "\u{430}a",
    "OPENAI_KEY=",
    "AbCdEfGhIjKlMnOpQrStUvWx.",
];

#[test]
fn c6_time_grows_with_the_text_of_hooks() {
    // Every pair of them is tried in the long form only.
    let long = std::env::var_os("TASK_HUB_SOAK").is_some();
    let pair = |one: &'static str, other: &'static str| (format!("{one}{other}"), true);
    let alone = BEGINNINGS.iter().map(|begin| ((*begin).to_owned(), true));
    // A beginning once, and then nothing that ends it.
    let then = BEGINNINGS.iter().flat_map(|begin| ["\u{1}", "\\", "a", " ", "\""].map(|rest| (*begin, rest)));
    let once = then.clone().map(|(begin, rest)| (format!("{begin}\0{rest}"), false));
    let together = then.map(|(begin, rest)| pair(begin, rest));
    let all: Vec<(String, bool)> = alone.chain(once.chain(together).filter(|_| long)).collect();
    let texts: Vec<_> = all
        .iter()
        .map(|(pattern, is_repeated)| {
            move |bytes: usize| match pattern.split_once('\0').filter(|_| !is_repeated) {
                Some((begin, rest)) => format!("{begin}{}", rest.repeat(bytes / rest.len())),
                None => pattern.repeat(bytes / pattern.len()),
            }
        })
        .collect();
    let patterns = all.iter().zip(&texts).map(|((name, _), of)| Pattern { name, of });
    let defaults = Defaults { workspace_id: "repo_x", terminal_session_id: "t", locale: "ko-KR", arrived_at: 0 };
    grows_with_the_text(patterns, if long { MAX_BYTES } else { MAX_BYTES / 4 }, |text| {
        let hook = json!({
            "session_id": "s", "cwd": "/home/mina/repo", "hook_event_name": "PostToolUse", "tool_name": "Bash",
            "tool_use_id": "t", "tool_input": {"command": text}, "tool_response": "",
        });
        read_item_with(&hook, &defaults, Capture::Full).expect("an input");
    });
}
