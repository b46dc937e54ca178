//! Korean texts of notes and resolved marks.

use crate::i18n::messages::NotesMessages;

pub(in crate::i18n) static NOTES: NotesMessages = NotesMessages {
    title: "메모",
    none: "아직 메모가 없습니다.",
    shared_note: "이 홈을 보는 모두에게 보입니다.",
    write: "메모 쓰기",
    hint: "함께 볼 내용을 적어 주세요",
    place: "메모할 곳",
    on_session: "협업 전체",
    on_thread: "이 대화",
    to_message: "메시지로 가기",
    to_thread: "대화로 가기",
    save: "메모 남기기",
    resolve: "해결로 표시",
    reopen: "해결 취소",
    edit: "고치기",
    save_edit: "저장",
    edited: "고침",
    remove: "지우기",
    menu: |name| format!("{name}의 메모 메뉴"),
    nobody: "이름 없음",
    saved: "메모를 남겼습니다",
    marked: "해결로 표시했습니다",
    reopened: "해결 표시를 취소했습니다",
    removed: "메모를 지웠습니다",
    failed: "저장하지 못했습니다",
    conflict: "그사이 다른 사람이 바꿨습니다. 새 내용을 확인하고 다시 저장해 주세요.",
    message_title: "이 메시지의 메모",
    of_message: "메모",
};
