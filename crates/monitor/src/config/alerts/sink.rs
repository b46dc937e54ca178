//! Settings of one sink of alerts, `[[alerts.sinks]]`: kind, address, token or command, and how much text it gets.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;

use super::super::ConfigError;
use super::super::values::secret_text;
use super::wrong;

/// Longest address and token, bytes.
const MAX_URL_BYTES: usize = 2_000;
const MAX_TOKEN_BYTES: usize = 4_000;

/// One of `[[alerts.sinks]]`.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(super) struct SinkSection {
    name: String,
    kind: Option<AlertSinkKind>,
    url: Option<String>,
    url_file: Option<PathBuf>,
    token_file: Option<PathBuf>,
    command: Vec<String>,
    from: Option<String>,
    to: Vec<String>,
    contact: Option<String>,
    services: Vec<String>,
    text: SinkText,
    over: Option<bool>,
}

/// Shape of the messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AlertSinkKind {
    /// A webhook that gets JSON.
    Json,
    /// An incoming webhook of Slack.
    Slack,
    /// A webhook of Discord.
    Discord,
    /// An incoming webhook of Mattermost.
    Mattermost,
    /// A topic of ntfy.
    Ntfy,
    /// E-mail through a command.
    Email,
    /// Web Push to the browsers that subscribed on the page.
    Push,
}

impl AlertSinkKind {
    /// Whether a later message can take the place of an earlier one.
    pub(crate) fn edits(self) -> bool {
        matches!(self, Self::Json | Self::Discord | Self::Ntfy | Self::Push)
    }
}

/// How much text leaves the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SinkText {
    /// That something waits, and of which kind.
    None,
    /// Also agents and titles.
    #[default]
    Title,
    /// Also details as agents wrote them.
    Full,
}

/// A place that messages are sent to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AlertSink {
    /// Its name, unique among the sinks.
    pub name: String,
    /// Shape of the messages.
    pub kind: AlertSinkKind,
    /// The address, of all kinds but e-mail and push.
    pub webhook: Option<WebhookTarget>,
    /// The command, of e-mail.
    pub mail: Option<MailCommand>,
    /// The contact for push services, of push.
    pub push: Option<PushSettings>,
    /// How much text it gets.
    pub text: SinkText,
    /// Whether it gets a message when lines are over.
    pub sends_over: bool,
}

/// Address and token of a webhook. They let anybody write there, so nothing prints them.
#[derive(Clone, PartialEq, Eq)]
pub struct WebhookTarget {
    url: Arc<str>,
    token: Option<Arc<str>>,
}

/// A program that takes a message on its standard input, as `sendmail -t` does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MailCommand {
    /// The program by its absolute path, and its arguments.
    pub command: Vec<String>,
    /// Address of the sender.
    pub from: String,
    /// Addresses of the receivers.
    pub to: Vec<String>,
}

/// Settings of Web Push.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PushSettings {
    /// Where a push service reaches the operator, `mailto:` or `https:` (RFC 8292).
    pub contact: String,
    /// Origins of push services beside those of the known browsers.
    pub services: Vec<String>,
}

impl WebhookTarget {
    /// A web address.
    ///
    /// # Errors
    /// When it is not an http or https address. The error does not repeat it.
    pub(crate) fn new(url: &str, token: Option<&str>) -> Result<Self, String> {
        let url = url.trim();
        let is_text = url.len() <= MAX_URL_BYTES && url.bytes().all(|byte| byte.is_ascii_graphic());
        let uri = url.parse::<axum::http::Uri>().ok().filter(|_| is_text).ok_or("the address cannot be read")?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) || uri.host().is_none_or(str::is_empty) {
            return Err("the address must begin with https:// or http://".to_owned());
        }
        if uri.authority().is_some_and(|authority| authority.as_str().contains('@')) {
            return Err("the address must not contain a user name or password; use token_file".to_owned());
        }
        let is_token = |token: &&str| {
            !token.is_empty() && token.len() <= MAX_TOKEN_BYTES && token.bytes().all(|byte| byte.is_ascii_graphic())
        };
        if token.is_some_and(|token| !is_token(&token)) {
            return Err("the token must be one word of ASCII letters, digits and marks".to_owned());
        }
        Ok(Self { url: url.into(), token: token.map(Into::into) })
    }

    /// The address, for requests only.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// The token, for requests only.
    pub(crate) fn token(&self) -> Option<&str> {
        self.token.as_deref()
    }

    /// Scheme, host and port: what people see of it.
    #[must_use]
    pub fn origin(&self) -> String {
        let path = self.url.find("://").and_then(|at| self.url[at + 3..].find(['/', '?', '#']).map(|end| at + 3 + end));
        path.map_or_else(|| self.url.to_string(), |end| self.url[..end].to_owned())
    }

    /// A text without address and token, which an answer may repeat.
    pub(crate) fn masked(&self, text: &str) -> String {
        let mut text = text.replace(&*self.url, "…");
        let path = self.url.get(self.origin().len()..).unwrap_or_default();
        for secret in [Some(path), self.token.as_deref()].into_iter().flatten().filter(|secret| secret.len() > 3) {
            text = text.replace(secret, "…");
        }
        text
    }
}

impl std::fmt::Debug for WebhookTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "WebhookTarget({}/…)", self.origin())
    }
}

impl SinkSection {
    pub(super) fn checked(self, cautions: &mut Vec<String>) -> Result<AlertSink, ConfigError> {
        let name = self.name.trim().to_owned();
        let is_name = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
        if name.is_empty() || name.len() > 40 || !name.chars().all(is_name) {
            return Err(wrong("alerts.sinks: each sink needs a name of at most 40 letters, digits, - and _ of ASCII"));
        }
        let refused = |what: &str| wrong(&format!("alerts.sinks {name:?}: {what}"));
        let kind = self.kind.ok_or_else(|| refused("kind is missing"))?;
        let (mut webhook, mut mail, mut push) = (None, None, None);
        let has_mail = !self.command.is_empty() || self.from.is_some() || !self.to.is_empty();
        let has_address = self.url.is_some() || self.url_file.is_some() || self.token_file.is_some();
        let has_push = self.contact.is_some() || !self.services.is_empty();
        if kind == AlertSinkKind::Email {
            if has_address || has_push {
                return Err(refused("e-mail takes command, from and to, nothing else"));
            }
            mail = Some(mail_command(self.command, self.from, self.to).map_err(|what| refused(&what))?);
        } else if kind == AlertSinkKind::Push {
            if has_address || has_mail {
                return Err(refused("push takes contact and services: browsers bring their addresses"));
            }
            push = Some(push_settings(self.contact, self.services).map_err(refused)?);
        } else {
            if has_mail || has_push {
                return Err(refused("command, from and to are for e-mail, contact and services for push"));
            }
            let field = format!("alerts.sinks {name:?}: url_file");
            let url = match (self.url, self.url_file) {
                (Some(url), None) => url,
                (None, Some(path)) => secret_text(&path, &field, cautions)?,
                _ => return Err(refused("url or url_file is needed, and not both")),
            };
            let field = format!("alerts.sinks {name:?}: token_file");
            let token = self.token_file.map(|path| secret_text(&path, &field, cautions)).transpose()?;
            let target = WebhookTarget::new(&url, token.as_deref()).map_err(|what| refused(&what))?;
            if target.url().starts_with("http://") && !is_local(&target.origin()) {
                cautions.push(format!("alerts.sinks {name:?}: messages and secrets cross the network unencrypted"));
            }
            webhook = Some(target);
        }
        // What edits in place is silent; a second message to a chat or mailbox is wanted by few.
        let sends_over = self.over.unwrap_or(kind.edits());
        Ok(AlertSink { name, kind, webhook, mail, push, text: self.text, sends_over })
    }
}

/// Whether an origin is this machine.
fn is_local(origin: &str) -> bool {
    let host = origin.trim_start_matches("http://");
    ["127.0.0.1", "localhost", "[::1]"]
        .iter()
        .any(|local| host.strip_prefix(local).is_some_and(|rest| rest.is_empty() || rest.starts_with(':')))
}

fn push_settings(contact: Option<String>, services: Vec<String>) -> Result<PushSettings, &'static str> {
    let is_contact = |contact: &String| {
        let rest = contact.strip_prefix("mailto:").or_else(|| contact.strip_prefix("https://"));
        rest.is_some_and(|rest| rest.len() > 2) && contact.bytes().all(|byte| byte.is_ascii_graphic())
    };
    let contact = contact.filter(is_contact).ok_or("contact must be mailto: or https: with how to reach you")?;
    let is_origin = |service: &String| {
        WebhookTarget::new(service, None).is_ok_and(|target| target.origin() == service.trim_end_matches('/'))
    };
    if !services.iter().all(is_origin) {
        return Err("services must be origins such as https://push.example.org");
    }
    Ok(PushSettings { contact, services })
}

fn mail_command(command: Vec<String>, from: Option<String>, to: Vec<String>) -> Result<MailCommand, String> {
    // It goes into a header, and an address that begins with a dash would be an option.
    let is_address = |address: &String| {
        let plain = |byte: u8| byte.is_ascii_graphic() && !b"<>()[]\\,;:\"".contains(&byte);
        address.bytes().all(plain)
            && !address.starts_with('-')
            && address.len() <= 254
            && address
                .split_once('@')
                .is_some_and(|(name, host)| !name.is_empty() && !host.is_empty() && !host.contains('@'))
    };
    if !command.first().is_some_and(|program| program.starts_with('/')) {
        return Err("command must begin with the absolute path of a program, such as /usr/sbin/sendmail".to_owned());
    }
    let from = from.filter(is_address).ok_or("from must be an e-mail address")?;
    if to.is_empty() || !to.iter().all(is_address) {
        return Err("to must be a list of e-mail addresses".to_owned());
    }
    Ok(MailCommand { command, from, to })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(text: &str) -> Result<AlertSink, ConfigError> {
        toml::from_str::<SinkSection>(text).expect("of the right shape").checked(&mut Vec::new())
    }

    #[test]
    fn webhook_addresses_are_never_shown() {
        let target = WebhookTarget::new("https://hooks.example:8443/services/s3cret?k=v", Some("t0ken")).expect("one");
        assert_eq!(target.origin(), "https://hooks.example:8443");
        assert!(!format!("{target:?}").contains("s3cret") && !format!("{target:?}").contains("t0ken"));
        let masked =
            target.masked("no https://hooks.example:8443/services/s3cret?k=v with t0ken, /services/s3cret?k=v");
        assert_eq!(masked, "no … with …, …");
        for bad in ["", "ftp://s3cret.example/", "https://u:s3cret@h.example/", "s3cret", "https:///s3cret"] {
            let error = WebhookTarget::new(bad, None).expect_err(bad);
            assert!(!error.contains("s3cret"), "{error}");
        }
    }

    #[test]
    fn sinks_take_what_their_kind_needs() {
        let slack = checked("name = \"a\"\nkind = \"slack\"\nurl = \"https://h.example/x\"").expect("slack");
        assert!(!slack.sends_over && slack.text == SinkText::Title);
        let mail = "name = \"m\"\nkind = \"email\"\nfrom = \"hub@example.org\"\nto = [\"ops@example.org\"]\n";
        assert!(checked(&format!("{mail}command = [\"/usr/sbin/sendmail\", \"-t\"]")).is_ok());
        let push = checked("name = \"p\"\nkind = \"push\"\ncontact = \"mailto:ops@example.org\"").expect("push");
        assert!(push.sends_over && push.webhook.is_none());
        for bad in [
            "name = \"p\"\nkind = \"push\"".to_owned(),
            "name = \"p\"\nkind = \"push\"\ncontact = \"ops\"".to_owned(),
            "name = \"p\"\nkind = \"push\"\ncontact = \"mailto:o@e\"\nurl = \"https://h.example/\"".to_owned(),
            "name = \"p\"\nkind = \"push\"\ncontact = \"mailto:o@e\"\nservices = [\"https://h.example/x\"]".to_owned(),
            "name = \"a b\"\nkind = \"json\"\nurl = \"https://h.example/\"".to_owned(),
            "name = \"a\"\nkind = \"json\"".to_owned(),
            "name = \"a\"\nurl = \"https://h.example/\"".to_owned(),
            format!("{mail}command = [\"sendmail\"]"),
            format!("{mail}command = [\"/bin/mail\"]\nurl = \"https://h.example/\""),
            mail.replace("ops@example.org", "ops@example.org\\r\\nBcc: x@y") + "command = [\"/bin/mail\"]",
        ] {
            assert!(checked(&bad).is_err(), "{bad}");
        }
    }
}
