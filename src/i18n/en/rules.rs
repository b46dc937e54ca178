//! English texts of the page of classifier rules.

use crate::i18n::messages::RulesMessages;

pub(in crate::i18n) static RULES: RulesMessages = RulesMessages {
    title: "Category rules",
    subtitle: "Teach which words stand for which category. What would move is shown before you save.",
    words: "Words",
    words_note: "Endings and particles do not matter. A word counts once a session, however often it is said.",
    agents: "Agents",
    agents_note: "Who speaks is no evidence by itself. Add an agent only if its kind of work is settled.",
    add_word: "Add a word",
    add_agent: "Add an agent",
    word: "Word or phrase",
    agent: "Agent",
    category: "Category",
    weight: "Points",
    remove: |name| if name.is_empty() { "Remove the empty line".to_owned() } else { format!("Remove {name}") },
    none: "None yet",
    preview: "Preview",
    reading: |read, all| format!("Reading sessions, {read} of {all}…"),
    trying: "Classifying again…",
    read: |all| format!("{all} sessions classified again in this browser"),
    part: |read, all| format!("Only the {read} newest sessions were classified again, of {all}."),
    unlike: |n| {
        format!(
            "{n} sessions are filed elsewhere by the monitor. This page and the monitor seem to be of different versions; try to reload."
        )
    },
    read_failed: "Sessions could not be read, so there is no preview",
    moves: |n| if n == 1 { "1 session would move".to_owned() } else { format!("{n} sessions would move") },
    no_moves: "No session would move",
    unchanged: "Nothing is changed. Add a word, and what would move is shown here.",
    stays: "set by hand, stays",
    because: |words| format!("because of {words}"),
    more_moves: |n| format!("{n} more"),
    save: "Save",
    discard: "Discard changes",
    saved: "Category rules saved",
    undone: "The earlier rules are back",
    not_saved: "The rules could not be saved",
    conflict: "The rules were changed elsewhere meanwhile. Choose which ones to use.",
    take_theirs: "Load what is there",
    overwrite: "Save all the same",
    unfinished: "Choose a category",
    bad_word: "Up to four words of Korean or Latin letters, 40 characters; numbers do not count",
    bad_weight: "Points go from -20 to 20, and not 0",
    twice: "This category has it already",
    too_many: "At most 200 words and 100 agents",
    changed: |when, who| if who.is_empty() { format!("changed {when}") } else { format!("changed {when} by {who}") },
    in_file: |path| format!("Saved in {path}"),
    only_v2: "This monitor uses the old classifier (v1), which does not heed what is taught here.",
    trouble: |cause| {
        format!("The file of rules cannot be read. Once it is repaired or removed, rules can be saved again. ({cause})")
    },
    unsupported: "This monitor cannot be taught",
    unsupported_why: "With a newer monitor, words can be taught here.",
    teach: "Teach category rules",
    taught: "taught",
};
