//! Redaction of secrets in texts (`contract/event-schema-v1_1.md` §C.6): private keys, named passwords, credentials in
//! URLs, tokens of well-known services, long random words, private network addresses, and everything that
//! `transcript::mask` masks. In doubt, a text is redacted.

mod address;
mod context;
mod folded;
mod named;
mod token;

use self::address::addresses;
use self::context::{SecretContext, pgpass, query};
use self::folded::FoldedSecretText;
pub use self::named::is_secret_name;
use self::named::{korean, named_secret, user};
use self::token::{bot, is_key, known, webhook};
use transcripts::transcript::mask;

/// What takes the place of a secret.
pub const SECRET: &str = "[redacted-secret]";
/// Least length of a random word that is taken for a secret.
const MIN_RANDOM_WORD_BYTES: usize = 32;

/// The text without its secrets.
#[must_use]
pub fn hide(text: &str) -> String {
    let text = keys(text);
    let folded = FoldedSecretText::new(&text);
    if folded.text().is_empty() {
        // Nothing of it shows.
        return text;
    }
    mask(&addresses(&words(&folded)))
}

/// The text without secrets that words show. Looks at each place once.
fn words(folded: &FoldedSecretText<'_>) -> String {
    let text = folded.text();
    let mut out = String::with_capacity(text.len());
    let mut context = SecretContext::default();
    // Up to `plain` there is a word that is no secret as a whole, so no end of it is one: none is looked at twice.
    let (mut at, mut plain, mut plain_run) = (0, 0, 0);
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let (before, rest) = text.split_at(at);
        let found = out_of_word(text, at).then(|| {
            let by_name =
                named_secret(rest).or_else(|| korean(rest)).or_else(|| user(rest)).or_else(|| query(rest, before));
            let by_context = by_name.or_else(|| context.look(text, at)).or_else(|| pgpass(rest, before));
            by_context.or_else(|| known(rest)).or_else(|| webhook(rest)).or_else(|| bot(rest)).or_else(|| {
                let word = if at < plain { "" } else { word(rest) };
                plain = plain.max(at + word.len());
                let run = if at < plain_run { "" } else { run(rest) };
                plain_run = plain_run.max(at + run.len());
                let long = if is_random(word) || is_key(word, before) { word } else { run };
                (is_random(word) || is_key(word, before) || is_jumble(run))
                    .then_some(SecretSpan { start: 0, end: long.len() })
            })
        });
        let found = found.flatten();
        if let Some(SecretSpan { start, end }) = found.or_else(|| userinfo(rest)) {
            out.push_str(folded.written(at, at + start));
            out.push_str(SECRET);
            at += end;
        } else {
            out.push_str(folded.written(at, at + c.len_utf8()));
            at += c.len_utf8();
        }
    }
    out
}

/// How a private key begins and ends in a file, and what closes the line of its end; none: the next blank.
const KEY_FILES: [(&str, &str, Option<&str>); 3] = [
    ("-----BEGIN ", "-----END ", Some("-----")),
    ("---- BEGIN SSH2 ", "---- END SSH2 ", Some("----")),
    ("PuTTY-User-Key-File-", "Private-MAC:", None),
];

/// Private keys as files hold them; one without an end reaches to the end of the text.
fn keys(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    // Next occurrence of each; searched for again only once it is passed.
    let mut next = KEY_FILES.map(|(begin, ..)| text.find(begin));
    loop {
        for (next, (begin, ..)) in next.iter_mut().zip(KEY_FILES) {
            if next.is_some_and(|next| next < at) {
                *next = text[at..].find(begin).map(|found| at + found);
            }
        }
        let first = next.iter().zip(KEY_FILES).filter_map(|(next, file)| Some(((*next)?, file))).min();
        let Some((begin, (mark, end, close))) = first else { break };
        out.push_str(&text[at..begin]);
        out.push_str(SECRET);
        let inside = begin + mark.len();
        at = text[inside..].find(end).map_or(text.len(), |found| {
            let behind = inside + found + end.len();
            let rest = &text[behind..];
            match close {
                Some(close) => rest.find(close).map_or(text.len(), |found| behind + found + close.len()),
                None => {
                    let value = rest.trim_start();
                    text.len() - value.find(char::is_whitespace).map_or(0, |end| value.len() - end)
                }
            }
        });
    }
    out.push_str(&text[at..]);
    out
}

fn out_of_word(text: &str, at: usize) -> bool {
    text[..at].chars().next_back().is_none_or(|before| !before.is_ascii_alphanumeric() && before != '_')
}

/// Position of a secret in a text, in bytes. What precedes it is the name that showed it, which stays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SecretSpan {
    start: usize,
    end: usize,
}

/// The letters, digits and marks of numbers in base 64 with which a text begins.
fn word(text: &str) -> &str {
    padded(text, |c| c.is_ascii_alphanumeric() || c == '+')
}

/// The beginning of a text, and the `=` that ends a number in base 64. One between a name and its value ends the name.
fn padded(text: &str, belongs: impl Fn(char) -> bool) -> &str {
    let length = text.find(|c| !belongs(c)).unwrap_or(text.len());
    let padding = text[length..].bytes().take_while(|byte| *byte == b'=').count();
    &text[..length + padding]
}

/// A long word that no language has.
fn is_random(word: &str) -> bool {
    let many = |of: fn(&u8) -> bool| word.bytes().filter(of).count() >= 3;
    word.len() >= MIN_RANDOM_WORD_BYTES
        && many(u8::is_ascii_uppercase)
        && many(u8::is_ascii_lowercase)
        && many(u8::is_ascii_digit)
}

/// The same with the marks of every base 64, which are those of paths as well.
fn run(text: &str) -> &str {
    padded(text, |c| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '-' | '_'))
}

/// A long word whose letters change between small, large and digits at random: no path does.
fn is_jumble(word: &str) -> bool {
    let class = |byte: u8| match byte {
        b'a'..=b'z' => Some(0),
        b'A'..=b'Z' => Some(1),
        b'0'..=b'9' => Some(2),
        _ => None,
    };
    let classes: Vec<u8> = word.bytes().filter_map(class).collect();
    let turns = classes.windows(2).filter(|two| two[0] != two[1]).count();
    classes.len() >= MIN_RANDOM_WORD_BYTES && turns * 5 >= classes.len() * 2 && (0..3).all(|of| classes.contains(&of))
}

/// `://name:word@` of an address.
fn userinfo(text: &str) -> Option<SecretSpan> {
    let rest = text.strip_prefix("://")?;
    let authority = &rest
        [..rest.find(|c: char| c.is_whitespace() || matches!(c, '/' | '?' | '#' | '"' | '\'')).unwrap_or(rest.len())];
    let who = &authority[..authority.rfind('@')?];
    (!who.is_empty()).then_some(SecretSpan { start: 3, end: 3 + who.len() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c6_secrets_of_many_kinds_are_hidden() {
        for text in [
            "PASSWORD=hunter2canary",
            "db_password: 'hunter2 canary'",
            "{\"apiKey\": \"canary\"}",
            "--token canary",
            "export AWS_SECRET_ACCESS_KEY=canary",
            "Authorization: Basic canary==",
            "authorization: Bearer canarycanary",
            "postgres://app:canary@db.example.com/x",
            "AKIACANARYCANARY1234 canary".trim_end_matches(" canary"),
            "AIzaSyCanarycanarycanary-canary",
            "github_pat_canary_canary",
            "glpat-canarycanary",
            "npm_canarycanarycanary",
            "ghp_canarycanary",
            "sk-ant-canarycanary",
            "xoxb-canary-canary",
            "canary@example.com",
            "-----BEGIN RSA PRIVATE KEY-----\ncanary\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN PRIVATE KEY-----\ncanary",
            "aB3canaryCanaryCanary7890XYZcanary0",
            "\\\"password\\\": \\\"canary\\\"",
            "pw=canary",
            "http://10.0.0.1/canary",
            "eyJcanarycanary.eyJcanarycanary.canary",
            "DB_PASS=canary",
            "MYSQL_PWD=canary psql",
            "REDIS_AUTH=canary",
            "privateKey: canary",
            "SharedAccessKey=canary=",
            "password:\n  canary",
            "export PASSWORD=\\\ncanary",
            "export PASSWORD=\\ canary",
            "{\"password\":\n \"canary\"}",
            "password: \"abc\\\"canary\"",
            "token:\npassword = canary",
            "**password**: canary",
            "<password>canary</password>",
            "비밀번호: canary",
            "비번 = 'canary'",
            "비밀번호는 canary1입니다",
            "the password is canary1!",
            "Cookie: a=canary; b=canary",
            "curl -u admin:canary https://x.org",
            "https://hooks.slack.com/services/T0/B0/canary",
            "123456789:AAcanarycanarycanary-canary_canary",
            "hvs.canarycanarycanary",
            "x.net/c?sv=1&sig=canary%3D",
            "https://s3.example.com/b?X-Amz-Signature=canary",
            "gB7/canaryK3z+Q9w/T2vR8x-N4mJ6hL1cP5dS0f",
        ] {
            let hidden = hide(text);
            assert!(!hidden.to_ascii_lowercase().contains("canary"), "{text} → {hidden}");
            assert_eq!(hide(&hidden), hidden, "{text}");
        }
    }

    /// Each form: its redacted text, and a near miss that stays as it is.
    const FORMS: [(&str, &str, &str); 44] = [
        (
            "DISCORD=MTk4NjIyNDgzNDcxOTI1MjQ4.Cl2FMQ.ZnCjm1XVW7vRze4b7Cq4se7kKWs",
            "DISCORD=[redacted-secret]",
            "docs.rs/coordination.schema.hook.secret.token",
        ),
        (
            "https://discord.com/api/v10/webhooks/123456789012345678/aBcDeF",
            "https://discord.com/api/v10/webhooks/[redacted-secret]",
            "https://discord.com/api/v10/channels/1",
        ),
        (
            "discordapp.com/api/webhooks/1/x",
            "discordapp.com/api/webhooks/[redacted-secret]",
            "discord.com/developers/docs/resources/webhook",
        ),
        ("sbp_0123456789abcdef0123456789abcdef01234567", "[redacted-secret]", "sbp_config"),
        ("dapi0123456789abcdef0123456789abcdef", "[redacted-secret]", "dapi-server-of-the-team-in-the-office"),
        ("key-0123456789abcdef0123456789abcdef", "[redacted-secret]", "key-value-store-with-a-very-long-name"),
        ("glrt-abcdefgh1234", "[redacted-secret]", "glrt-x"),
        ("glsa_HOruNAb7SOiCdshU9algkrq7FDsNSLAa_54e2f8be", "[redacted-secret]", "glsa_panel"),
        ("xai-abcdefghijklmnopqrstuvwx", "[redacted-secret]", "xai-sdk"),
        ("pplx-0123456789abcdef0123", "[redacted-secret]", "pplx-7b-chat"),
        ("r8_Abc123Def456Ghi789Jkl", "[redacted-secret]", "r8_config and r8_rules_for_proguard_files"),
        ("ntn_123456789abcDEFghi", "[redacted-secret]", "ntn_page"),
        ("d=xoxd-abcdefgh", "d=[redacted-secret]", "xoxd-a"),
        ("SK0123456789abcdef0123456789abcdef", "[redacted-secret]", "SK0123 SKU-2024"),
        ("OPENAI_KEY=x1", "OPENAI_KEY=[redacted-secret]", "PRIMARY_KEY=id"),
        ("APP_KEY=base64:abc=", "APP_KEY=[redacted-secret]", "SORT_KEY=name"),
        ("JWT_KEY: 'x1 y2'", "JWT_KEY: '[redacted-secret]'", "CACHE_KEY: user"),
        ("RAILS_MASTER_KEY=abc", "RAILS_MASTER_KEY=[redacted-secret]", "cache_key=user:1"),
        ("openai_key = \"x\"", "openai_key = \"[redacted-secret]\"", "let sort_key = 3"),
        ("x-goog-access-key: abc", "x-goog-access-key: [redacted-secret]", "x-cache-key: home"),
        ("x-acme-Access-Key: abc", "x-acme-Access-Key: [redacted-secret]", "x-request-id: abc"),
        (
            "machine api.example.org login mina password x1",
            "machine api.example.org login mina password [redacted-secret]",
            "machine learning and the password reset",
        ),
        (
            "default\n  login mina\n  password x1\n",
            "default\n  login mina\n  password [redacted-secret]\n",
            "the login page has a password field",
        ),
        ("mysql -u root -px1 shop", "mysql -u root -p[redacted-secret] shop", "mysql -u root -p shop"),
        ("mysqldump -px1", "mysqldump -p[redacted-secret]", "cargo test -pcoordination"),
        (
            "localhost:5432:shop:app:x1",
            "localhost:5432:shop:app:[redacted-secret]",
            "src/main.rs:10:5: error: expected one of",
        ),
        ("db.example.org:*:*:app:a:b", "db.example.org:*:*:app:[redacted-secret]", "src/a.rs:12:7:warning:unused"),
        (
            "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\nAAAA\nPrivate-MAC: 0a1b\nend",
            "[redacted-secret]\nend",
            "PuTTY 0.81 is installed",
        ),
        (
            "a\n---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nAAAA\n---- END SSH2 ENCRYPTED PRIVATE KEY ----\nb",
            "a\n[redacted-secret]\nb",
            "---- BEGIN ----",
        ),
        ("---- BEGIN SSH2 PUBLIC KEY ----\nAAAA", "[redacted-secret]", "-- BEGIN SSH2 --"),
        ("x.org/a?key=abcdef12", "x.org/a?key=[redacted-secret]", "x.org/a?keys=abcdef12"),
        ("x.org/a?b=1&signature=abcdef12", "x.org/a?b=1&signature=[redacted-secret]", "signature=5 of 7"),
        ("x.org/cb?code=abcdef12#x", "x.org/cb?code=[redacted-secret]#x", "x.org/cb?code=404"),
        ("비밀번호 x1", "비밀번호 [redacted-secret]", "비밀번호 8자 이상"),
        ("새 패스워드 hunter2!", "새 패스워드 [redacted-secret]", "비번 바꾸기 v2"),
        (
            "5f4dcc3b5aa765d61d8327deb882cf995f4dcc3b5aa765d61d8327deb882cf99",
            "[redacted-secret]",
            "sha256:5f4dcc3b5aa765d61d8327deb882cf995f4dcc3b5aa765d61d8327deb882cf99",
        ),
        (
            "0x5f4dcc3b5aa765d61d8327deb882cf995f4dcc3b5aa765d61d8327deb882cf99",
            "[redacted-secret]",
            "5f4dcc3b5aa765d61d8327deb882cf995f4dcc3b5aa765d61d8327deb882cf9",
        ),
        ("pass\u{200b}word=x1", "pass\u{200b}word=[redacted-secret]", "pass\u{200b}age=x1"),
        ("\u{200b}token\u{2060}: x1", "\u{200b}token\u{2060}: [redacted-secret]", "to\u{200b}ast: x1"),
        ("ｐａｓｓｗｏｒｄ＝ｘ１", "ｐａｓｓｗｏｒｄ＝[redacted-secret]", "ｐａｓｓａｇｅ＝ｘ１"),
        ("p\u{430}ssw\u{43e}rd=x1", "p\u{430}ssw\u{43e}rd=[redacted-secret]", "п\u{430}роход=x1"),
        ("비\u{200b}밀번호: x1", "비\u{200b}밀번호: [redacted-secret]", "비\u{200b}행기: x1"),
        ("\u{43a}ey t\u{43e}ken=x1", "\u{43a}ey t\u{43e}ken=[redacted-secret]", "к\u{43e}т=x1"),
        ("MARIADB: mariadb -px1\nls -pa", "MARIADB: mariadb -p[redacted-secret]\nls -pa", "mkdir -px1"),
    ];

    #[test]
    fn c6_secret_forms_are_hidden_near_misses_stay() {
        for (text, hidden, miss) in FORMS {
            assert_eq!(hide(text), hidden);
            assert_eq!(hide(hidden), hidden, "hiding again changes nothing");
            assert_eq!(hide(miss), miss);
        }
    }

    #[test]
    fn repeated_secret_prefixes_are_scanned_once() {
        for part in [
            "\u{1}",
            "-",
            "=a",
            "+",
            "://",
            "/home/",
            "AKIA.",
            "a.",
            "@",
            "token ",
            "token:",
            "token:\n",
            "token>",
            "토큰:",
            "::",
            "1.",
            "-u ",
            "mysql ",
            "mysql -p",
            "machine ",
            "machine a login b ",
            "a:1:b:c:",
            "a:",
            "?key=",
            "&code=",
            "---- BEGIN SSH2 ",
            "PuTTY-User-Key-File-",
            "discord.com/api/v1",
            "비밀번호 ",
            "\u{200b}",
            "ｐ",
            "a.a.",
            "SK0",
            "_KEY",
            "-",
        ] {
            let text = part.repeat(70_000 / part.len());
            assert!(!hide(&text).is_empty());
        }
    }

    #[test]
    fn what_is_no_secret_stays() {
        for text in [
            "결제 모듈의 토큰 만료를 고칩니다",
            "token 만료 처리",
            "5826a19f0c5d7e1a2b3c4d5e6f7a8b9c0d1e2f3a",
            "src/auth/password.rs",
            "https://example.com/a?b=c",
            "passing tests: 12",
            "cargo test --workspace",
            "비밀번호는 8자 이상",
            "the token is expired",
            "auth: 로그인 고침",
            "docker run -u 1000:1000 x",
            "src/components/DashboardV2/UserCard2024Panel",
            "crates/coordination/src/Schema-V1_1/ABC/hook",
        ] {
            assert_eq!(hide(text), text);
        }
    }
}
