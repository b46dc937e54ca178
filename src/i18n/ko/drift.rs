//! Korean texts of the category drift page.

use crate::i18n::messages::DriftMessages;
use crate::routes::DriftSince;

pub(in crate::i18n) static DRIFT: DriftMessages = DriftMessages {
    title: "분류 추이",
    subtitle: "자동 분류가 시간이 지나며 어떻게 달라지는지, 어디에서 사람과 어긋나는지",
    open: "분류 추이",
    period: "기간",
    all_time: "전체 기간",
    since: |since| match since {
        DriftSince::Week => "최근 7일",
        DriftSince::Month => "최근 30일",
        DriftSince::Quarter => "최근 90일",
    },
    counted: |n| format!("자동으로 분류한 협업 {n}건"),
    stated: |n| format!("카테고리가 로그에 적혀 있어 뺀 협업 {n}건"),
    undated: |n| format!("시작 시각을 알 수 없어 뺀 협업 {n}건"),
    as_table: "표로 보기",
    band_inside: |share, low, high| {
        format!("최근 7일에 분류 근거가 없던 협업은 {share}입니다. 평소 범위({low}–{high}) 안입니다.")
    },
    band_above: |share, low, high| {
        format!("최근 7일에 분류 근거가 없던 협업이 {share}로, 평소 범위({low}–{high})보다 많습니다.")
    },
    band_below: |share, low, high| {
        format!("최근 7일에 분류 근거가 없던 협업이 {share}로, 평소 범위({low}–{high})보다 적습니다.")
    },
    band_few: |recent, earlier| {
        format!(
            "평소와 견주기에는 협업이 아직 적습니다. 최근 7일 {recent}개(20개부터), 그 전 {earlier}개(50개부터)입니다."
        )
    },
    grounds: "분류 근거",
    grounds_hint: "밑줄이 끊긴 기간에는 협업이 없었습니다",
    no_grounds: "근거 없는 협업",
    no_grounds_why: "내용으로 알 수 없어 기본 카테고리를 쓴 협업",
    doubtful: "확신이 낮은 협업",
    doubtful_why: "확신이 40%에 못 미치는 협업, 근거 없는 협업 포함",
    shares: "카테고리별 비중",
    shares_hint: "자동 분류 기준, 모든 칸의 눈금이 같습니다",
    axis: |from, to| format!("왼쪽 {from}부터 오른쪽 {to}까지"),
    overrides: "사람이 바꾼 분류",
    overrides_hint: "자동 분류가 자주 틀리는 카테고리를 찾습니다",
    column_period: "기간",
    column_sessions: "협업",
    column_category: "자동 분류",
    column_moved: "바꾼 협업",
    column_confirmed: "그대로 확정",
    column_to: "주로 바꾼 곳",
    nobody_moved: "없음",
    moved_of: |part, whole, share| format!("{whole}개 중 {part}개 ({share})"),
    confidence: "확신 분포",
    confidence_hint: "자동 분류의 확신을 열 칸으로 나눈 협업 비율",
    column_confidence: "확신",
    column_share: "비율",
    intents: "같은 일, 같은 분류",
    intents_hint: "제목이 같은 협업끼리 자동 분류도 같은지 봅니다",
    no_intents: "제목이 같은 협업이 아직 없습니다.",
    agreeing: |share, part, whole, groups| {
        format!("제목이 같은 {groups}묶음, 협업 {whole}건 중 {part}건({share})가 묶음에서 가장 많은 분류와 같습니다.")
    },
    all_agree: "분류가 엇갈린 묶음이 없습니다.",
    divided: "분류가 엇갈린 묶음",
    divided_of: |here, all| format!("엇갈린 묶음 {all}개 중 {here}개입니다."),
    out_of_line: |out, all| format!("협업 {all}건 중 {out}건이 다름"),
    more_sessions: |n| format!("그 밖에 {n}개"),
    empty: ("아직 분류한 협업이 없습니다", "협업이 생기면 자동 분류가 어떻게 되어 가는지 여기에 나타납니다."),
    empty_period: ("이 기간에 시작한 협업이 없습니다", "기간을 넓히면 다시 보입니다."),
    unsupported: ("이 모니터는 분류 추이를 알려 주지 않습니다", "새 모니터로 바꾸면 지난 협업까지 함께 보입니다."),
};
