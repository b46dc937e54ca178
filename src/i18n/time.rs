//! Formatter of times, dates, durations and counts in the user's language, with the browser's `Intl`. It also parses
//! ISO times, and computes the first and last moment of a local day and the number of days since a time.

mod relative;

use std::cell::{Cell, RefCell};

use js_sys::{Array, Function, Intl, Object, Reflect};
use wasm_bindgen::{JsCast, JsValue};

use super::Locale;
pub use relative::{Relative, relative_form};

const DAY_MS: i64 = 86_400_000;
/// Clocks are moved at the beginning of a quarter of an hour.
const QUARTER_MS: i64 = 900_000;

/// Forms of a point in time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TimeStyle {
    Clock,
    ClockSeconds,
    Day,
    LongDay,
    ShortDate,
    ShortDateYear,
    Month,
    Exact,
}

impl TimeStyle {
    fn options(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Clock => &[("hour", "2-digit"), ("minute", "2-digit"), ("hourCycle", "h23")],
            Self::ClockSeconds => {
                &[("hour", "2-digit"), ("minute", "2-digit"), ("second", "2-digit"), ("hourCycle", "h23")]
            }
            Self::Day => &[("month", "long"), ("day", "numeric"), ("weekday", "short")],
            Self::LongDay => &[("month", "long"), ("day", "numeric"), ("weekday", "long")],
            Self::ShortDate => &[("month", "short"), ("day", "numeric")],
            Self::Month => &[("year", "numeric"), ("month", "long")],
            Self::ShortDateYear => &[("year", "numeric"), ("month", "short"), ("day", "numeric")],
            Self::Exact => &[
                ("year", "numeric"),
                ("month", "2-digit"),
                ("day", "2-digit"),
                ("hour", "2-digit"),
                ("minute", "2-digit"),
                ("second", "2-digit"),
                ("hourCycle", "h23"),
            ],
        }
    }
}

thread_local! {
    // Creating an `Intl` object is slow, so one is cached per language and style for the life of the page.
    // A dozen formats at most: a list is searched as fast as a map, with less code.
    static FORMATS: RefCell<Vec<(Locale, IntlFormat, Function)>> = const { RefCell::new(Vec::new()) };
    // The quarter of an hour that was asked for last, and its offset: a list asks for the days of all its rows.
    static OFFSET: Cell<Option<(i64, i64)>> = const { Cell::new(None) };
}

/// What a cached function formats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IntlFormat {
    Date(TimeStyle),
    Age,
    Number,
}

/// The format function of a language, made when it is first used.
fn cached(locale: Locale, format: IntlFormat) -> Function {
    let known = FORMATS.with_borrow(|formats| {
        let known = formats.iter().find(|(of, known, _)| (*of, *known) == (locale, format));
        known.map(|(.., function)| function.clone())
    });
    known.unwrap_or_else(|| {
        let function = new_format(locale, format);
        FORMATS.with_borrow_mut(|formats| formats.push((locale, format, function.clone())));
        function
    })
}

fn new_format(locale: Locale, format: IntlFormat) -> Function {
    match format {
        IntlFormat::Date(style) => Intl::DateTimeFormat::new(&locales(locale), &options(style.options())).format(),
        IntlFormat::Number => Intl::NumberFormat::new(&locales(locale), &Object::new()).format(),
        IntlFormat::Age => {
            let options = options(&[("numeric", "always"), ("style", "short")]);
            let ages = Intl::RelativeTimeFormat::new(&locales(locale), &options);
            let format = Reflect::get(&ages, &JsValue::from_str("format")).unwrap_or_default();
            JsCast::unchecked_into::<Function>(format).bind0(&ages)
        }
    }
}

fn locales(locale: Locale) -> Array {
    Array::of1(&JsValue::from_str(match locale {
        Locale::Ko => "ko-KR",
        Locale::En => "en-US",
    }))
}

fn options(pairs: &[(&str, &str)]) -> Object {
    let object = Object::new();
    for (key, value) in pairs {
        // Setting a plain property of a fresh object cannot fail.
        Reflect::set(&object, &JsValue::from_str(key), &JsValue::from_str(value)).ok();
    }
    object
}

fn call(function: &Function, value: f64) -> String {
    function.call1(&JsValue::UNDEFINED, &JsValue::from_f64(value)).ok().and_then(|v| v.as_string()).unwrap_or_default()
}

fn date(locale: Locale, style: TimeStyle, at_ms: i64) -> String {
    call(&cached(locale, IntlFormat::Date(style)), at_ms as f64)
}

/// Minutes west of UTC at that time, in the user's zone.
fn offset_minutes(at_ms: i64) -> i64 {
    let quarter = at_ms.div_euclid(QUARTER_MS);
    if let Some((_, minutes)) = OFFSET.get().filter(|(known, _)| *known == quarter) {
        return minutes;
    }
    let minutes = js_sys::Date::new(&JsValue::from_f64(at_ms as f64)).get_timezone_offset() as i64;
    OFFSET.set(Some((quarter, minutes)));
    minutes
}

/// Minutes the user's clock is ahead of UTC at that time.
pub fn offset_east(at_ms: i64) -> i32 {
    i32::try_from(-offset_minutes(at_ms)).unwrap_or_default()
}

/// `14:17`
pub fn clock(locale: Locale, at_ms: i64) -> String {
    date(locale, TimeStyle::Clock, at_ms)
}

/// `14:17:23`
pub fn clock_seconds(locale: Locale, at_ms: i64) -> String {
    date(locale, TimeStyle::ClockSeconds, at_ms)
}

/// `2월 20일 (금)`, `Fri, February 20`
pub fn day(locale: Locale, at_ms: i64) -> String {
    date(locale, TimeStyle::Day, at_ms)
}

/// `2월 21일 토요일 14:17`
pub fn long_day_clock(locale: Locale, at_ms: i64) -> String {
    format!("{} {}", date(locale, TimeStyle::LongDay, at_ms), clock(locale, at_ms))
}

/// `2월 20일`, with the year where it is far away.
pub fn short_day(locale: Locale, now_ms: i64, at_ms: i64) -> String {
    short_date(locale, now_ms, at_ms)
}

/// `2월 20일 17:38`
pub fn day_clock(locale: Locale, at_ms: i64) -> String {
    format!("{} {}", date(locale, TimeStyle::ShortDate, at_ms), clock(locale, at_ms))
}

/// A period of this many milliseconds, as lists and charts name it: an hour, a day, or the first and last day.
pub fn period(locale: Locale, now_ms: i64, at_ms: i64, length_ms: i64) -> String {
    let begin = period_begin(locale, now_ms, at_ms, length_ms);
    if length_ms > DAY_MS { format!("{begin}–{}", short_day(locale, now_ms, at_ms + length_ms - 1)) } else { begin }
}

/// When such a stretch begins.
pub fn period_begin(locale: Locale, now_ms: i64, at_ms: i64, length_ms: i64) -> String {
    if length_ms < DAY_MS { day_clock(locale, at_ms) } else { short_day(locale, now_ms, at_ms) }
}

/// An ISO time as files write it.
pub fn parse_iso(text: &str) -> Option<i64> {
    let at = js_sys::Date::parse(text);
    at.is_finite().then_some(at as i64)
}

/// A day as files write it (`2026-02-20`, or a date and time), as a time within that day for every reader.
pub fn written_day(text: &str) -> Option<i64> {
    let text = text.trim();
    // A bare date would be read as midnight in Greenwich, which is the day before in half of the world.
    if text.len() == 10 { parse_iso(&format!("{text}T12:00:00")) } else { parse_iso(text) }
}

/// The first moment of a day of the user's calendar (`2026-02-20`).
pub fn day_begins(day: &str) -> Option<i64> {
    parse_iso(&format!("{day}T00:00:00.000"))
}

/// Its last moment.
pub fn day_ends(day: &str) -> Option<i64> {
    parse_iso(&format!("{day}T23:59:59.999"))
}

/// Number of the user's local day.
pub fn local_day(at_ms: i64) -> i64 {
    relative::day_number(at_ms, offset_minutes(at_ms))
}

/// The first moment of the user's day of a time.
pub fn local_midnight(at_ms: i64) -> i64 {
    let date = js_sys::Date::new(&JsValue::from_f64(at_ms as f64));
    date.set_hours(0);
    date.set_minutes(0);
    date.set_seconds(0);
    date.set_milliseconds(0);
    date.get_time() as i64
}

/// A time as a field for local dates and times holds it: `2026-02-21T13:05`.
pub fn local_input(at_ms: i64) -> String {
    let local = js_sys::Date::new(&JsValue::from_f64((at_ms - offset_minutes(at_ms) * 60_000) as f64));
    let text = String::from(local.to_iso_string());
    text.get(..16).unwrap_or_default().to_owned()
}

/// A month of the user's calendar, counted from year 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Month(i32);

impl Month {
    /// So many months later.
    pub fn plus(self, months: i32) -> Self {
        Self(self.0 + months)
    }

    fn date(self, day: i32) -> js_sys::Date {
        let (year, month) = (self.0.div_euclid(12), self.0.rem_euclid(12));
        js_sys::Date::new_with_year_month_day(year.unsigned_abs(), month, day)
    }
}

/// The user's month of a time.
pub fn local_month(at_ms: i64) -> Month {
    let date = js_sys::Date::new(&JsValue::from_f64(at_ms as f64));
    Month(date.get_full_year() as i32 * 12 + date.get_month() as i32)
}

/// The weekday of a month's first day (0 is Sunday), and its number of days.
pub fn month_shape(month: Month) -> (i32, i32) {
    (month.date(1).get_day() as i32, month.plus(1).date(0).get_date() as i32)
}

/// The first moment of a day of a month.
pub fn month_day(month: Month, day: i32) -> i64 {
    month.date(day).get_time() as i64
}

/// `2026년 2월`, `February 2026`
pub fn month(locale: Locale, month: Month) -> String {
    date(locale, TimeStyle::Month, month_day(month, 1))
}

/// Date and time to the second, for titles and screen readers.
pub fn exact(locale: Locale, at_ms: i64) -> String {
    date(locale, TimeStyle::Exact, at_ms)
}

/// `14:17` today, `2월 18일` otherwise: for claims about the past that must not age.
pub fn short(locale: Locale, now_ms: i64, at_ms: i64) -> String {
    if same_day(now_ms, at_ms) { clock(locale, at_ms) } else { short_date(locale, now_ms, at_ms) }
}

fn short_date(locale: Locale, now_ms: i64, at_ms: i64) -> String {
    // Half a year: within it a month and a day name one date only.
    let recent = now_ms.saturating_sub(at_ms).abs() < 183 * 86_400_000;
    let style = if recent { TimeStyle::ShortDate } else { TimeStyle::ShortDateYear };
    date(locale, style, at_ms)
}

/// `방금`, `3분 전`, `어제 18:20`, `2월 18일`: the form lists use. A time that is still to come is not `방금`: `17:20`.
pub fn relative(locale: Locale, now_ms: i64, at_ms: i64) -> String {
    let words = &locale.messages().time;
    match relative_form(now_ms, at_ms, offset_minutes(now_ms), offset_minutes(at_ms)) {
        Relative::Later => clock(locale, at_ms),
        Relative::Now => words.just_now.to_owned(),
        Relative::Minutes(n) => age(locale, n, "minute"),
        Relative::Hours(n) => age(locale, n, "hour"),
        Relative::Yesterday => format!("{} {}", words.yesterday, clock(locale, at_ms)),
        Relative::Date => short_date(locale, now_ms, at_ms),
    }
}

/// `3초 전`, `2분 전`: the age of the data, to the second while it is young.
pub fn data_age(locale: Locale, now_ms: i64, at_ms: i64) -> String {
    match now_ms.saturating_sub(at_ms) {
        ms @ relative::MIN_AGE_MS..60_000 => age(locale, ms.max(0) / 1000, "second"),
        _ => relative(locale, now_ms, at_ms),
    }
}

fn age(locale: Locale, n: i64, unit: &str) -> String {
    let (age, unit) = (JsValue::from_f64(-(n as f64)), JsValue::from_str(unit));
    let text = cached(locale, IntlFormat::Age).call2(&JsValue::UNDEFINED, &age, &unit);
    text.ok().and_then(|text| text.as_string()).unwrap_or_default()
}

/// `4분 12초`, `2시간 5분`, `3일 4시간`: at most two units.
pub fn duration(locale: Locale, ms: i64) -> String {
    let words = &locale.messages().time;
    let secs = ms.max(0) / 1000;
    let (days, hours, minutes, seconds) = (secs / 86_400, secs / 3600 % 24, secs / 60 % 60, secs % 60);
    let parts = if days > 0 {
        [(days, words.days), (hours, words.hours)]
    } else if hours > 0 {
        [(hours, words.hours), (minutes, words.minutes)]
    } else if minutes > 0 {
        [(minutes, words.minutes), (seconds, words.seconds)]
    } else {
        [(seconds, words.seconds), (0, words.seconds)]
    };
    let [(first, first_unit), (second, second_unit)] = parts;
    let mut out = first_unit(first);
    if second > 0 {
        out.push(' ');
        out.push_str(&second_unit(second));
    }
    out
}

/// `38분째`, `for 38 min`: how long something has been going on, one unit.
pub fn since(locale: Locale, now_ms: i64, at_ms: i64) -> String {
    let words = &locale.messages().time;
    let minutes = now_ms.saturating_sub(at_ms).max(0) / 60_000;
    let length = match minutes {
        0 => return words.just_now.to_owned(),
        1..=59 => (words.minutes)(minutes),
        60..=1439 => (words.hours)(minutes / 60),
        _ => (words.days)(minutes / 1440),
    };
    (words.lasting)(&length)
}

/// True when both lie on the same local day.
pub fn same_day(a_ms: i64, b_ms: i64) -> bool {
    relative::day_number(a_ms, offset_minutes(a_ms)) == relative::day_number(b_ms, offset_minutes(b_ms))
}

/// Whole local days from `at_ms` to `now_ms`: 0 today, 1 yesterday.
pub fn days_ago(now_ms: i64, at_ms: i64) -> i64 {
    relative::day_number(now_ms, offset_minutes(now_ms)) - relative::day_number(at_ms, offset_minutes(at_ms))
}

/// `12,345`
pub fn count(locale: Locale, n: u64) -> String {
    if n < 1000 {
        return n.to_string();
    }
    call(&cached(locale, IntlFormat::Number), n as f64)
}
