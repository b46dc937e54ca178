//! Table of the query operators and their values, in English and Korean. The parser, error messages and suggestions use
//! it.

use protocol::api::SearchKind;
use protocol::category::Category;
use protocol::role::Role;

/// What an operator narrows by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operator {
    /// Who spoke.
    From,
    /// Its recipient.
    To,
    /// Who takes part in any way.
    Agent,
    /// Event type.
    Type,
    /// Event role.
    Role,
    /// A state.
    Is,
    /// Category of the session.
    Category,
    /// Category of the session, or a secondary one.
    Categories,
    /// Sub-tag of the session.
    Tag,
    /// Before a time.
    Before,
    /// At a time or later.
    After,
    /// The session.
    Session,
    /// The task.
    Task,
    /// Kind of hit.
    In,
}

/// Values of `is:`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum IsValue {
    /// Refused, or stuck.
    Blocked,
    /// Sent, and no answer has come.
    Unanswered,
    /// Its session is active.
    Active,
    /// Its session is quiet.
    Quiet,
    /// Its session is archived.
    Archived,
    /// A person spoke.
    Human,
    /// It waits for an agent that waits for nobody itself, or is that agent.
    Root,
    /// Part of a deadlock.
    Deadlock,
}

impl Operator {
    /// All, in the order in which they are offered.
    pub const ALL: [Self; 14] = [
        Self::From,
        Self::To,
        Self::Agent,
        Self::Type,
        Self::Role,
        Self::Is,
        Self::Category,
        Self::Categories,
        Self::Tag,
        Self::Before,
        Self::After,
        Self::Session,
        Self::Task,
        Self::In,
    ];

    /// Its names: the one that is written, then the Korean one, then what else is understood.
    #[must_use]
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::From => &["from", "보낸이", "발신", "보낸사람"],
            Self::To => &["to", "받는이", "수신", "받는사람"],
            Self::Agent => &["agent", "에이전트"],
            Self::Type => &["type", "종류", "유형"],
            Self::Role => &["role", "역할"],
            Self::Is => &["is", "상태"],
            Self::Category => &["category", "분류", "카테고리"],
            Self::Categories => &["categories", "모든분류"],
            Self::Tag => &["tag", "태그"],
            Self::Before => &["before", "이전", "until"],
            Self::After => &["after", "이후", "since"],
            Self::Session => &["session", "협업", "세션"],
            Self::Task => &["task", "작업"],
            Self::In => &["in", "범위"],
        }
    }

    /// The name that is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        self.names().first().copied().unwrap_or_default()
    }

    /// The operator of a name in any case.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let name = super::folded(name);
        Self::ALL.into_iter().find(|operator| operator.names().contains(&name.as_str()))
    }

    /// The operator whose name this nearly is: one letter more, less or other, or two exchanged.
    #[must_use]
    pub fn nearly(name: &str) -> Option<Self> {
        let name: Vec<char> = super::folded(name).chars().collect();
        let letters = name.len() >= 3 && name.iter().all(|c| c.is_alphabetic());
        let near = |known: &&str| one_edit(&name, &known.chars().collect::<Vec<_>>());
        Self::ALL.into_iter().find(|operator| letters && operator.names().iter().any(near))
    }
}

fn one_edit(a: &[char], b: &[char]) -> bool {
    let (short, long) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if long.len() < 3 || long.len() - short.len() > 1 {
        return false;
    }
    let same = short.iter().zip(long).take_while(|(a, b)| a == b).count();
    let (short, long) = (&short[same..], &long[same..]);
    match (short, long) {
        (_, []) => false,
        (short, [_, rest @ ..]) if short == rest => true,
        ([a, b, short @ ..], [c, d, long @ ..]) if a == d && b == c && short == long => true,
        ([_, short @ ..], [_, long @ ..]) => short == long,
        _ => false,
    }
}

impl IsValue {
    /// All, in the order in which they are offered.
    pub const ALL: [Self; 8] = [
        Self::Blocked,
        Self::Unanswered,
        Self::Active,
        Self::Quiet,
        Self::Archived,
        Self::Human,
        Self::Root,
        Self::Deadlock,
    ];

    /// Its names, as [`Operator::names`].
    #[must_use]
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::Blocked => &["blocked", "차단", "차단됨", "막힘"],
            Self::Unanswered => &["unanswered", "응답없음", "미응답", "답없음", "noreply"],
            Self::Active => &["active", "진행중", "진행", "활성"],
            Self::Quiet => &["quiet", "조용함", "조용"],
            Self::Archived => &["archived", "보관됨", "보관"],
            Self::Human => &["human", "사람", "개입"],
            Self::Root => &["root", "병목"],
            Self::Deadlock => &["deadlock", "교착"],
        }
    }
}

/// Names of a role, as [`Operator::names`].
#[must_use]
pub fn role_names(role: Role) -> &'static [&'static str] {
    match role {
        Role::ConversationMain => &["conversation.main", "대화", "conversation"],
        Role::DelegationSubagent => &["delegation.subagent", "위임", "delegation", "subagent"],
        Role::OrchestrationTask => &["orchestration.task", "작업", "orchestration", "task"],
        Role::SystemObservability => &["system.observability", "시스템", "관측", "system", "observability"],
    }
}

/// Names of a category, as [`Operator::names`]: key, Korean, English. One half of a Korean name is enough.
#[must_use]
pub fn category_names(category: Category) -> &'static [&'static str] {
    match category {
        Category::EngineeringBuild => &["engineering_build", "개발/구현", "engineering", "개발", "구현"],
        Category::InfraOps => &["infra_ops", "인프라/운영", "infrastructure", "인프라", "운영", "infra", "ops"],
        Category::QaValidation => &["qa_validation", "qa/검증", "qa", "검증", "validation"],
        Category::PlanningDecision => {
            &["planning_decision", "기획/의사결정", "planning", "기획", "의사결정", "decision"]
        }
        Category::ResearchAnalysis => &["research_analysis", "조사/분석", "research", "조사", "분석", "analysis"],
        Category::DocsKnowledge => &["docs_knowledge", "문서/지식화", "docs", "문서", "지식화", "documentation"],
        Category::GrowthMarketing => &["growth_marketing", "성장/마케팅", "growth", "성장", "마케팅", "marketing"],
        Category::CustomerCommunity => {
            &["customer_community", "고객/커뮤니티", "customer", "고객", "커뮤니티", "community"]
        }
        Category::LegalCompliance => {
            &["legal_compliance", "법무/컴플라이언스", "legal", "법무", "컴플라이언스", "compliance"]
        }
        Category::BizStrategy => &["biz_strategy", "비즈니스/전략", "business", "비즈니스", "전략", "strategy", "biz"],
    }
}

/// Names of a kind of hit, as [`Operator::names`].
#[must_use]
pub fn kind_names(kind: SearchKind) -> &'static [&'static str] {
    match kind {
        SearchKind::Sessions => &["sessions", "협업", "session", "대화", "세션"],
        SearchKind::Messages => &["messages", "메시지", "message"],
        SearchKind::Tasks => &["tasks", "작업", "task"],
        SearchKind::Agents => &["agents", "에이전트", "agent"],
        SearchKind::Events => &["events", "이벤트", "event"],
        SearchKind::Notes => &["notes", "메모", "note"],
    }
}

/// The one of `all` with this name, whatever separates the words of the name.
pub(super) fn called<T: Copy>(text: &str, all: &[T], names: impl Fn(T) -> &'static [&'static str]) -> Option<T> {
    let plain = |text: &str| super::folded(text).chars().filter(|c| c.is_alphanumeric()).collect::<String>();
    let wanted = plain(text);
    all.iter().copied().find(|one| !wanted.is_empty() && names(*one).iter().any(|name| plain(name) == wanted))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_letter_typo_differs_from_another_word() {
        for (name, operator) in [
            ("form", Some(Operator::From)),
            ("fom", Some(Operator::From)),
            ("agnet", Some(Operator::Agent)),
            ("tags", Some(Operator::Tag)),
            ("세션스", Some(Operator::Session)),
            ("받는", None),
            ("note", None),
            ("http", None),
            ("foo", None),
            ("it", None),
        ] {
            assert_eq!(Operator::nearly(name).filter(|_| Operator::named(name).is_none()), operator, "{name}");
        }
    }

    #[test]
    fn no_name_means_two_things() {
        let names = |lists: Vec<&'static [&'static str]>| {
            let mut all: Vec<_> = lists.into_iter().flatten().collect();
            let count = all.len();
            all.sort_unstable();
            all.dedup();
            assert_eq!(all.len(), count);
        };
        names(Operator::ALL.map(Operator::names).to_vec());
        names(IsValue::ALL.map(IsValue::names).to_vec());
        names(Role::ALL.map(role_names).to_vec());
        names(Category::ALL.map(category_names).to_vec());
        names(SearchKind::ALL.map(kind_names).to_vec());
    }
}
