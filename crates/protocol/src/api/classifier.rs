//! Type `Classifier`: the classifier that sets automatic categories, v1 (that of the original 1.x monitor) or v2
//! (trained).

use serde::{Deserialize, Serialize};

/// Version of the trained classifier.
pub const V2_VERSION: &str = "v2";

/// Which classifier decides where nobody stated a category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "lowercase")]
pub enum Classifier {
    /// Exactly the original 1.x monitor's.
    V1,
    /// The trained one.
    #[default]
    V2,
}

impl Classifier {
    /// Version name in answers.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V2 => V2_VERSION,
        }
    }
}
