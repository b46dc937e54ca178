//! Korean texts of the page of category changes.

use crate::i18n::messages::RecordMessages;

pub(in crate::i18n) static RECORD: RecordMessages = RecordMessages {
    title: "변경 기록",
    subtitle: "누가 언제 어떤 카테고리를 왜 바꿨는지",
    count: |n| format!("{n}건"),
    find: "협업 제목이나 ID",
    anyone: "바꾼 사람",
    from: "이전 카테고리",
    to: "이후 카테고리",
    since: "시작일",
    until: "마지막 날",
    export: |format| format!("{format} 내려받기"),
    saved: |n| format!("변경 기록 {n}건을 내려받았습니다"),
    save_failed: "변경 기록을 내려받지 못했습니다",
    columns: ["시각", "협업", "제목", "이전", "이후", "바꾼 사람", "이유", "변경 ID", "되돌린 변경", "출처"],
    event_missing: "로그에 없음",
    here_of: |here, all| format!("모두 {all}건 중 {here}건입니다."),
    bad_lines: |n| format!("기록 파일에서 {n}줄은 읽지 못했습니다. 아래 목록에는 빠져 있습니다."),
    empty: ("아직 바꾼 기록이 없습니다", "카테고리를 손으로 바꾸면 누가 언제 왜 바꿨는지 여기에 남습니다."),
    none_match: ("조건에 맞는 기록이 없습니다", "조건을 지우면 다시 보입니다."),
    unreadable: "변경 기록을 읽지 못했습니다",
    unreadable_why: "기록 파일이 있지만 열 수 없습니다. 기록이 없다는 뜻이 아닙니다.",
    unsupported: "이 모니터는 변경 기록을 남기지 않습니다",
    unsupported_why: "새 모니터로 바꾸면 그때부터 바꾼 기록이 남습니다.",
    open: "변경 기록",
    open_all: "모든 변경 기록",
};
