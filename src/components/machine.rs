//! The machine of a row on the fleet page: where the links of its components lead, and the mark with its name. On the
//! page of one machine it is absent, and links stay as they are.

use coordination::text::hidden;
use leptos::prelude::*;

use super::hidden::Name;
use crate::i18n::use_i18n;
use crate::routes::paths;

/// Dashboard to which the links of components lead.
#[derive(Clone, Copy, Default)]
pub struct MachineLinks {
    machine: Option<StoredValue<String>>,
}

impl MachineLinks {
    /// A link of this page, or the same on the dashboard of the machine.
    pub fn href(self, link: String) -> String {
        match self.machine {
            Some(machine) => machine.with_value(|name| paths::on_machine(name, &link)),
            None => link,
        }
    }

    /// `rel` of such a link. The dashboard of a machine is another page, which the router must not open.
    pub fn rel(self) -> Option<&'static str> {
        self.machine.map(|_| "external")
    }

    /// A label with the name of the machine: on a page of several, a name may be there twice.
    pub fn label(self, text: &str) -> String {
        match self.machine {
            Some(machine) => machine.with_value(|name| format!("{text} · {}", hidden::marked(name))),
            None => text.to_owned(),
        }
    }

    /// Whether links lead to the dashboard of another machine.
    pub fn is_elsewhere(self) -> bool {
        self.machine.is_some()
    }
}

/// Names the machine for all components below the current owner.
pub fn provide_machine(name: &str) {
    provide_context(MachineLinks { machine: Some(StoredValue::new(name.to_owned())) });
}

/// Where links lead here.
pub fn use_machine_links() -> MachineLinks {
    use_context().unwrap_or_default()
}

/// Name of the machine, for rows of several machines; nothing on the page of one.
#[component]
pub fn MachineMark() -> impl IntoView {
    let words = use_i18n();
    use_machine_links().machine.map(|machine| {
        let name = machine.get_value();
        let title = hidden::marked(&name).into_owned();
        view! {
            <span class="machine-mark" title=title>
                <span class="visually-hidden">{move || words.get().common.machine} " "</span>
                <Name text=name />
            </span>
            " "
        }
    })
}
