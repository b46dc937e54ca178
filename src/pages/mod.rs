//! One module a route; each page owns its questions to the source and hands plain data to components.

mod events;
mod failure;
mod home;
mod not_found;
mod raw_event;
mod session;
mod sessions;
mod tasks;

pub use events::EventsPage;
pub use home::HomePage;
pub use not_found::NotFoundPage;
pub use session::SessionPage;
pub use sessions::SessionsPage;
pub use tasks::TasksPage;
