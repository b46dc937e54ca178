//! Tests of the rule that loads pages of a thread and drops those far from the screen, with simulated message heights and
//! scrolling. At most 120 messages are drawn at once, and the message on screen stays drawn.

use super::*;

/// A thread on paper: message `n` is `height(n)` high; the page draws a window of it.
struct PaperThread {
    all: usize,
    seed: u64,
    from: usize,
    to: usize,
    /// The first pixel of the view, counted from the window's first message.
    top: f64,
    view: f64,
}

impl PaperThread {
    fn height(&self, n: usize) -> f64 {
        // Mostly a line or three, now and then a log of several screens.
        let mixed = (n as u64 ^ self.seed).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40;
        if mixed.is_multiple_of(23) { 2_500.0 } else { 48.0 + (mixed % 120) as f64 }
    }

    fn drawn(&self, from: usize, to: usize) -> f64 {
        (from..to).map(|n| self.height(n)).sum()
    }

    fn reach(&self) -> Reach {
        let below = self.drawn(self.from, self.to) - self.top - self.view;
        Reach { above: self.top, below: below.max(0.0), view: self.view }
    }

    /// The message at the top of the view, and how far into it.
    fn read(&self) -> (usize, f64) {
        let mut left = self.top;
        for n in self.from..self.to {
            if left < self.height(n) {
                return (n, left);
            }
            left -= self.height(n);
        }
        (self.to, left)
    }

    /// Pages come until nothing more is wanted; what is read stays where it is. Returns how many came.
    fn settle(&mut self, heading: Option<StreamEnd>) -> usize {
        for pages in 0..10_000 {
            let all = self.all;
            let (from, to) = (self.from, self.to);
            let has_more = |end| if end == StreamEnd::Older { from > 0 } else { to < all };
            let Some(end) = wanted(self.reach(), heading, to - from, has_more) else { return pages };
            let before = self.read();
            let page = PAGE_MESSAGES as usize;
            let surplus = ((to - from) + page)
                .min(if end == StreamEnd::Older { to } else { all - from })
                .saturating_sub(MAX_LOADED);
            (self.from, self.to) = match end {
                StreamEnd::Older => (from.saturating_sub(page), to - surplus),
                StreamEnd::Newer => (from + surplus, all.min(to + page)),
            };
            assert!((self.from..self.to).contains(&before.0), "what is read stays drawn");
            self.top = self.drawn(self.from, before.0) + before.1;
            assert_eq!(self.read(), before);
        }
        panic!("the ends take turns for ever");
    }

    fn scroll(&mut self, by: f64) {
        let most = (self.drawn(self.from, self.to) - self.view).max(0.0);
        self.top = (self.top + by).clamp(0.0, most).round();
    }
}

/// Whatever the heights of the messages, scrolling never shows a gap.
#[test]
fn long_thread_draws_at_most_120_messages() {
    for (seed, all, view) in [(1, 1_000, 900.0), (2, 100_000, 900.0), (3, 100_000, 2_100.0), (4, 90, 700.0)] {
        let mut paper =
            PaperThread { all, seed, from: all.saturating_sub(FIRST_PAGE_MESSAGES as usize), to: all, top: 0.0, view };
        paper.scroll(f64::MAX);
        paper.settle(None);
        let mut random = seed;
        for _ in 0..3_000 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            // More up than down, so that the walk leads far from the end.
            let by = ((random >> 33) % 3_000) as f64 - 1_900.0;
            paper.scroll(by);
            let pages = paper.settle(Some(if by < 0.0 { StreamEnd::Older } else { StreamEnd::Newer }));
            assert!(pages <= MAX_LOADED / PAGE_MESSAGES as usize * 2, "{pages} pages for one scroll");
            assert!(paper.to - paper.from <= MAX_LOADED);
            let reach = paper.reach();
            assert!(reach.above > 0.0 || paper.from == 0, "the way back is drawn");
            assert!(reach.below > 0.0 || paper.to == all, "the way on is drawn");
        }
    }
}

#[test]
fn nothing_is_dropped_before_first_scroll() {
    let short = Reach { above: 0.0, below: 0.0, view: 900.0 };
    let fits = MAX_LOADED - PAGE_MESSAGES as usize;
    assert_eq!(wanted(short, None, fits, |_| true), Some(StreamEnd::Newer));
    assert_eq!(wanted(short, None, fits + 1, |_| true), None);
    assert_eq!(wanted(short, Some(StreamEnd::Older), MAX_LOADED, |_| true), Some(StreamEnd::Older));
    assert_eq!(wanted(short, Some(StreamEnd::Older), MAX_LOADED, |end| end == StreamEnd::Newer), None);
}
