//! Trait [`Backend`] with the queries of the pages, and its forwarding methods on `DataSource`. `v2.rs` and `v1.rs`
//! implement it; `v1.rs` also implements [`Compat`], which polls a 1.x monitor. A new query needs a line here and a
//! method in `v2.rs`, and one in `v1.rs` only if a 1.x monitor can answer it.

use coordination::api::{
    ActivityQuery, AgentActivity, AgentDetail, AgentsPage, AgentsQuery, AlertMessage, AlertRetry, AlertTest,
    AlertsPage, ArchiveList, ArchiveQuery, CategoriesPatch, CategoriesPatched, CategoryClear, CategoryHistory,
    CategoryPatch, CategoryPatched, ChangesPage, ChangesQuery, DaysQuery, Delegations, DelegationsQuery, Delta, Drift,
    EventDays, EventDetail, EventsPage, EventsQuery, EvidenceQuery, Flow, Health, Home, Me, MomentTotals, Names,
    PeriodsQuery, PermissionAnswer, PermissionDetail, PermissionSummary, PersonVisit, PushSubscribed, PushSubscription,
    Quality, Recap, RecapQuery, ReplayPage, SearchPage, SearchQuery, SessionDetail, SessionsPage, SessionsQuery,
    SharedChanged, SharedList, SharedPut, SharedQuery, SharedRemoval, SpeakAnswer, SpeakInfo, SpeakRequest,
    StoreHistory, StoreHistoryQuery, StoreList, StoreQuery, TaskDetail, TasksPage, TasksQuery, TaughtInfo, TaughtPut,
    ThreadFound, ThreadPage, ThreadQuery, Timeline, WaitsPage, WaitsQuery,
};
use coordination::ids::{AgentId, EventId, SessionId, TaskId, ThreadId};

use super::{DataSource, SourceError, SourceFuture, answered};

/// Makes the trait [`Backend`] of its lines, and methods of the same names that pass a question from [`DataSource`] to
/// its backend. `DataSource` is not one trait object for both kinds: the table of REST v2's methods would be part of
/// the first load, and with it every question and answer type of every page.
macro_rules! backend {
    (
        required { $($(#[$doc:meta])* fn $name:ident(&self $(, $arg:ident: $ty:ty)*) -> $out:ty;)* }
        provided { $($(#[$doc2:meta])* fn $name2:ident(&self $(, $arg2:ident: $ty2:ty)*) -> $out2:ty;)* }
    ) => {
        /// One method a question. What is asked is copied into the future, which borrows nothing. A question under
        /// `provided` is not supported unless the backend says otherwise.
        pub trait Backend: std::fmt::Debug {
            $($(#[$doc])* fn $name(&self $(, $arg: $ty)*) -> $out;)*
            $(
                $(#[$doc2])*
                #[allow(unused_variables, reason = "names of the arguments for the reader")]
                fn $name2(&self $(, $arg2: $ty2)*) -> $out2 {
                    answered(Err(SourceError::Unsupported))
                }
            )*
        }

        impl DataSource {
            $(
                $(#[$doc])*
                pub fn $name(&self $(, $arg: $ty)*) -> $out {
                    match self {
                        Self::V2(monitor) => monitor.$name($($arg),*),
                        Self::V1(monitor) => monitor.$name($($arg),*),
                    }
                }
            )*
            $(
                $(#[$doc2])*
                pub fn $name2(&self $(, $arg2: $ty2)*) -> $out2 {
                    match self {
                        Self::V2(monitor) => monitor.$name2($($arg2),*),
                        Self::V1(monitor) => monitor.$name2($($arg2),*),
                    }
                }
            )*
        }
    };
}

backend! {
    required {
        /// A page of sessions.
        fn sessions(&self, query: &SessionsQuery) -> SourceFuture<SessionsPage>;
        /// One session.
        fn session(&self, session: &SessionId) -> SourceFuture<SessionDetail>;
        /// A page of a thread.
        fn thread(&self, session: &SessionId, thread: &ThreadId, query: &ThreadQuery) -> SourceFuture<ThreadPage>;
        /// The messages of a thread, or of all threads of a session, that hold a text.
        fn found(&self, session: &SessionId, thread: Option<&ThreadId>, text: &str) -> SourceFuture<ThreadFound>;
        /// A page of a whole session.
        fn timeline(&self, session: &SessionId, query: &ThreadQuery) -> SourceFuture<Timeline>;
        /// One agent with its work, and who waits for whom.
        fn agent(&self, agent: &AgentId, query: &AgentsQuery) -> SourceFuture<AgentDetail>;
        /// What an agent did in a period.
        fn activity(&self, agent: &AgentId, query: &ActivityQuery) -> SourceFuture<AgentActivity>;
        /// All agents and what they are at.
        fn agents(&self, query: &AgentsQuery) -> SourceFuture<AgentsPage>;
        /// Names an operator gave; a 1.x monitor has none.
        fn names(&self) -> SourceFuture<Names>;
        /// The delegation tree of a session, or of all.
        fn delegations(&self, session: Option<&SessionId>, query: &DelegationsQuery) -> SourceFuture<Delegations>;
        /// The flow of a session.
        fn flow(&self, session: &SessionId) -> SourceFuture<Flow>;
        /// Which agents wait for which.
        fn waits(&self, query: &WaitsQuery) -> SourceFuture<WaitsPage>;
        /// How well the log tells what its events are.
        fn quality(&self, query: &PeriodsQuery) -> SourceFuture<Quality>;
        /// How the automatic filing does over time.
        fn drift(&self, query: &PeriodsQuery) -> SourceFuture<Drift>;
        /// A page of what is found everywhere.
        fn search(&self, query: &SearchQuery) -> SourceFuture<SearchPage>;
        /// A page of events.
        fn events(&self, query: &EventsQuery) -> SourceFuture<EventsPage>;
        /// One event with its line.
        fn event(&self, event: &EventId) -> SourceFuture<EventDetail>;
        /// Tasks.
        fn tasks(&self, query: &TasksQuery) -> SourceFuture<TasksPage>;
        /// One task.
        fn task(&self, agent: &AgentId, task: &TaskId) -> SourceFuture<TaskDetail>;
        /// Sets a session's category by hand.
        fn patch_category(&self, session: &SessionId, patch: &CategoryPatch) -> SourceFuture<CategoryPatched>;
        /// Sets the categories of many sessions, or returns them to their automatic ones. A 1.x monitor is asked for
        /// one after the other, and cannot return any.
        fn patch_categories(&self, patch: &CategoriesPatch) -> SourceFuture<CategoriesPatched>;
    }
    provided {
        /// The state of the data; a 1.x monitor does not report it.
        fn health(&self) -> SourceFuture<Health>;
        /// Days with events, as of now; a 1.x monitor does not count them.
        fn days(&self, query: &DaysQuery) -> SourceFuture<EventDays>;
        /// Counts at the moment; a 1.x monitor is not asked.
        fn totals(&self) -> SourceFuture<MomentTotals>;
        /// An evidence file of a session or a period, as NDJSON; a 1.x monitor makes none.
        fn evidence(&self, query: &EvidenceQuery) -> SourceFuture<String>;
        /// What changed since a moment; a 1.x monitor is not asked.
        fn recap(&self, query: &RecapQuery) -> SourceFuture<Recap>;
        /// The person at this page and their rights; a 1.x monitor knows neither.
        fn me(&self) -> SourceFuture<Me>;
        /// Records that this person is here now; the answer is their last visit before. A 1.x monitor records none.
        fn record_visit(&self) -> SourceFuture<PersonVisit>;
        /// Views for everybody, or the notes of a session; a 1.x monitor has none.
        fn shared_records(&self, query: &SharedQuery) -> SourceFuture<SharedList>;
        /// Writes a shared record.
        fn put_shared(&self, id: &str, put: &SharedPut) -> SourceFuture<SharedChanged>;
        /// Removes a shared record.
        fn remove_shared(&self, id: &str, removal: &SharedRemoval) -> SourceFuture<SharedChanged>;
        /// Returns a session to its automatic category; a 1.x monitor cannot (`contract/monitor-api.md` §7).
        fn clear_category(&self, session: &SessionId, clear: &CategoryClear) -> SourceFuture<CategoryPatched>;
        /// The changes of a session's category; a 1.x monitor keeps none.
        fn category_history(&self, session: &SessionId) -> SourceFuture<CategoryHistory>;
        /// The changes of all sessions; a 1.x monitor keeps none.
        fn category_changes(&self, query: &ChangesQuery) -> SourceFuture<ChangesPage>;
        /// What the classifier was taught; a 1.x monitor cannot be taught.
        fn taught(&self) -> SourceFuture<TaughtInfo>;
        /// Replaces what the classifier was taught.
        fn teach(&self, put: &TaughtPut) -> SourceFuture<TaughtInfo>;
        /// What sessions say, to try taught words on.
        fn replay(&self, after: Option<u32>) -> SourceFuture<ReplayPage>;
        /// Sessions of OpenClaw's own stores; a 1.x monitor does not look there.
        fn stores(&self, query: &StoreQuery) -> SourceFuture<StoreList>;
        /// What was said in one of them.
        fn store_history(&self, key: &str, query: &StoreHistoryQuery) -> SourceFuture<StoreHistory>;
        /// Archived transcripts.
        fn archives(&self, query: &ArchiveQuery) -> SourceFuture<ArchiveList>;
        /// What was said in one of them.
        fn archive_history(&self, of: (&AgentId, &str), query: &StoreHistoryQuery) -> SourceFuture<StoreHistory>;
        /// Alerts that the monitor sends; a 1.x monitor sends none.
        fn alerts(&self) -> SourceFuture<AlertsPage>;
        /// Sends a test to a channel of alerts.
        fn test_alert(&self, test: &AlertTest) -> SourceFuture<AlertMessage>;
        /// Sends push messages to this browser.
        fn subscribe_push(&self, subscription: &PushSubscription) -> SourceFuture<PushSubscribed>;
        /// Sends it no more.
        fn unsubscribe_push(&self, id: &str) -> SourceFuture<AlertsPage>;
        /// Sends an alert again that was given up.
        fn retry_alert(&self, retry: &AlertRetry) -> SourceFuture<AlertsPage>;
        /// Whether agents can be spoken to; a 1.x monitor cannot.
        fn speak_info(&self) -> SourceFuture<SpeakInfo>;
        /// A permission request; a 1.x monitor has none.
        fn permission(&self, id: &str) -> SourceFuture<PermissionDetail>;
        /// Answers a permission request.
        fn answer_permission(&self, id: &str, answer: &PermissionAnswer) -> SourceFuture<PermissionSummary>;
        /// Sends an agent a message. Asked again with the same name it gives the first answer.
        fn speak(&self, request: &SpeakRequest) -> SourceFuture<SpeakAnswer>;
    }
}

/// A 1.x monitor: a hub in the browser answers the questions, each at the first poll unless it changes something.
pub trait Compat: Backend + Send + Sync {
    /// The monitor's time.
    fn now(&self) -> i64;
    /// Home as of now.
    fn home(&self) -> Home;
    /// Reads what is new since the newest event; what it changed, if anything.
    fn refresh(&self) -> SourceFuture<Option<Delta>>;
    /// Reads the agents' folders again; what it changed, if anything.
    fn refresh_workspaces(&self) -> SourceFuture<Option<Delta>>;
}
