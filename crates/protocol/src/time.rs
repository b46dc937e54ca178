//! Conversion between ISO-8601 text and epoch milliseconds, without a clock or a time zone database.

/// Reads an ISO-8601 date or date-time. A date alone is UTC midnight; a date-time without a zone is taken as UTC,
/// because the pure core knows no local zone. `None` for anything else.
#[must_use]
pub fn parse_iso(text: &str) -> Option<i64> {
    let text = text.trim();
    let (date, rest) = match text.find(['T', 't', ' ']) {
        Some(at) => (text.get(..at)?, text.get(at + 1..)?),
        None => (text, ""),
    };
    let days = parse_date(date)?;
    if rest.is_empty() {
        return (date.len() == text.len()).then_some(days * 86_400_000);
    }
    let (clock, offset_minutes) = split_zone(rest.trim())?;
    days.checked_mul(86_400_000)?.checked_add(parse_clock(clock)?)?.checked_sub(offset_minutes * 60_000)
}

/// `2026-02-17T02:22:01.700Z`, as JavaScript's `toISOString` writes it.
#[must_use]
pub fn to_iso(ms: i64) -> String {
    let (days, rest) = (ms.div_euclid(86_400_000), ms.rem_euclid(86_400_000));
    let (year, month, day) = civil_from_days(days);
    let (hour, minute, second, milli) = (rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60, rest % 1000);
    let year = if (0..=9999).contains(&year) { format!("{year:04}") } else { format!("{year:+07}") };
    format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

fn digits(text: &str, min: usize, max: usize) -> Option<i64> {
    let fits = (min..=max).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    if fits { text.parse().ok() } else { None }
}

fn parse_date(text: &str) -> Option<i64> {
    let mut parts = text.split('-');
    let year = digits(parts.next()?, 4, 4)?;
    let month = parts.next().map_or(Some(1), |part| digits(part, 2, 2))?;
    let day = parts.next().map_or(Some(1), |part| digits(part, 2, 2))?;
    if parts.next().is_some() || !(1..=12).contains(&month) || !(1..=days_in(year, month)).contains(&day) {
        return None;
    }
    Some(days_from_civil(year, month, day))
}

fn days_in(year: i64, month: i64) -> i64 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

fn split_zone(text: &str) -> Option<(&str, i64)> {
    if let Some(clock) = text.strip_suffix(['Z', 'z']) {
        return Some((clock, 0));
    }
    let Some(at) = text.rfind(['+', '-']) else { return Some((text, 0)) };
    let (clock, zone) = (text.get(..at)?, text.get(at + 1..)?.replace(':', ""));
    let minutes = match zone.len() {
        2 => digits(&zone, 2, 2)? * 60,
        4 => digits(zone.get(..2)?, 2, 2)? * 60 + digits(zone.get(2..)?, 2, 2)?,
        _ => return None,
    };
    Some((clock.trim(), if text.as_bytes().get(at) == Some(&b'-') { -minutes } else { minutes }))
}

fn parse_clock(text: &str) -> Option<i64> {
    let mut parts = text.split(':');
    let hour = digits(parts.next()?, 2, 2).filter(|hour| *hour <= 24)?;
    let minute = digits(parts.next()?, 2, 2).filter(|minute| *minute < 60)?;
    let seconds = parts.next().unwrap_or("00");
    if parts.next().is_some() {
        return None;
    }
    let (second, fraction) = seconds.split_once(['.', ',']).unwrap_or((seconds, "0"));
    let second = digits(second, 2, 2).filter(|second| *second < 60)?;
    digits(fraction, 1, 18)?;
    let milli: i64 = format!("{:0<3}", fraction.get(..fraction.len().min(3))?).parse().ok()?;
    let total = ((hour * 60 + minute) * 60 + second) * 1000 + milli;
    (total <= 86_400_000).then_some(total)
}

/// Days since 1970-01-01 of a proleptic Gregorian date (Howard Hinnant, "chrono-compatible low-level date algorithms").
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}
