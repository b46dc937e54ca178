//! Small deterministic random generator (SplitMix64). Equal seeds give equal numbers on every machine.

#[derive(Debug, Clone)]
pub(super) struct DemoRandom(u64);

impl DemoRandom {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// From 0 up to, but not including, `end`; 0 for an empty range.
    pub(super) fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { usize::try_from(self.next() % end as u64).unwrap_or(0) }
    }

    /// From `start` up to, but not including, `end`.
    pub(super) fn in_range(&mut self, start: i64, end: i64) -> i64 {
        let width = u64::try_from(end.saturating_sub(start)).unwrap_or(0);
        if width == 0 { start } else { start.saturating_add(i64::try_from(self.next() % width).unwrap_or(0)) }
    }

    /// True `percent` times out of a hundred.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// `len` hexadecimal digits.
    pub(super) fn hex(&mut self, len: usize) -> String {
        let mut text = String::with_capacity(len + 16);
        while text.len() < len {
            text.push_str(&format!("{:016x}", self.next()));
        }
        text.truncate(len);
        text
    }

    /// A UUID of version 4.
    pub(super) fn uuid(&mut self) -> String {
        let hex = self.hex(32);
        let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
        format!("{}-{}-4{}-a{}-{}", part(0, 8), part(8, 12), part(13, 16), part(17, 20), part(20, 32))
    }
}
