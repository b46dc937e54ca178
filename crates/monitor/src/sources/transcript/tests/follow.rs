//! Tests of the transcript follower. Each line is read once. A replaced file is read from its beginning.
//!
//! Proves (transcripts): Only new bytes of a transcript are read again. A replaced transcript is read from its
//! beginning.

use super::*;

#[test]
fn a_transcript_is_followed_line_by_line() {
    let fixture = TranscriptFixture::new();
    let (one, two) = (message_line("user", "하나"), message_line("user", "둘"));
    let mut follow = Follow::default();
    fixture.write("s.jsonl", &format!("{one}{}", &two[..20]));
    assert_eq!(fixture.follow(&mut follow, "s.jsonl"), (vec![FollowLook::Restarted], vec![0]));
    assert_eq!(fixture.follow(&mut follow, "s.jsonl"), (vec![FollowLook::Continued], vec![]), "half a line waits");
    fixture.write("s.jsonl", &format!("{one}{two}broken\n{one}"));
    let third = (one.len() + two.len() + "broken\n".len()) as u64;
    assert_eq!(fixture.follow(&mut follow, "s.jsonl"), (vec![FollowLook::Continued], vec![one.len() as u64, third]));
    assert_eq!(follow.bad(), 1);
    fixture.write("s.jsonl", &one);
    assert_eq!(fixture.follow(&mut follow, "s.jsonl"), (vec![FollowLook::Restarted], vec![0]), "it was cut off");
    fixture.write("other", &format!("{one}{two}"));
    fs::rename(fixture.path("other"), fixture.path("s.jsonl")).expect("rename");
    assert_eq!(fixture.follow(&mut follow, "s.jsonl").0, [FollowLook::Restarted], "it is another one");
    fs::remove_file(fixture.path("s.jsonl")).expect("remove");
    assert!(follow.look(&fixture.folder, "s.jsonl", 1, |_| {}, |_| {}).is_err());
}

#[test]
fn transcript_rewritten_in_place_is_reread() {
    let fixture = TranscriptFixture::new();
    let line = |text: &str| message_line("user", text);
    let text: String = (0..200).map(|at| line(&format!("{at:03}"))).collect();
    let path = fixture.path("s.jsonl");
    // Writes into the file that is there, as a program without a rename does, at a time of its own.
    let seconds = std::cell::Cell::new(1_000);
    let write_in_place = |from: u64, text: &str| {
        let mut file = File::options().write(true).open(&path).expect("open");
        file.seek(SeekFrom::Start(from)).expect("seek");
        file.write_all(text.as_bytes()).expect("write");
        seconds.set(seconds.get() + 1);
        file.set_modified(std::time::UNIX_EPOCH + std::time::Duration::from_secs(seconds.get())).expect("a time");
    };
    let length = text.len() as u64;
    for (from, change, expected) in [
        (0, line("xyz"), FollowLook::Restarted),
        (length / 2, "z".to_owned(), FollowLook::Restarted),
        (length - 10, "z".to_owned(), FollowLook::Restarted),
        // Longer, with another beginning, or another end of the read part.
        (0, text.replace("000", "0000"), FollowLook::Restarted),
        (length - 40, line("longer than the old text there").repeat(3), FollowLook::Restarted),
        // Appended.
        (length, line("200"), FollowLook::Continued),
        (length, line("200").repeat(2), FollowLook::Continued),
    ] {
        fixture.write("s.jsonl", &text);
        let mut follow = Follow::default();
        assert_eq!(fixture.follow(&mut follow, "s.jsonl").0, [FollowLook::Restarted]);
        write_in_place(from, &change);
        let (looks, places) = fixture.follow(&mut follow, "s.jsonl");
        assert_eq!(looks, [expected], "{from} {change:.60}");
        let now = fs::read(&path).expect("read");
        let whole: Vec<u64> = lines(&now, 0).entries.iter().map(|entry| entry.place).collect();
        let from_there = if expected == FollowLook::Continued { text.lines().count() } else { 0 };
        assert_eq!(places, whole[from_there..], "{from} {change:.60}");
        assert_eq!(fixture.follow(&mut follow, "s.jsonl"), (vec![FollowLook::Continued], vec![]), "and then it rests");
    }
}

#[test]
fn recognising_a_transcript_reads_two_ends() {
    let fixture = TranscriptFixture::new();
    let text: String = (0..20_000).map(|at| message_line("user", &format!("{at} {}", "x".repeat(200)))).collect();
    fixture.write("s.jsonl", &text);
    let mut follow = Follow::default();
    fixture.follow(&mut follow, "s.jsonl");
    let more = message_line("user", "more");
    File::options()
        .append(true)
        .open(fixture.path("s.jsonl"))
        .and_then(|mut file| file.write_all(more.as_bytes()))
        .expect("append");
    let ((looks, places), system) = counted(|| fixture.follow(&mut follow, "s.jsonl"));
    assert_eq!((looks, places), (vec![FollowLook::Continued], vec![text.len() as u64]));
    let most = more.len() as u64 + 512 + 64;
    assert!(system.is_none_or(|bytes| bytes <= most), "{system:?} of at most {most}");
}

#[test]
fn following_in_small_budgets_gives_every_line_once() {
    let fixture = TranscriptFixture::new();
    let text: String = (0..2_000).map(|at| message_line("user", &format!("{at} {}", "가".repeat(at % 700)))).collect();
    fixture.write("s.jsonl", &text);
    let whole: Vec<u64> = lines(text.as_bytes(), 0).entries.iter().map(|entry| entry.place).collect();
    let mut follow = Follow::default();
    let mut places = Vec::new();
    let mut looks = 0;
    while !follow.look(&fixture.folder, "s.jsonl", 1, |_| {}, |entry| places.push(entry.place)).expect("look") {
        looks += 1;
    }
    assert_eq!(places, whole);
    assert!(looks > 0, "the budget ends a look");
}

#[test]
fn overlong_line_is_skipped() {
    let fixture = TranscriptFixture::new();
    let tail = format!("\n{}", message_line("user", "after"));
    fixture.huge("s.jsonl", &message_line("user", "before"), &tail);
    fs::File::options()
        .write(true)
        .open(fixture.path("s.jsonl"))
        .and_then(|file| file.set_len(70 << 20))
        .expect("shorten");
    let mut file = File::options().append(true).open(fixture.path("s.jsonl")).expect("open");
    file.write_all(tail.as_bytes()).expect("append");
    let mut follow = Follow::default();
    let (_, places) = fixture.follow(&mut follow, "s.jsonl");
    assert_eq!((places.len(), follow.bad()), (2, 1));
    assert_eq!(places[1], (70 << 20) + 1);
}
