//! Tests of the host shown for a link. They compare it with `new URL(…).host` of Node, over addresses built to be
//! misread.
//!
//! Proves (text): The host shown for a link is the host that a browser opens.

use std::io::Write as _;
use std::process::{Command, Stdio};

use coordination::markdown::{Block, Inline, host, parse};

/// Hosts as people and attackers write them.
const HOSTS: &[&str] = &[
    "example.com",
    "EXAMPLE.com",
    "example.com.",
    "example.com..",
    ".example.com",
    "a..b",
    ".",
    "..",
    "",
    "localhost",
    "a_b.example",
    "-a.example",
    "a-.example",
    "xn--",
    "xn--a",
    "xn--55qx5d.example",
    "xn--bcher-kva.example",
    "xn--80ak6aa92e.com",
    "xn--3e0b707e",
    "xn--BCHER-KVA.example",
    "xn--zn7c.com",
    "xn--한글.com",
    "한글.kr",
    "한글.com",
    "예시-1.kr",
    "예시_1.kr",
    "日本語.jp",
    "東京タワー.jp",
    "にほん.jp",
    "パン.jp",
    "ニュース.jp",
    "口.com",
    "ロ.com",
    "二.com",
    "bücher.de",
    "BÜCHER.de",
    "straße.de",
    "STRAẞE.de",
    "faß.de",
    "ñandú.com",
    "é.com",
    "e\u{301}.com",
    "ﬁ.com",
    "ſ.com",
    "ĳ.nl",
    "ŀ.com",
    "ŉ.com",
    "İ.com",
    "ı.com",
    "K.com",
    "Å.com",
    "ªº.com",
    "пример.рф",
    "ПРИМЕР.рф",
    "аррӏе.com",
    "раураl.com",
    "payp\u{430}l.com",
    "ελλάδα.gr",
    "ΕΛΛΆΔΑ.gr",
    "ὀδός.gr",
    "ΣΊΣΥΦΟΣ.gr",
    "σίσυφος.gr",
    "ישראל.il",
    "مثال.com",
    "1مثال.com",
    "ไทย.com",
    "हिन्दी.com",
    "ã.com",
    "☃.net",
    "💩.la",
    "i❤.ws",
    "0\u{fe0f}.com",
    "ex\u{200b}ample.com",
    "ex\u{ad}ample.com",
    "ex\u{200d}ample.com",
    "ex\u{200c}ample.com",
    "ex\u{202e}ample.com",
    "ex\u{2060}ample.com",
    "ｅｘａｍｐｌｅ.com",
    "example。com",
    "example．com",
    "example｡com",
    "evil.com／bank.com",
    "evil.com⁄bank.com",
    "evil.com∕bank.com",
    "evil.com⧸bank.com",
    "evil.com․bank.com",
    "evil.com…bank.com",
    "bank.com＠evil.com",
    "bank.com﹫evil.com",
    "bank.com：80",
    "bank.com？x",
    "bank.com＃x",
    "a℀b.com",
    "℀.com",
    "⒈com",
    "①.com",
    "Ⅳ.com",
    "㏂.com",
    "ㄱ.com",
    "ㅏㄱ.com",
    "\u{1112}\u{1161}\u{11ab}.com",
    "\u{3164}.com",
    "\u{115f}.com",
    "ﾊﾛｰ.com",
    "ー.com",
    "・.com",
    "々.com",
    "〆.com",
    "ヿ.com",
    "ゟ.com",
    "ｶﾞ.com",
    "か\u{3099}.com",
    "豈.com",
    "𠮷.com",
    "⼀.com",
    "〇.com",
    "ex%61mple.com",
    "%65xample.com",
    "example%2ecom",
    "example%2Ecom",
    "evil.com%2f.bank.com",
    "evil.com%00.bank.com",
    "bank.com%40evil.com",
    "%ED%95%9C%EA%B8%80.kr",
    "%",
    "%zz",
    "a%",
    "a b",
    "a\u{a0}b.com",
    "a\u{3000}b",
    "a|b",
    "a^b",
    "a<b",
    "a>b",
    "a\"b",
    "a'b",
    "a`b",
    "a{b}",
    "a!b",
    "a$b",
    "a&b",
    "a(b)",
    "a*b",
    "a+b",
    "a,b",
    "a;b",
    "a=b",
    "a~b",
    "[",
    "]",
    "a[b]",
    "127.0.0.1",
    "127.1",
    "127",
    "0x7f.1",
    "0X7F.1",
    "0x7f000001",
    "2130706433",
    "017700000001",
    "0177.0.0.1",
    "127.0.0.1.",
    "127.0.0.1..",
    "1.2.3",
    "1.2.3.4.5",
    "256.1.1.1",
    "1.256",
    "1.2.3.256",
    "4294967295",
    "4294967296",
    "0x",
    "0x.0x",
    "0",
    "00",
    "08",
    "09.1",
    "1.2.3.08",
    "1.2.3.0x",
    "a.0x1",
    "a.1",
    "a.0xg",
    "1e3",
    "0x1g",
    "１.２.３.４",
    "①.2.3.4",
    "[::1]",
    "[::]",
    "[1::]",
    "[2001:db8::1]",
    "[2001:DB8:0:0:1:0:0:1]",
    "[::ffff:1.2.3.4]",
    "[1:2:3:4:5:6:7:8]",
    "[0:0:1::]",
    "[1:0:0:2::]",
    "[::1",
    "::1]",
    "[::1]x",
    "[::g]",
    "[::1%25eth0]",
    "[v1.a]",
    "[]",
    "[::1.2.3]",
    "[1:2:3:4:5:6:7::]",
    "[0::0:0]",
];

/// Texts before and after a host.
const WRAPPINGS: &[(&str, &str)] = &[
    ("https://", "/path"),
    ("http://", ":80/"),
    ("https://", ":80?x=https://bank.com"),
    ("https://bank.com@", "/"),
    ("https://bank.com:pw@", "#@x"),
    ("https://bank.com/@", ""),
    ("https://bank.com\\@", "/"),
    ("https://bank.com#@", "/"),
    ("https://bank.com?@", "/"),
    ("https:///", "/"),
    ("https://\\", "\\x"),
    ("HTTPS://a@b@", "\\@bank.com"),
    ("http://", ":0443/"),
    ("https://", ":00000443"),
    ("https://", ":65536"),
    ("https://", ":-1"),
    ("https://", ":8a"),
    ("https://", ":"),
];

fn addresses() -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for (number, host) in HOSTS.iter().enumerate() {
        out.push(format!("https://{host}/path"));
        // Each host in one more wrapping, each wrapping around many hosts.
        let (before, after) = WRAPPINGS[number % WRAPPINGS.len()];
        out.push(format!("{before}{host}{after}"));
    }
    out.extend(WRAPPINGS.iter().map(|(before, after)| format!("{before}example.com{after}")));
    out.extend(WRAPPINGS.iter().map(|(before, after)| format!("{before}한글.kr{after}")));
    out
}

/// `new URL(address).host` of each; nothing where that throws.
fn browser(addresses: &[String]) -> Vec<Option<String>> {
    let program = "let text = ''; process.stdin.on('data', (part) => (text += part)); process.stdin.on('end', () => {
        const host = (address) => { try { return new URL(address).host } catch { return null } }
        console.log(JSON.stringify(JSON.parse(text).map(host)))
    })";
    let mut node = Command::new("node")
        .args(["-e", program])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("node is needed to build this project and to run this test");
    node.stdin.take().unwrap().write_all(serde_json::to_string(addresses).unwrap().as_bytes()).unwrap();
    let output = node.wait_with_output().unwrap();
    assert!(output.status.success());
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn shown_host_equals_browser_host() {
    let addresses = addresses();
    let theirs = browser(&addresses);
    assert!(addresses.len() >= 200 && theirs.len() == addresses.len());
    let (mut same, mut refused, mut wrong) = (0, 0, Vec::new());
    for (address, theirs) in addresses.iter().zip(&theirs) {
        match host(address) {
            Some(ours) if Some(&ours.ascii) == theirs.as_ref() => same += 1,
            Some(ours) => wrong.push(format!("{address:?}: ours {:?}, a browser's {theirs:?}", ours.ascii)),
            None => refused += 1,
        }
    }
    println!("{} addresses: {same} read as a browser does, {refused} are no links here", addresses.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(same >= 150 && refused >= 50, "{same} the same, {refused} refused");
}

#[test]
fn confusable_letters_are_shown_as_punycode() {
    for (address, shown, suspicious) in [
        ("https://docs.rs/leptos?x=1", "docs.rs", false),
        ("https://한글.kr/x", "한글.kr", false),
        ("https://xn--bj0bj06e.kr/x", "한글.kr", false),
        ("https://日本語.jp:8443/", "日本語.jp:8443", false),
        ("https://аррӏе.com/", "xn--80ak6aa92e.com", true),
        ("https://payp\u{430}l.com/", "xn--paypl-7ve.com", true),
        ("https://bücher.de/", "xn--bcher-kva.de", true),
        ("https://ロ.com/", "xn--hek.com", true),
        ("https://bank.example@evil.example/login", "evil.example", true),
        ("http://2130706433/", "127.0.0.1", true),
        ("https://bank.com\\@evil.com", "bank.com", true),
        ("mailto:ops@example.com?subject=x", "ops@example.com", false),
        ("mailto:ops@example.com%2cx@evil.com", "ops@example.com%2cx@evil.com", true),
        ("mailto:ops@example.com?subject=a&body=to%3Dx", "ops@example.com", false),
        ("mailto:ops@example.com?body=a;b?c=d", "ops@example.com", false),
        ("mailto:ops@example.com#?to=x@evil.com", "ops@example.com", false),
        ("mailto:ops@example.com?to=x@evil.com", "ops@example.com", true),
        ("mailto:ops@example.com?subject=a&CC=x@evil.com", "ops@example.com", true),
        ("mailto:ops@example.com?subject=a;bcc=x@evil.com", "ops@example.com", true),
        ("mailto:ops@example.com?%74o=x@evil.com", "ops@example.com", true),
        ("mailto:ops@example.com?subject=a&attach=/etc/passwd", "ops@example.com", true),
        ("mailto:ops@example.com@evil.com", "ops@example.com@evil.com", true),
    ] {
        let read = host(address).expect(address);
        assert_eq!((read.shown.as_str(), read.suspicious), (shown, suspicious), "{address}");
    }
    for no_link in ["https://한글コ.ㅏ/", "javascript:1", "https://", "https://a b/", "mailto:", "//x", "https://[::1"]
    {
        assert_eq!(host(no_link), None, "{no_link}");
    }
}

#[test]
fn mail_link_with_address_text_is_trusted() {
    for (text, is_visible) in [
        ("[ops@example.com](mailto:ops@example.com)", true),
        ("[ops@**example**.com](mailto:ops@example.com)", true),
        ("[mailto:ops@example.com](mailto:ops@example.com)", true),
        ("<ops@example.com>", true),
        ("<mailto:ops@example.com>", true),
        ("[문의하기](mailto:ops@example.com)", false),
        ("[here](mailto:x@evil.com)", false),
        ("[ops@example.com 문의](mailto:ops@example.com)", false),
        ("[OPS@example.com](mailto:ops@example.com)", false),
        ("[ops@ex\u{200b}ample.com](mailto:ops@example.com)", false),
        ("[ops@example.com](https://example.com)", false),
        ("[https://example.com](https://example.com)", false),
    ] {
        match parse(text, &|_| None).blocks.as_slice() {
            [Block::Paragraph { content }] => match content.as_slice() {
                [Inline::Link { to, .. }] => assert_eq!(to.shows_address, is_visible, "{text}: {to:?}"),
                other => panic!("{text}: {other:?}"),
            },
            other => panic!("{text}: {other:?}"),
        }
    }
}

#[test]
fn link_text_naming_other_host_is_marked() {
    let misleads = |text: &str| match parse(text, &|_| None).blocks.as_slice() {
        [Block::Paragraph { content }] => content.iter().any(|one| match one {
            Inline::Link { to, .. } => to.misleading,
            Inline::Image { to: Some(to), .. } => to.misleading,
            _ => false,
        }),
        other => panic!("{text}: {other:?}"),
    };
    for text in [
        "[https://bank.com](https://evil.com)",
        "[bank.com](https://evil.com/bank.com)",
        "[로그인 bank.com/login](https://evil.com)",
        "[www.bank.com](https://bank.com.evil.com)",
        "[**ban\u{200b}k.com**](https://evil.com)",
        "[bаnk.com](https://bank.com)",
        "[ops@bank.com](mailto:ops@evil.com)",
        "[ops@bank.com](https://evil.com)",
        "[https://bank.com](mailto:a@b.com)",
        "[bank.com:8080](https://bank.com)",
        "![bank.com](https://evil.com/a.png)",
    ] {
        assert!(misleads(text), "{text}");
    }
    for text in [
        "[문서](https://example.com)",
        "[example.com](https://www.example.com/x)",
        "[https://example.com/x](https://example.com/y)",
        "[bubble.rs](https://github.com/x/bubble.rs)",
        "[README.md](https://example.com)",
        "[v1.2.3](https://example.com)",
        "[한글.kr](https://한글.kr)",
        "https://example.com/x",
        "<ops@example.com>",
        "[ops@example.com](mailto:ops@example.com)",
    ] {
        assert!(!misleads(text), "{text}");
    }
}
