//! Weight table of the trained model, and writer and parser of its file format. `make train` writes `table.bin` into
//! this folder; the program includes the file and parses it once.

use std::sync::OnceLock;

use super::CATEGORIES;

static BYTES: &[u8] = include_bytes!("table.bin");
/// First bytes of the table.
const MAGIC: &[u8; 4] = b"thc2";

/// Bits of [`Table::known`].
const KNOWN_BITS: usize = 1 << 18;

/// What one feature weighs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct FeatureWeights {
    /// Hash that names the feature.
    key: u32,
    /// For each category, in units of [`Table::unit`].
    pub(super) weights: [i8; CATEGORIES],
    /// How informative it is, of 16.
    pub(super) scale: u8,
}

/// The weights by feature.
#[derive(Debug, Default)]
pub struct Table {
    slots: Vec<FeatureWeights>,
    /// Numbers of slots and one by hash, 0 for none: with the slots side by side, all of it fits a core's own cache.
    index: Vec<u16>,
    /// A bit for each known name: most features of a text are not known, and this is small enough to be at hand.
    known: Vec<u64>,
    /// Weight of one step of a weight for a full feature.
    pub(super) unit: f64,
    /// Added to the squared length of a text: one word alone is weak evidence.
    pub(super) smooth: u64,
    /// Divides the scores before they become a confidence (fitted in training on held-out records).
    pub(super) temperature: f64,
    /// Weight of each category before a word is read.
    pub(super) bias: [f64; CATEGORIES],
}

/// Weights of a [`Table`] as training writes them.
#[derive(Debug, Clone, PartialEq)]
pub struct TableParts {
    /// Weight of one step of the weights in `rows`.
    pub unit: f32,
    /// Added to the squared length of a text, in units of 1/65,536: one word alone is weak evidence.
    pub smooth: u32,
    /// Divides the scores before they become a confidence.
    pub temperature: f32,
    /// Score of each category before any word is read.
    pub bias: [f32; CATEGORIES],
    /// Features in ascending order of their hash: hash, scale in sixteenths (1–16), weight of each category in steps.
    pub rows: Vec<(u32, u8, [i8; CATEGORIES])>,
}

impl TableParts {
    /// The bytes of `table.bin`: hashes as differences, weights category by category, which compresses best.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        out.extend(self.unit.to_le_bytes());
        out.extend(self.smooth.to_le_bytes());
        out.extend(self.temperature.to_le_bytes());
        self.bias.iter().for_each(|bias| out.extend(bias.to_le_bytes()));
        out.extend(u32::try_from(self.rows.len()).unwrap_or(0).to_le_bytes());
        let mut before = 0;
        for (key, _, _) in &self.rows {
            let mut step = key - before;
            while step >= 0x80 {
                out.push((step & 0x7f) as u8 | 0x80);
                step >>= 7;
            }
            out.push((step & 0x7f) as u8);
            before = *key;
        }
        out.extend(self.rows.iter().map(|(_, scale, _)| scale));
        for category in 0..CATEGORIES {
            out.extend(self.rows.iter().map(|(_, _, weights)| weights[category].to_le_bytes()[0]));
        }
        out
    }

    /// Parses the bytes of [`Self::to_bytes`]. `None` for other bytes and for a truncated table.
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut rest = bytes.strip_prefix(MAGIC)?;
        let mut word = || -> Option<[u8; 4]> {
            let (word, after) = rest.split_first_chunk::<4>()?;
            rest = after;
            Some(*word)
        };
        let unit = f32::from_le_bytes(word()?);
        let smooth = u32::from_le_bytes(word()?);
        let temperature = f32::from_le_bytes(word()?);
        let mut bias = [0.0; CATEGORIES];
        for bias in &mut bias {
            *bias = f32::from_le_bytes(word()?);
        }
        let count = u32::from_le_bytes(word()?) as usize;
        let mut rows = Vec::with_capacity(count.min(bytes.len()));
        let mut key = 0_u32;
        for _ in 0..count {
            let mut shift = 0;
            loop {
                let (byte, after) = rest.split_first()?;
                rest = after;
                key = key.wrapping_add(u32::from(byte & 0x7f).checked_shl(shift)?);
                shift += 7;
                if byte & 0x80 == 0 {
                    break;
                }
            }
            rows.push((key, 0, [0; CATEGORIES]));
        }
        for (row, scale) in rows.iter_mut().zip(rest.get(..count)?) {
            row.1 = *scale;
        }
        for category in 0..CATEGORIES {
            let column = rest.get(count * (category + 1)..count * (category + 2))?;
            for (row, weight) in rows.iter_mut().zip(column) {
                row.2[category] = i8::from_le_bytes([*weight]);
            }
        }
        Some(Self { unit, smooth, temperature, bias, rows })
    }
}

impl Table {
    /// Builds the lookup index of the features.
    #[must_use]
    pub fn new(parts: &TableParts) -> Self {
        let size = (parts.rows.len() * 3).next_power_of_two().max(2);
        let mut slots = Vec::with_capacity(parts.rows.len());
        let mut index = vec![0_u16; size];
        let mut known = vec![0_u64; KNOWN_BITS / 64];
        for (key, scale, weights) in &parts.rows {
            slots.push(FeatureWeights { key: *key, weights: *weights, scale: *scale });
            // A feature without a number is left out; training produces far fewer.
            let Ok(number) = u16::try_from(slots.len()) else { break };
            known[*key as usize % KNOWN_BITS / 64] |= 1 << (key % 64);
            let mut at = *key as usize & (size - 1);
            while index[at] != 0 {
                at = (at + 1) & (size - 1);
            }
            index[at] = number;
        }
        Self {
            slots,
            index,
            known,
            unit: f64::from(parts.unit),
            smooth: u64::from(parts.smooth),
            temperature: f64::from(parts.temperature),
            bias: parts.bias.map(f64::from),
        }
    }

    /// The trained table.
    pub(super) fn trained() -> &'static Self {
        static TABLE: OnceLock<Table> = OnceLock::new();
        TABLE.get_or_init(|| TableParts::from_bytes(BYTES).as_ref().map(Self::new).unwrap_or_default())
    }

    /// Number and weights of the feature with this hash.
    pub(super) fn find(&self, key: u32) -> Option<(usize, &FeatureWeights)> {
        let known = self.known.get(key as usize % KNOWN_BITS / 64)?;
        if known >> (key % 64) & 1 == 0 {
            return None;
        }
        let mask = self.index.len() - 1;
        let mut at = key as usize & mask;
        loop {
            let slot = usize::from(*self.index.get(at)?).checked_sub(1)?;
            let feature = self.slots.get(slot)?;
            if feature.key == key {
                return Some((slot, feature));
            }
            at = (at + 1) & mask;
        }
    }

    pub(super) fn len(&self) -> usize {
        self.slots.len()
    }
}
