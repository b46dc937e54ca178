//! Hash map of the hub. Several texts of every event are looked up, and the standard library's hash function takes
//! several times as long for such short keys.

/// Map with the seeded hash function that `serde_json` uses for its objects, too. Its order of iteration is arbitrary.
pub(crate) type FastHashMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::RandomState>;
