//! Cache of computed values by key, with a limited size; `enrichment.rs` uses it. Every requested value is put into the
//! newer of two halves. When that half is full, it replaces the older half, and the values that were only there are
//! dropped.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, PoisonError};

/// By key. Each of the two halves may exceed `half_weight` by its last value.
#[derive(Debug)]
pub(crate) struct RecentCache<K, V: ?Sized> {
    half_weight: usize,
    halves: Mutex<CacheHalves<K, V>>,
}

#[derive(Debug)]
struct CacheHalves<K, V: ?Sized> {
    newer: HashMap<K, Arc<V>>,
    older: HashMap<K, Arc<V>>,
    /// Weight of the newer half.
    weight: usize,
}

impl<K: Eq + Hash, V: ?Sized> RecentCache<K, V> {
    pub(crate) fn new(half_weight: usize) -> Self {
        let halves = CacheHalves { newer: HashMap::new(), older: HashMap::new(), weight: 0 };
        Self { half_weight, halves: Mutex::new(halves) }
    }

    /// The value of this key, made by `make` when it is not held. The lock is not held meanwhile.
    pub(crate) fn get_or(&self, key: K, weigh: impl Fn(&V) -> usize, make: impl FnOnce() -> Arc<V>) -> Arc<V> {
        let held = {
            let halves = self.halves.lock().unwrap_or_else(PoisonError::into_inner);
            match halves.newer.get(&key) {
                Some(held) => return Arc::clone(held),
                None => halves.older.get(&key).map(Arc::clone),
            }
        };
        let value = held.unwrap_or_else(make);
        let halves = &mut *self.halves.lock().unwrap_or_else(PoisonError::into_inner);
        if halves.weight >= self.half_weight {
            halves.older = std::mem::take(&mut halves.newer);
            halves.weight = 0;
        }
        halves.weight += weigh(&value);
        halves.newer.insert(key, Arc::clone(&value));
        value
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::RecentCache;

    #[test]
    fn requested_values_stay_others_leave() {
        let cache: RecentCache<u32, str> = RecentCache::new(20);
        let mut made = Vec::new();
        for key in [0, 1, 0, 2, 3, 0, 4, 5, 0, 6, 7, 0, 1] {
            cache.get_or(key, str::len, || {
                made.push(key);
                Arc::from("ten bytes.")
            });
        }
        assert_eq!(made, [0, 1, 2, 3, 4, 5, 6, 7, 1], "the first one is requested again and again");
    }
}
