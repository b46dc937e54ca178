//! Type `FleetMember`: one machine of a fleet for the routes that show it, and the requests to its own monitor.

use std::sync::PoisonError;

use coordination::api::{FleetMachine, FleetSource, FleetSourceState};

use super::Fleet;
use crate::app::AppState;
use crate::fleet::commands::{self, CommandFault, CommandReply, FleetCommand};
use crate::fleet::reads::{self, FleetRead, ReadFault, ReadReply};
use crate::fleet::streams::SourceSubjects;

/// A machine of the fleet and the monitor of its mirror.
#[derive(Clone)]
pub(crate) struct FleetMember {
    /// Id of the source.
    pub(crate) id: String,
    /// What is known of it, without what its monitor says.
    pub(crate) info: FleetSource,
    /// The monitor of its mirror.
    pub(crate) app: AppState,
    /// It answers reads.
    pub(super) has_reads: bool,
    pub(super) fleet: Fleet,
}

impl FleetMember {
    /// Has the machine's own monitor carry out a command.
    ///
    /// # Errors
    /// When there is no answer; see [`CommandFault`].
    pub(crate) async fn run(&self, command: &FleetCommand) -> Result<CommandReply, CommandFault> {
        if self.newest().info.state == FleetSourceState::Stopped {
            return Err(CommandFault::Offline);
        }
        let client = self.client().ok_or(CommandFault::Unreachable)?;
        commands::send(&client, &self.subject(), command).await
    }

    /// Has the machine's own monitor answer a read.
    ///
    /// # Errors
    /// When there is no answer; see [`ReadFault`].
    pub(crate) async fn read(&self, read: &FleetRead) -> Result<ReadReply, ReadFault> {
        let newest = self.newest();
        if !newest.has_reads {
            return Err(ReadFault::NotOffered);
        }
        // Between accounts the servers do not say that nobody listens.
        let timeout = match newest.info.state {
            FleetSourceState::Stopped => return Err(ReadFault::Offline),
            FleetSourceState::Silent => reads::SILENT_TIMEOUT,
            _ => reads::ANSWER_TIMEOUT,
        };
        let client = self.client().ok_or(ReadFault::Unreachable)?;
        reads::send(&client, &self.subject(), read, timeout).await
    }

    /// What is known of it, with whether its history is still being read here.
    pub(crate) fn current_info(&self) -> FleetSource {
        FleetSource { starting: !self.app.is_ready(), ..self.info.clone() }
    }

    /// Its state as of now, for its own pages.
    pub(crate) fn machine(&self) -> FleetMachine {
        FleetMachine::new(&self.newest().info, self.fleet.view().link)
    }

    /// Whether the machine answers reads, as of its last hello.
    pub(crate) fn has_reads(&self) -> bool {
        self.newest().has_reads
    }

    /// The machine as of now: a router holds it for as long as it is served.
    fn newest(&self) -> Self {
        let view = self.fleet.view();
        view.members.iter().find(|member| member.id == self.id).unwrap_or(self).clone()
    }

    fn client(&self) -> Option<async_nats::Client> {
        self.fleet.0.client.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn subject(&self) -> String {
        SourceSubjects::new(self.fleet.name(), &self.id).commands()
    }
}
