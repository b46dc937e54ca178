//! Korean texts of opened files.

use local_monitor::{FileContentKind, TranscriptUse};

use crate::i18n::messages::{EvidenceExtent, FilesFailure, FilesMessages};

pub(in crate::i18n) static FILES: FilesMessages = FilesMessages {
    title: "연 파일",
    shown: |name| format!("{name} 파일을 보고 있습니다. 내용은 이 브라우저를 벗어나지 않습니다."),
    failed: |failure| match failure {
        FilesFailure::Stopped => "파일을 더 읽을 수 없습니다. 파일이 너무 크거나 브라우저 메모리가 모자랄 수 있습니다.",
        FilesFailure::NotLoaded => "파일을 읽는 프로그램을 불러오지 못했습니다. 연결을 확인하고 다시 열어 주세요.",
        FilesFailure::NotFetched => "이 사이트가 보여 주려는 파일을 받지 못했습니다. 페이지를 새로 고쳐 주세요.",
        FilesFailure::UnreadableEvidence => {
            "이 증거 파일은 온전하지 않거나 이 프로그램이 모르는 형식이라 내용을 보여 드리지 않습니다."
        }
        FilesFailure::NoExchanges => {
            "OpenClaw 세션 기록이지만 에이전트끼리 주고받은 메시지나 위임이 없어 보여 드릴 것이 없습니다. 세션의 대화는 모니터의 OpenClaw 세션 화면에서 볼 수 있습니다."
        }
        FilesFailure::CodingAgentTranscript => {
            "Claude Code나 Codex의 세션 기록은 읽지 않습니다. 이 에이전트들의 활동은 훅으로 기록한 파일이나 모니터에서 볼 수 있습니다."
        }
    },
    unread: "브라우저가 열지 못해 읽지 않았습니다.",
    unread_files: |n| format!("열지 못한 파일 {n}개"),
    reading: "파일 읽기",
    read: |percent| format!("{percent}% 읽음"),
    events: |n| format!("이벤트 {n}건"),
    bad_lines: |n| format!("읽지 못한 줄 {n}개"),
    memory: |size| format!("메모리 {size}"),
    last_moment: "마지막 이벤트 시점 보기",
    details: "파일 목록",
    close: "파일 닫기",
    choose_files: "파일 열기",
    choose_folder: "폴더 열기",
    offer_title: "모니터 없이 기록 파일 보기",
    offer_text: "협업 로그, OpenClaw 세션 기록, 압축한 홈 폴더, 증거 파일을 이 화면에 끌어다 놓거나 골라서 여세요. gzip, zstd, zip, tar도 열 수 있습니다.",
    recent: "전에 연 파일",
    private: "파일은 이 브라우저에서만 읽으며 어디에도 전송하지 않습니다. 바꾼 카테고리는 파일을 닫으면 사라집니다.",
    kind: |kind| match kind {
        FileContentKind::Log => "협업 로그",
        FileContentKind::AgentEvents => "에이전트 이벤트",
        FileContentKind::Evidence => "증거 파일",
        FileContentKind::Home => "홈 폴더 파일",
        FileContentKind::Sessions => "세션 목록",
        FileContentKind::Transcript => "OpenClaw 세션 기록",
        FileContentKind::CodingAgentTranscript => "Claude Code·Codex 세션 기록",
        FileContentKind::Database => "데이터베이스",
        FileContentKind::Unknown => "알 수 없는 파일",
    },
    not_read: |kind| match kind {
        FileContentKind::Database => "모니터에서만 볼 수 있어 읽지 않았습니다.",
        FileContentKind::CodingAgentTranscript => {
            "읽지 않았습니다. 이 에이전트들의 활동은 훅으로 기록한 파일이나 모니터에서 볼 수 있습니다."
        }
        FileContentKind::Unknown => "보여 줄 기록이 없어 읽지 않았습니다.",
        _ => "",
    },
    torn: |bytes| format!("끝나지 않은 마지막 줄 {bytes}바이트"),
    transcript: |used, events| match used {
        TranscriptUse::Read { agent, is_assumed } => {
            let agent = match is_assumed {
                true => format!("{agent} 에이전트의 기록으로 보고 읽었습니다."),
                false => format!("{agent} 에이전트의 기록입니다."),
            };
            match events {
                0 => format!("{agent} 에이전트끼리 주고받은 메시지나 위임이 없습니다."),
                _ => agent,
            }
        }
        TranscriptUse::Superseded { by } => format!("같은 세션의 다른 파일을 읽어 이 파일은 읽지 않았습니다: {by}"),
        TranscriptUse::Copy => "백업이나 사본이어서 읽지 않았습니다. 모니터도 읽지 않습니다.".to_owned(),
    },
    evidence: |header, made| {
        let extent = EvidenceExtent::of(&header.scope);
        let of = match extent {
            EvidenceExtent::Session => "협업 하나",
            EvidenceExtent::Thread => "스레드 하나",
            EvidenceExtent::Events => "찾은 이벤트",
        };
        let mut facts = vec!["파일 자체는 온전함(로그와는 비교하지 않음)".to_owned()];
        facts.push(format!("{of}의 로그 {}줄 중 {}줄 가림", header.lines, header.masked));
        facts.extend(header.scope.q.iter().map(|q| format!("검색어 “{q}”")));
        if extent != EvidenceExtent::Session {
            facts.push("일부만 담겨 있어 상태가 실제와 다를 수 있음".to_owned());
        }
        facts.push(format!("만든 때({made})의 상태"));
        facts.extend(header.made_by.iter().map(|by| format!("만든 사람 {by}")));
        facts.push(header.program.clone());
        facts
    },
    evidence_period: |since, until| match (since, until) {
        (Some(since), Some(until)) => format!("{since}부터 {until}까지"),
        (Some(since), None) => format!("{since}부터"),
        (None, Some(until)) => format!("{until}까지"),
        (None, None) => String::new(),
    },
    masked_lines: "가린 줄과 위치",
    more_masked: |n| format!("그 밖에 가린 줄 {n}개"),
    evidence_title: "증거 파일",
    evidence_text: "이 협업의 모든 기록을 원본 그대로, 위치와 해시와 함께 파일 하나에 담습니다.",
    evidence_save: "증거 파일 저장",
    evidence_extent: "범위",
    evidence_whole: "이 협업 전체",
    evidence_thread: "지금 보는 스레드만",
    evidence_format: "형식",
    evidence_html: "HTML: 받는 사람이 모니터 없이 브라우저에서 바로 봅니다",
    evidence_ndjson: "NDJSON: 바뀐 곳이 있는지 검증할 수 있습니다",
    evidence_markdown: "Markdown: 읽고 인쇄하기 좋습니다",
    evidence_mask: "토큰, 이메일, 전화번호, 내부 주소 가리기",
    evidence_note: "받는 사람에게 남길 메모",
    evidence_with_notes: "대시보드에 남긴 메모와 해결 표시도 담기",
    evidence_notes: |n| format!("메모와 해결 표시 {n}건"),
    evidence_holds: |extent, lines, masked| {
        let of = match extent {
            EvidenceExtent::Session => "이 협업의 모든 로그 줄",
            EvidenceExtent::Thread => "이 스레드의 모든 로그 줄",
            EvidenceExtent::Events => "찾은 이벤트의 모든 로그 줄",
        };
        match masked {
            0 => format!("{of} {lines}개, 빠진 바이트 없음"),
            masked => format!("{of} {lines}개, 그중 {masked}개는 일부를 가림"),
        }
    },
    evidence_saved: "증거 파일을 저장했습니다",
    evidence_failed: "파일을 저장하지 못했습니다",
    evidence_no_page: "이 대시보드에는 HTML로 저장하는 데 필요한 파일이 없습니다. NDJSON으로 저장해 주세요.",
    evidence_too_large: |mib| {
        format!("로그가 {mib}MiB보다 커서 이 화면에서는 증거 파일을 만들 수 없습니다. 모니터에서는 만들 수 있습니다.")
    },
    evidence_session: "협업",
    evidence_of_thread: "스레드",
    evidence_query: "검색어",
    evidence_time: "기간",
    evidence_lines: "담긴 기록",
    evidence_files: "원본 파일",
    evidence_made: "만든 때",
    evidence_by: "만든 사람과 프로그램",
    evidence_own_note: "메모",
    evidence_mark: "해결 표시",
    evidence_maker: "이름 (선택)",
    evidence_maker_hint: "파일에 만든 사람으로 남습니다",
    more: |n| format!("그 밖의 파일 {n}개"),
    command: "기록 파일 열기",
    folder_command: "기록 폴더 열기",
    also: "로그 파일 드롭 업로드 증거 세션 기록 트랜스크립트 zip ndjson jsonl",
};
