//! Enum of the ten fixed categories of sessions, in the order of `contract/monitor-api.md` §6. Also types for the
//! source of a category (such as a person or the classifier) and for the classifier's confidence.

use serde::{Deserialize, Serialize};

/// A collaboration category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// 개발/구현
    EngineeringBuild,
    /// 인프라/운영
    InfraOps,
    /// QA/검증
    QaValidation,
    /// 기획/의사결정
    PlanningDecision,
    /// 조사/분석
    ResearchAnalysis,
    /// 문서/지식화
    DocsKnowledge,
    /// 성장/마케팅
    GrowthMarketing,
    /// 고객/커뮤니티
    CustomerCommunity,
    /// 법무/컴플라이언스
    LegalCompliance,
    /// 비즈니스/전략
    BizStrategy,
}

impl Category {
    /// All ten, in seed order.
    pub const ALL: [Self; 10] = [
        Self::EngineeringBuild,
        Self::InfraOps,
        Self::QaValidation,
        Self::PlanningDecision,
        Self::ResearchAnalysis,
        Self::DocsKnowledge,
        Self::GrowthMarketing,
        Self::CustomerCommunity,
        Self::LegalCompliance,
        Self::BizStrategy,
    ];

    /// Wire key.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::EngineeringBuild => "engineering_build",
            Self::InfraOps => "infra_ops",
            Self::QaValidation => "qa_validation",
            Self::PlanningDecision => "planning_decision",
            Self::ResearchAnalysis => "research_analysis",
            Self::DocsKnowledge => "docs_knowledge",
            Self::GrowthMarketing => "growth_marketing",
            Self::CustomerCommunity => "customer_community",
            Self::LegalCompliance => "legal_compliance",
            Self::BizStrategy => "biz_strategy",
        }
    }

    /// Position in seed order.
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }
}

impl std::str::FromStr for Category {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|category| category.as_str() == text).ok_or(())
    }
}

/// A category with a lower confidence is a guess that a person should check.
pub const LOW_CONFIDENCE: f64 = 0.4;

/// A confidence in words. The classifier's are calibrated: of the answers with 0.8 about eight in ten are right.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sureness {
    /// Nine of ten such answers are right, or more.
    Certain,
    /// Seven of ten.
    Likely,
    /// About every second.
    Unsure,
    /// Less than [`LOW_CONFIDENCE`].
    Guess,
}

impl Sureness {
    /// From a confidence, 0–1.
    #[must_use]
    pub fn from_confidence(confidence: f64) -> Self {
        match confidence {
            sure if sure >= 0.9 => Self::Certain,
            sure if sure >= 0.7 => Self::Likely,
            sure if sure >= LOW_CONFIDENCE => Self::Unsure,
            _ => Self::Guess,
        }
    }
}

/// Who decided a category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum CategorySource {
    /// An operator, by override.
    ManualOverride,
    /// Written in the event itself.
    Manual,
    /// The classifier's rules.
    Rule,
    /// Declared by the contract, never produced by `v1`.
    Heuristic,
    /// No evidence: a guess by role.
    Fallback,
    /// A source this build does not know.
    #[serde(other)]
    Unknown,
}
