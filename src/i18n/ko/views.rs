//! Korean texts of saved views.

use crate::i18n::messages::SavedViewsMessages;
use crate::i18n::{Particle, with_particle};

pub(in crate::i18n) static VIEWS: SavedViewsMessages = SavedViewsMessages {
    title: "저장한 보기",
    none: "아직 저장한 보기가 없습니다.",
    stored_here: "이 브라우저에만 저장됩니다.",
    for_all: "공유 보기",
    seen_by_all: "이 대시보드를 보는 모든 사람에게 보입니다.",
    share: "모두와 공유",
    given_to_all: |name| format!("‘{name}’ 보기를 모두와 공유했습니다"),
    taken_from_all: |name| format!("‘{name}’ 보기의 공유를 끝냈습니다"),
    save: "지금 보기 저장",
    name: "보기 이름",
    save_now: "저장",
    rename: "이름 바꾸기",
    rename_now: "바꾸기",
    saved: |name| {
        let name = with_particle(&format!("‘{name}’"), Particle::Object);
        format!("{name} 저장했습니다. 보기 메뉴에서 홈에 놓을 수 있습니다.")
    },
    full: "보기는 마흔 개까지 저장할 수 있습니다. 하나를 먼저 지워 주세요.",
    menu: |name| format!("‘{name}’ 보기 메뉴"),
    to_home: "홈에 놓기",
    off_home: "홈에서 빼기",
    up: "위로",
    down: "아래로",
    copy: "링크 복사",
    remove: "지우기",
    removed: |name| format!("{} 지웠습니다", with_particle(&format!("‘{name}’"), Particle::Object)),
    shared: |name| format!("함께 보려고 받은 보기 ‘{name}’입니다."),
    keep: "이 브라우저에 저장",
    leave: "그냥 보기",
    open: |name| format!("보기 ‘{name}’ 열기"),
    also: "저장한 보기 뷰 필터",
    count_failed: "세지 못함",
};
