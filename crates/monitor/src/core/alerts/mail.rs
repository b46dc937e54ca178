//! E-mail of alerts: the message as MIME text, and the local command that takes it (`sendmail -t`).

use std::io::{ErrorKind, Read as _, Write as _};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use coordination::alerts::OutboxMessage;
use coordination::time::to_iso;

use super::http::SendFailure;
use super::request::{RequestContext, encoded_word};
use crate::config::MailCommand;

/// Time for the command.
const TIME_LIMIT: Duration = Duration::from_secs(30);
/// Between two looks at whether it has ended.
const POLL: Duration = Duration::from_millis(20);
/// Most of its error output that a cause repeats, bytes.
const MAX_ERROR_BYTES: u64 = 300;

const DAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The message with its headers (RFC 5322), with the line ends of a local program.
pub(super) fn mail_text(mail: &MailCommand, context: RequestContext<'_>, message: &OutboxMessage) -> String {
    let host = mail.from.rsplit('@').next().unwrap_or("localhost");
    let id = |key: &str| format!("<{key}@{host}>");
    let text = context.words(message);
    let body = context.plain_text(message, true);
    let body = if body.is_empty() { text.title.clone() } else { body };
    let mut headers = vec![
        format!("From: Task-Hub <{}>", mail.from),
        format!("To: {}", mail.to.join(", ")),
        format!("Subject: {}", encoded_word(&text.title).replace("?= =?", "?=\n =?")),
        format!("Date: {}", mail_date(context.now)),
        format!("Message-ID: {}", id(context.idempotency_key)),
        // No machine answers it.
        "Auto-Submitted: auto-generated".to_owned(),
        "MIME-Version: 1.0".to_owned(),
        "Content-Type: text/plain; charset=utf-8".to_owned(),
        "Content-Transfer-Encoding: base64".to_owned(),
    ];
    if let Some((about, ..)) = context.about {
        headers.push(format!("In-Reply-To: {}", id(about)));
        headers.push(format!("References: {}", id(about)));
    }
    let encoded = STANDARD.encode(format!("{body}\n").replace('\n', "\r\n"));
    let mut rest = encoded.as_str();
    let mut lines = Vec::new();
    while !rest.is_empty() {
        let (line, more) = rest.split_at(rest.len().min(76));
        lines.push(line);
        rest = more;
    }
    format!("{}\n\n{}\n", headers.join("\n"), lines.join("\n"))
}

/// `Sat, 21 Feb 2026 05:17:00 +0000`.
fn mail_date(ms: i64) -> String {
    let iso = to_iso(ms);
    let part = |from: usize, to: usize| iso.get(from..to).unwrap_or_default();
    let month = part(5, 7).parse::<usize>().ok().and_then(|month| MONTHS.get(month.checked_sub(1)?)).unwrap_or(&"Jan");
    let day = usize::try_from(ms.div_euclid(86_400_000).rem_euclid(7)).unwrap_or_default();
    format!("{}, {} {month} {} {} +0000", DAYS[day], part(8, 10), part(0, 4), part(11, 19))
}

/// Gives the message to the command and waits until it ends.
pub(super) fn send_mail(mail: &MailCommand, text: &str) -> Result<(), SendFailure> {
    let Some((program, arguments)) = mail.command.split_first() else {
        return Err(SendFailure::later("there is no command"));
    };
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = child.map_err(|error| SendFailure::later(format!("{program} cannot be started: {error}")))?;
    let outcome = feed(&mut child, text.as_bytes());
    let deadline = Instant::now() + TIME_LIMIT;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < deadline => std::thread::sleep(POLL),
            Ok(None) => {
                // It may have ended meanwhile.
                child.kill().unwrap_or_default();
                drop(child.wait());
                return Err(SendFailure::later(format!("{program} does not end in time")));
            }
            Err(error) => return Err(SendFailure::later(format!("{program}: {error}"))),
        }
    };
    if status.success() {
        return outcome.map_err(|error| SendFailure::later(format!("{program} did not take the message: {error}")));
    }
    let mut said = Vec::new();
    if let Some(errors) = child.stderr.take() {
        drop(errors.take(MAX_ERROR_BYTES).read_to_end(&mut said));
    }
    let said = String::from_utf8_lossy(&said).split_whitespace().collect::<Vec<_>>().join(" ");
    Err(SendFailure::later(format!("{program} ended with {status}: {said}")))
}

/// Writes the message and closes the input. A message is smaller than the buffer of a pipe, so that a program which reads
/// nothing does not hold it up.
fn feed(child: &mut Child, text: &[u8]) -> std::io::Result<()> {
    let Some(mut input) = child.stdin.take() else { return Err(ErrorKind::BrokenPipe.into()) };
    input.write_all(text)
}
