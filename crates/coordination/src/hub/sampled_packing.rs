//! Packing of short pieces with samples of them: log lines and session states. What makes up one piece is mostly in
//! another one too, so pieces that are packed one by one become as small as if they shared one large block.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::packed::Packing;

/// The packing, and the samples so far. The first pieces are the samples.
#[derive(Debug)]
pub(super) struct SampledPacking {
    packing: Arc<dyn Packing>,
    samples: Mutex<Vec<u8>>,
    /// Absent until there are enough samples; `None` inside when the packing uses none.
    by_samples: OnceLock<Option<Arc<dyn Packing>>>,
}

impl Clone for SampledPacking {
    fn clone(&self) -> Self {
        let Self { packing, samples: _, by_samples } = self;
        Self { packing: Arc::clone(packing), samples: Mutex::new(self.samples()), by_samples: by_samples.clone() }
    }
}

impl SampledPacking {
    /// With the samples that were saved.
    pub(super) fn new(packing: Arc<dyn Packing>, samples: Vec<u8>) -> Self {
        let by_samples = OnceLock::new();
        if samples.len() >= packing.sample_bytes() {
            by_samples.get_or_init(|| packing.with_samples(&samples));
        }
        Self { packing, samples: Mutex::new(samples), by_samples }
    }

    /// The packing without samples.
    pub(super) fn plain(&self) -> &Arc<dyn Packing> {
        &self.packing
    }

    /// The packing with samples; `None` while there are not enough, and when it uses none.
    pub(super) fn by_samples(&self) -> Option<&Arc<dyn Packing>> {
        self.by_samples.get()?.as_ref()
    }

    /// The packing with samples where there is one, else the plain one.
    pub(super) fn best(&self) -> &Arc<dyn Packing> {
        self.by_samples().unwrap_or(&self.packing)
    }

    /// Whether there are enough samples.
    pub(super) fn has_enough(&self) -> bool {
        self.by_samples.get().is_some()
    }

    /// The samples so far.
    pub(super) fn samples(&self) -> Vec<u8> {
        self.samples.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes a piece as a sample, unless there are enough.
    pub(super) fn add(&self, piece: &[u8]) {
        if self.has_enough() {
            return;
        }
        let mut samples = self.samples.lock().unwrap_or_else(PoisonError::into_inner);
        samples.extend_from_slice(piece);
        if samples.len() >= self.packing.sample_bytes() {
            self.by_samples.get_or_init(|| self.packing.with_samples(&samples));
        }
    }
}
