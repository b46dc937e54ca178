//! Type `BenchFleet`: one NATS server with the streams of a fleet, publishers and aggregators, all of them processes of this
//! machine.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result};
use bench::http;
use bench::nats::{NatsConnection, NatsServer};
use bench::server::{BenchProcess, BenchServer, wait_until};
use serde_json::{Value, json};
use xtask::{shell, tree};

/// Name of the fleet.
const FLEET: &str = "bench";
/// Room of its streams: a server takes no more than three quarters of the free disk.
const GIGABYTES: &str = "4";

pub struct BenchFleet {
    monitor: PathBuf,
    folder: PathBuf,
    pub nats: NatsServer,
}

impl BenchFleet {
    /// A server with empty streams, over a folder that is cleared.
    pub fn start(monitor: &Path, name: &str) -> Result<Self> {
        let folder = tree::target()?.join("bench").join(name);
        if folder.exists() {
            std::fs::remove_dir_all(&folder).with_context(|| format!("cannot clear {}", folder.display()))?;
        }
        std::fs::create_dir_all(&folder)?;
        let fleet = Self { monitor: monitor.to_owned(), nats: NatsServer::start(&folder.join("nats"))?, folder };
        let mut init = Command::new(monitor);
        shell::run_quietly(init.args(["fleet", "init", "--gigabytes", GIGABYTES]).args(fleet.words()))?;
        Ok(fleet)
    }

    fn words(&self) -> [String; 4] {
        ["--fleet".to_owned(), FLEET.to_owned(), "--nats".to_owned(), self.nats.url()]
    }

    /// Path in the folder of this fleet.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// A publisher of a home.
    pub fn publisher(&self, machine: &str, home: &Path) -> Result<BenchProcess> {
        let mut ship = Command::new(&self.monitor);
        ship.args(["ship", "--machine", machine, "--home"]).arg(home).args(self.words());
        let process = ship.stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        Ok(BenchProcess::new(process.context("cannot start a publisher")?))
    }

    /// A process that shows the fleet from a mirror of this name, with further words. It may have nothing yet.
    pub fn aggregator(&self, mirror: &str, words: &[&str]) -> Result<BenchServer> {
        BenchServer::spawn(&self.monitor, |serve| {
            serve.args(self.words()).arg("--fleet-mirror").arg(self.path(mirror)).args(words);
        })
    }

    /// Waits until so many bytes of logs are published, over all machines. Publishers say so every ten seconds.
    pub fn wait_until_published(&self, bytes: u64) -> Result<()> {
        wait_until("all lines are published", Duration::from_millis(500), || {
            let mut list = Command::new(&self.monitor);
            let text = shell::output(list.args(["fleet", "list", "--json"]).args(self.words()));
            let list: Value = serde_json::from_str(&text.context("the streams cannot be listed")?)?;
            let machines = list["machines"].as_array().into_iter().flatten();
            Ok(machines.filter_map(|machine| machine["bytes"].as_u64()).sum::<u64>() >= bytes)
        })
    }

    /// Messages of the stream of logs.
    fn batches(&self) -> Result<u64> {
        let info = NatsConnection::request(self.nats.port, &format!("STREAM.INFO.TH_LOG_{FLEET}"), &json!({}))?;
        info["state"]["messages"].as_u64().context("a stream without a number of messages")
    }

    /// Receives all messages of the stream of logs and does nothing with them; their number.
    pub fn receive_all(&self) -> Result<u64> {
        let (stream, inbox) = (format!("TH_LOG_{FLEET}"), "_INBOX.task-hub-bench-consumer");
        let count = self.batches()?;
        let mut consumer = NatsConnection::open(self.nats.port)?;
        consumer.subscribe(inbox)?;
        let config = json!({
            "deliver_subject": inbox, "deliver_policy": "all", "ack_policy": "none", "replay_policy": "instant",
            "mem_storage": true, "num_replicas": 1,
        });
        let wanted = json!({ "stream_name": stream, "config": config });
        NatsConnection::request(self.nats.port, &format!("CONSUMER.CREATE.{stream}"), &wanted)?;
        for _ in 0..count {
            consumer.message()?;
        }
        Ok(count)
    }
}

/// Waits until an aggregator answers for machines with so many events each, and has all that is published.
pub fn wait_until_complete(aggregator: &BenchServer, machines: &[(String, u64)]) -> Result<()> {
    let mut left = machines.iter().peekable();
    wait_until("the aggregator has all lines", Duration::from_millis(5), || {
        while let Some((name, events)) = left.peek() {
            // An error: it does not listen yet, or does not know the machine yet.
            if !health(aggregator, name).is_ok_and(|health| health["events"].as_u64() == Some(*events)) {
                return Ok(false);
            }
            left.next();
        }
        let page = http::json(aggregator.port, "/api/v2/fleet")?;
        Ok(page["link"] == "connected" && page["behind"] == 0)
    })
}

/// Waits until the search index of each machine covers all its events.
pub fn wait_until_indexed(aggregator: &BenchServer, machines: &[(String, u64)]) -> Result<()> {
    wait_until("the aggregator has indexed all lines", Duration::from_millis(20), || {
        for (name, events) in machines {
            let covered = health(aggregator, name)?["index"]["events"].as_u64();
            if covered.is_some_and(|covered| covered < *events) {
                return Ok(false);
            }
        }
        Ok(true)
    })
}

fn health(aggregator: &BenchServer, machine: &str) -> Result<Value> {
    http::json(aggregator.port, &format!("/@{machine}/api/v2/health"))
}
