//! Preview of edited classifier rules: the browser runs the monitor's classifier on the texts of sessions and shows
//! which ones would change category. The code is in the lazy chunk `compat`, which contains the classifier anyway, for
//! monitors that have only REST 1.x.

use std::cell::RefCell;
use std::rc::Rc;

use coordination::api::{ReplaySession, SessionLink, Taught, TaughtFault};
use coordination::category::Category;
use coordination::classify::v2::{ClassifierReplay, Lexicon, checked_rules};

use crate::lazy_chunks::lazy_chunk;

/// A session that would be filed elsewhere.
#[derive(Debug, Clone, PartialEq)]
pub struct Moved {
    /// Which.
    pub session: SessionLink,
    /// Where it is by what is taught now.
    pub from: Category,
    /// Where it would be.
    pub to: Category,
    /// A person has set its category: it stays there, whatever is taught.
    pub by_hand: bool,
    /// What that was taught speaks for the new category, with its points.
    pub because: Vec<(String, f64)>,
}

/// Sessions to try words on. A try is made in steps, so that the page stays awake.
pub trait Trial {
    /// Takes sessions in, read with what is in force; how many of them the monitor files elsewhere than this does.
    fn take(&self, sessions: Vec<ReplaySession>, saved_rules: &Taught) -> usize;
    /// Begins a try: what is in force, and what might be.
    fn begin(&self, saved_rules: &Taught, draft: Taught) -> Result<Taught, TaughtFault>;
    /// The sessions from the `from`th on that move, of at most `count`; how many there were.
    fn step(&self, from: usize, count: usize) -> (Vec<Moved>, usize);
}

lazy_chunk!(
    compat,
    load_trial,
    pub fn open_trial() -> Rc<dyn Trial> {
        Rc::new(Replays::default()) as Rc<dyn Trial>
    }
);

#[derive(Default)]
struct Replays {
    sessions: RefCell<Vec<ClassifierReplay>>,
    lexicons: RefCell<(Lexicon, Lexicon)>,
}

impl Trial for Replays {
    fn take(&self, sessions: Vec<ReplaySession>, saved_rules: &Taught) -> usize {
        let lexicon = Lexicon::new(saved_rules);
        let read: Vec<ClassifierReplay> = sessions.into_iter().map(ClassifierReplay::new).collect();
        let unlike = read.iter().filter(|replay| replay.outcome(&lexicon).category != replay.session().automatic);
        let count = unlike.count();
        self.sessions.borrow_mut().extend(read);
        count
    }

    fn begin(&self, saved_rules: &Taught, draft: Taught) -> Result<Taught, TaughtFault> {
        let draft = checked_rules(draft)?;
        *self.lexicons.borrow_mut() = (Lexicon::new(saved_rules), Lexicon::new(&draft));
        Ok(draft)
    }

    fn step(&self, from: usize, count: usize) -> (Vec<Moved>, usize) {
        let (sessions, lexicons) = (self.sessions.borrow(), self.lexicons.borrow());
        let some: Vec<&ClassifierReplay> = sessions.iter().skip(from).take(count).collect();
        let moved = some.iter().filter_map(|replay| {
            let (from, to) = (replay.outcome(&lexicons.0), replay.outcome(&lexicons.1));
            let session = replay.session();
            (from.category != to.category).then(|| Moved {
                session: session.session.clone(),
                from: from.category,
                to: to.category,
                by_hand: session.manual.is_some(),
                because: to.taught,
            })
        });
        (moved.collect(), some.len())
    }
}
