//! Message struct of a session's flow: diagram, table, legend and details. It has one field per text; each language is
//! a value of it.

/// Messages of a session's flow.
pub struct FlowMessages {
    /// Name of the view.
    pub title: &'static str,
    pub forms: &'static str,
    pub as_drawing: &'static str,
    pub as_tree: &'static str,
    pub as_table: &'static str,
    /// Agents, requests, runs.
    pub sums: fn(usize, usize, usize) -> String,
    pub fold: &'static str,
    pub unfold: &'static str,
    pub folded: fn(&str) -> String,
    pub unfolded: fn(&str) -> String,
    pub zoom_in: &'static str,
    pub zoom_out: &'static str,
    /// Size of the drawing.
    pub zoom: fn(u32) -> String,
    pub save: &'static str,
    pub print: &'static str,
    /// When it was printed.
    pub printed: fn(&str) -> String,
    pub printed_small: &'static str,
    /// Which sheet of how many.
    pub sheet_of: fn(usize, usize) -> String,
    /// So long nothing happened: a pause on paper.
    pub idle: fn(&str) -> String,
    pub file_name: &'static str,
    pub drawing: &'static str,
    pub now: fn(&str) -> String,
    pub others: &'static str,
    pub empty: &'static str,
    pub empty_why: &'static str,
    pub legend: &'static str,

    // Kinds
    pub request: &'static str,
    pub answer: &'static str,
    pub turn: &'static str,
    pub route: &'static str,
    pub run: &'static str,
    pub task: &'static str,
    pub event: &'static str,
    pub working: &'static str,
    pub person: &'static str,
    pub task_states: &'static str,
    pub pair: fn(&str, &str) -> String,
    pub times: fn(usize) -> String,
    pub began: fn(&str, &str) -> String,

    // Table
    pub table: &'static str,
    pub col_time: &'static str,
    pub col_kind: &'static str,
    pub col_who: &'static str,
    pub col_text: &'static str,
    pub col_state: &'static str,
    pub more_rows: fn(usize) -> String,

    // Details
    pub details: &'static str,
    pub nothing_selected: &'static str,
    pub nothing_selected_why: &'static str,
    pub close: &'static str,
    pub course: &'static str,
    pub sent: &'static str,
    pub got_answer: &'static str,
    pub links: &'static str,
    pub bubble: &'static str,
    pub open_bubble: &'static str,
    pub in_tree: &'static str,
    pub open_tree: &'static str,
    pub open_task: &'static str,
    pub its_request: &'static str,
    pub its_answer: &'static str,
    pub show_arrow: &'static str,
    pub raw: &'static str,
    pub raw_n: fn(usize) -> String,
    pub statuses: &'static str,
    pub by_file: &'static str,
    pub result: &'static str,
    pub key_move: &'static str,
    pub key_fold: &'static str,
    pub key_open: &'static str,
}
