//! Components of a session: header, thread list, category panel and dialog, thread context.

mod category_dialog;
mod category_history;
mod category_panel;
mod context;
mod head;
mod missing;
mod thread_list;

pub use category_dialog::{CategoryChoice, CategoryDialog, Precondition};
pub use category_panel::CategoryPanel;
pub use context::{DeliverySummary, LinkedTasks, RelatedThreads};
pub use head::{SessionHead, SessionTab, session_title};
pub use missing::SessionMissing;
pub use thread_list::{ThreadList, ThreadPick};
