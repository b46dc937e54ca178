//! One module a route; each page owns its questions to the source and hands plain data to components.

mod events;
mod home;
mod not_found;
mod session;
mod sessions;
mod task;
mod tasks;
mod thread;

pub use events::EventsPage;
pub use home::HomePage;
pub use not_found::NotFoundPage;
pub use session::SessionPage;
pub use sessions::SessionsPage;
pub use task::TaskPage;
pub use tasks::TasksPage;
pub use thread::ThreadPage;
