//! Keywords of the `v1` classifier by category. Words and order are those of the original 1.x monitor
//! (`contract/monitor-api.md` §6).

use protocol::category::Category;

/// Keywords of each category, in table order; the order decides ties and tags.
pub const KEYWORDS: [(Category, &[&str]); 10] = [
    (
        Category::EngineeringBuild,
        &[
            "implement",
            "implementation",
            "build",
            "feature",
            "refactor",
            "bugfix",
            "fix",
            "코드",
            "구현",
            "개발",
            "리팩토링",
            "버그",
        ],
    ),
    (
        Category::InfraOps,
        &[
            "deploy",
            "deployment",
            "infra",
            "infrastructure",
            "docker",
            "k8s",
            "ops",
            "incident",
            "운영",
            "인프라",
            "배포",
            "장애",
            "서버",
        ],
    ),
    (
        Category::QaValidation,
        &["test", "testing", "qa", "validation", "verify", "e2e", "회귀", "검증", "테스트", "품질"],
    ),
    (
        Category::PlanningDecision,
        &[
            "plan",
            "planning",
            "decision",
            "design",
            "architecture",
            "scope",
            "우선순위",
            "설계",
            "기획",
            "의사결정",
            "정책",
        ],
    ),
    (
        Category::ResearchAnalysis,
        &[
            "research",
            "analysis",
            "investigate",
            "compare",
            "benchmark",
            "root cause",
            "분석",
            "조사",
            "리서치",
            "원인",
            "비교",
        ],
    ),
    (
        Category::DocsKnowledge,
        &["doc", "docs", "documentation", "guide", "readme", "wiki", "문서", "가이드", "정리", "기록"],
    ),
    (
        Category::GrowthMarketing,
        &["campaign", "marketing", "growth", "experiment", "copy", "funnel", "마케팅", "성장", "캠페인", "전환"],
    ),
    (
        Category::CustomerCommunity,
        &["customer", "community", "support", "ticket", "feedback", "cs", "고객", "커뮤니티", "문의", "피드백"],
    ),
    (
        Category::LegalCompliance,
        &[
            "legal",
            "compliance",
            "policy",
            "terms",
            "regulation",
            "contract",
            "법무",
            "컴플라이언스",
            "약관",
            "규정",
            "계약",
        ],
    ),
    (
        Category::BizStrategy,
        &["kpi", "revenue", "strategy", "business", "roadmap", "roi", "비즈니스", "전략", "지표", "매출"],
    ),
];
