//! Story of a server with accounts and TLS. The configuration is `docs/guide/fleet-server.conf` itself, filled in as the guide
//! says: a fleet works with it, and each user is refused what the guide says.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use bench::home;
use serde_json::Value;

use super::cluster::free_ports;
use super::process::{Process, retry};
use super::site::{ADMIN, TestFleet};
use super::wire::{Login, Reply, SERVER_NAME, Tap};
use super::{MIRRORED_WITHIN, READ_WITHIN, Round};
use crate::tree;

const CONFIGURATION: &str = "docs/guide/fleet-server.conf";
/// Certificate of the server, which is its own authority, and the key.
const CERTIFICATE: &str = "crates/monitor/src/core/alerts/tests/tls/localhost.pem";
const KEY: &str = "crates/monitor/src/core/alerts/tests/tls/localhost.key";
/// Certificate of the same name with another key.
const OTHER_AUTHORITY: &str = "crates/devtools/src/fleet/other_authority.pem";
/// Names in the configuration: of the fleet, of its two machines and of the aggregator.
const FLEET: &str = "studio";
const MACHINES: [&str; 2] = ["seum", "dajim"];
const READER: &str = "reader";
/// A machine with the credentials of another.
const STRANGER: &str = "stranger";
const STREAMS: [&str; 2] = ["TH_LOG_studio", "TH_STATE_studio"];
/// Requests that change a stream, and those among them that nobody may send.
const STREAM_CHANGES: [&str; 5] = ["DELETE", "MSG.DELETE", "PURGE", "UPDATE", "CREATE"];
const REMOVALS: usize = 2;
/// Messages of a machine that are stored.
const STORED: [&str; 4] = ["log.forged", "file.forged", "layout", "hello"];
/// Subject without messages that every user may subscribe to.
const UNUSED: &str = "_INBOX.unused";
/// A message that a server stores although it should not is stored by then.
const STORED_WITHIN: Duration = Duration::from_millis(500);

/// Server of the configuration, with the ids of the machines that it is filled with.
struct AccountServer {
    port: u16,
    ids: [String; 2],
}

/// The whole story with one version of the server.
pub(super) fn story(round: &Round) -> Result<()> {
    let folder = round.folder.join("accounts");
    let port = free_ports(1)?.first().copied().context("no free port")?;
    let site = |host: &str, authority: &str| {
        let fleet = TestFleet::new(&round.monitor, FLEET, &format!("nats://{host}:{port}"), &folder)?;
        Ok::<_, anyhow::Error>(fleet.with_authority(tree::root().join(authority)))
    };
    let mut fleet = site(SERVER_NAME, CERTIFICATE)?;
    for (process, user) in
        [ADMIN, READER].into_iter().chain(MACHINES).map(|name| (name, name)).chain([(STRANGER, MACHINES[0])])
    {
        std::fs::write(fleet.creds_of(process), format!("{user}:{}\n", password(user)))?;
    }
    // While no server answers, a publisher makes the id that the configuration needs.
    for (name, fixture) in MACHINES.into_iter().zip(["everything", "ping-pong"]) {
        fleet.add_machine(name, round.copied(fixture, name)?)?;
    }
    let id = |machine| retry("the home has an id", READ_WITHIN, || fleet.id_of(machine));
    let server = AccountServer { port, ids: [id(0)?, id(1)?] };
    let _running = server.start(&round.server, &folder)?;
    fleet.make_streams()?;
    fleet.add_aggregator(READER)?;
    round.compare(&fleet)?;
    let listed = fleet.ask(&["list"])?;
    ensure!(server.ids.iter().all(|id| listed.contains(id)), "fleet list: {listed}");
    server.ensure_connections_refused()?;
    for (what, other) in
        [("another authority", site(SERVER_NAME, OTHER_AUTHORITY)?), ("another name", site("127.0.0.1", CERTIFICATE)?)]
    {
        let refused = other.ask(&["list"]).err().with_context(|| format!("a certificate of {what} was accepted"))?;
        ensure!(refused.to_string().contains("certificate"), "{what}: {refused:#}");
    }
    server.ensure_requests_refused()?;
    server.ensure_nothing_seen(&fleet)?;
    server.ensure_changes_sent()?;
    ensure_stranger_refused(round, &fleet)?;
    fleet.wait_until_mirrored(MIRRORED_WITHIN)?;
    fleet.machines[0].publisher.take().context("no publisher")?.end()?;
    fleet.forget(MACHINES[0])?;
    fleet.machines.remove(0);
    fleet.wait_until_mirrored(MIRRORED_WITHIN).context("after a machine was removed").map(drop)
}

/// Password of a user; it begins with a letter.
fn password(user: &str) -> String {
    format!("{user}-password")
}

/// A machine with the credentials of another says what the guide says; nothing of it is stored.
fn ensure_stranger_refused(round: &Round, fleet: &TestFleet) -> Result<()> {
    let _publisher = fleet.publisher_of_copy(STRANGER, &round.copied("ping-pong", STRANGER)?)?;
    retry("a machine with the credentials of another is refused", READ_WITHIN, || {
        let said = std::fs::read_to_string(fleet.log_of(STRANGER))?;
        ensure!(said.contains("no stream found for given subject"), "it says {said}");
        Ok(())
    })
}

impl AccountServer {
    /// Starts the server as the guide says, with the passwords in its environment.
    fn start(&self, program: &Path, folder: &Path) -> Result<Process> {
        let path = |path: PathBuf| path.to_string_lossy().into_owned();
        let filled = [
            ("0.0.0.0:4222", format!("127.0.0.1:{}", self.port)),
            ("/var/lib/nats", path(folder.join("store"))),
            ("/etc/nats/server.pem", path(tree::root().join(CERTIFICATE))),
            ("/etc/nats/server.key", path(tree::root().join(KEY))),
            ("11111111111111111111111111111111", self.ids[0].clone()),
            ("22222222222222222222222222222222", self.ids[1].clone()),
        ];
        let mut text = std::fs::read_to_string(tree::root().join(CONFIGURATION)).context(CONFIGURATION)?;
        for (placeholder, value) in filled {
            ensure!(text.contains(placeholder), "{CONFIGURATION} has no {placeholder}");
            text = text.replace(placeholder, &value);
        }
        let file = folder.join("fleet-server.conf");
        std::fs::write(&file, text)?;
        let mut command = Command::new(program);
        for user in [ADMIN, READER].into_iter().chain(MACHINES) {
            command.env(format!("{}_PASSWORD", user.to_uppercase()), password(user));
        }
        Process::start(command.arg("-c").arg(file), &folder.join("server.log"))
    }

    /// Connection of a user, which sees the messages of a subject.
    fn sign_in(&self, user: &str, subject: &str) -> Result<Tap> {
        let authority = tree::root().join(CERTIFICATE);
        let login = Login { user, password: &password(user), authority: Some(&authority) };
        Tap::sign_in(self.port, &login, subject).with_context(|| format!("{user} cannot sign in"))
    }

    /// Without TLS and with another password no user is let in.
    fn ensure_connections_refused(&self) -> Result<()> {
        let authority = tree::root().join(CERTIFICATE);
        for user in [ADMIN, READER].into_iter().chain(MACHINES) {
            let plain = Login { user, password: &password(user), authority: None };
            ensure!(Tap::sign_in(self.port, &plain, UNUSED).is_err(), "{user} signed in without TLS");
            let wrong = Login { user, password: "another-password", authority: Some(&authority) };
            let refused = Tap::sign_in(self.port, &wrong, UNUSED).err().context("a wrong password was accepted")?;
            ensure!(refused.to_string().contains("Authorization Violation"), "a wrong password of {user}: {refused:#}");
        }
        Ok(())
    }

    /// Each user is refused what the guide says. A request that all may send is answered, so the client can tell both.
    fn ensure_requests_refused(&self) -> Result<()> {
        let mut admin = self.sign_in(ADMIN, UNUSED)?;
        let before = self.contents(&mut admin)?;
        for user in [ADMIN, READER].into_iter().chain(MACHINES) {
            let mut tap = self.sign_in(user, UNUSED)?;
            for stream in STREAMS {
                answer(&mut tap, &format!("$JS.API.STREAM.INFO.{stream}"), "")
                    .with_context(|| format!("user {user}"))?;
            }
            for subject in self.refused(user) {
                match tap.request(&subject, "").with_context(|| format!("user {user}"))? {
                    Reply::NoResponders | Reply::Denied => {}
                    Reply::Answer(answer) => bail!("{subject} of {user} was answered: {answer}"),
                }
            }
        }
        // The server itself may publish anywhere: its answer must not get to the subject of another machine.
        for (machine, other) in MACHINES.into_iter().zip(self.ids.iter().rev()) {
            let mut tap = self.sign_in(machine, UNUSED)?;
            for stored in STORED {
                let subject = format!("th.v1.{FLEET}.{other}.{stored}");
                tap.send(("$JS.API.STREAM.INFO.TH_LOG_studio", &subject), "")?;
            }
            tap.subjects_until_pong()?;
        }
        std::thread::sleep(STORED_WITHIN);
        let after = self.contents(&mut admin)?;
        ensure!(before == after, "the streams had {before:?}, and now {after:?}");
        Ok(())
    }

    /// Subjects on which a user is refused.
    fn refused(&self, user: &str) -> Vec<String> {
        let below = |id: &String, topics: &[&str]| topics.iter().map(|it| format!("th.v1.{FLEET}.{id}.{it}")).collect();
        let on_streams = |requests: &[&str]| {
            let named = |request| STREAMS.map(|stream| format!("$JS.API.{request}.{stream}"));
            requests.iter().flat_map(|request| named(*request)).collect()
        };
        let changes: Vec<String> = STREAM_CHANGES.iter().map(|change| format!("STREAM.{change}")).collect();
        let changes: Vec<&str> = changes.iter().map(String::as_str).collect();
        let consumers = ["CONSUMER.CREATE", "CONSUMER.NAMES", "CONSUMER.LIST"];
        let parts: Vec<Vec<String>> = match user {
            ADMIN => vec![
                self.ids.iter().flat_map(|id| below(id, &STORED[..3])).collect(),
                on_streams(&changes[..REMOVALS]),
                on_streams(&consumers),
            ],
            READER => vec![
                self.ids.iter().flat_map(|id| below(id, &STORED)).collect(),
                on_streams(&changes),
                on_streams(&["STREAM.MSG.GET"]),
            ],
            machine => {
                let other = usize::from(machine == MACHINES[0]);
                vec![
                    below(&self.ids[other], &STORED),
                    below(&self.ids[other], &["cmd"]),
                    on_streams(&changes),
                    on_streams(&consumers),
                ]
            }
        };
        parts.concat()
    }

    /// What the streams have. Hellos come every ten seconds: of them the authors.
    fn contents(&self, admin: &mut Tap) -> Result<Vec<Value>> {
        let mut contents = Vec::new();
        let mut info = |stream: &str| answer(admin, &format!("$JS.API.STREAM.INFO.{stream}"), "");
        let (log, state) = (info(STREAMS[0])?["state"].take(), info(STREAMS[1])?["state"].take());
        contents.extend(["messages", "first_seq", "last_seq"].map(|field| log[field].clone()));
        contents.push(state["messages"].clone());
        for id in &self.ids {
            let last = format!(r#"{{"last_by_subj":"th.v1.{FLEET}.{id}.hello"}}"#);
            let hello = answer(admin, "$JS.API.STREAM.MSG.GET.TH_STATE_studio", &last)?;
            let hello = &hello["message"]["data"];
            let hello = BASE64_STANDARD.decode(hello.as_str().with_context(|| format!("no hello: {hello}"))?)?;
            contents.push(serde_json::from_slice::<Value>(&hello).context("a hello is not JSON")?["publisher"].take());
        }
        Ok(contents)
    }

    /// A machine that subscribes to everything sees nothing of the other one.
    fn ensure_nothing_seen(&self, fleet: &TestFleet) -> Result<()> {
        for (number, other, event) in [(0, 1, 1), (1, 0, 2)] {
            let mut tap = self.sign_in(MACHINES[number], ">")?;
            for machine in &fleet.machines {
                home::append(&machine.home, &home::event(event))?;
            }
            fleet.wait_until_mirrored(MIRRORED_WITHIN)?;
            let seen = tap.subjects_until_pong()?;
            let of = |id: &String| seen.iter().filter(|subject| subject.contains(id)).count();
            ensure!(of(&self.ids[number]) > 0, "{} does not see its own messages: {seen:?}", MACHINES[number]);
            ensure!(of(&self.ids[other]) == 0, "{} sees messages of {}: {seen:?}", MACHINES[number], MACHINES[other]);
        }
        Ok(())
    }

    /// Changes of an aggregator get to the machine, and only to the one.
    fn ensure_changes_sent(&self) -> Result<()> {
        let subjects = self.ids.each_ref().map(|id| format!("th.v1.{FLEET}.{id}.cmd"));
        let mut machines = Vec::new();
        for machine in MACHINES {
            machines.push(self.sign_in(machine, &format!("th.v1.{FLEET}.*.cmd"))?);
        }
        let mut reader = self.sign_in(READER, UNUSED)?;
        for subject in &subjects {
            reader.send((subject, UNUSED), "")?;
        }
        for (tap, subject) in machines.iter_mut().zip(&subjects) {
            tap.next_message().with_context(|| format!("no change came on {subject}"))?;
            let others = tap.subjects_until_pong()?;
            ensure!(others.is_empty(), "changes of another machine came to that of {subject}: {others:?}");
        }
        Ok(())
    }
}

/// The answer to a request that is allowed.
fn answer(tap: &mut Tap, subject: &str, payload: &str) -> Result<Value> {
    match tap.request(subject, payload)? {
        Reply::Answer(answer) if answer["error"].is_null() => Ok(answer),
        other => bail!("{subject}: {other:?}"),
    }
}
