//! Components that show a category: a square tile with its emoji, and a badge with emoji and name. The HTML attribute
//! `data-cat` selects the colour.

use coordination::category::Category;
use leptos::prelude::*;

use crate::i18n::use_i18n;

/// Emoji of a category.
pub fn emoji(category: Category) -> &'static str {
    match category {
        Category::EngineeringBuild => "🛠️",
        Category::InfraOps => "⚙️",
        Category::QaValidation => "🧪",
        Category::PlanningDecision => "🗺️",
        Category::ResearchAnalysis => "🔎",
        Category::DocsKnowledge => "📝",
        Category::GrowthMarketing => "📈",
        Category::CustomerCommunity => "💬",
        Category::LegalCompliance => "⚖️",
        Category::BizStrategy => "💼",
    }
}

/// Size of a tile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TileSize {
    /// 24 px, in menus.
    Small,
    /// 52 px, next to a title.
    Large,
}

/// The rounded square.
#[component]
pub fn CategoryTile(category: Category, size: TileSize) -> impl IntoView {
    let class = match size {
        TileSize::Small => "tile is-small",
        TileSize::Large => "tile is-large",
    };
    view! {
        <span class=class data-cat=category.as_str() aria-hidden="true">
            {emoji(category)}
        </span>
    }
}

/// Emoji and name on the category's tint.
#[component]
pub fn CategoryBadge(category: Category) -> impl IntoView {
    let words = use_i18n();
    view! {
        <span class="badge" data-cat=category.as_str()>
            <span class="emoji" aria-hidden="true">
                {emoji(category)}
            </span>
            {move || (words.get().common.category)(category)}
        </span>
    }
}
