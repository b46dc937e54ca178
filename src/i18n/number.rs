//! Percentage formatter for counts ([`percent`]) and fractions from 0 to 1 ([`share`]), whose positive values are never
//! rounded to 0%, and formatter of sizes ([`bytes`]).

/// `3.2%`; never rounded to nothing.
pub fn percent(part: u32, whole: u32) -> String {
    tenths((u64::from(part) * 1_000).div_ceil(u64::from(whole.max(1))))
}

/// A share (0–1) that is no count, such as a bound. Likewise never rounded to nothing.
pub fn share(share: f64) -> String {
    let rounded = (share.clamp(0.0, 1.0) * 1_000.0).round() as u64;
    tenths(if share > 0.0 { rounded.max(1) } else { rounded })
}

/// `950 B`, `4.2 KB`, `12 MB`: in thousands, with two digits.
pub fn bytes(bytes: u64) -> String {
    let mut unit = 1_u64;
    for name in ["B", "KB", "MB", "GB"] {
        if bytes < unit.saturating_mul(1_000) || name == "GB" {
            let tenths = bytes.saturating_mul(10) / unit;
            let has_fraction = unit > 1 && tenths < 100;
            return if has_fraction {
                format!("{}.{} {name}", tenths / 10, tenths % 10)
            } else {
                format!("{} {name}", tenths / 10)
            };
        }
        unit *= 1_000;
    }
    String::new()
}

fn tenths(tenths: u64) -> String {
    match tenths {
        0 => "0%".to_owned(),
        1..100 => format!("{}.{}%", tenths / 10, tenths % 10),
        _ => format!("{}%", tenths / 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_two_digits() {
        let sizes = [bytes(0), bytes(950), bytes(4_200), bytes(12_345), bytes(7_000_000), bytes(5_000_000_000_000)];
        assert_eq!(sizes, ["0 B", "950 B", "4.2 KB", "12 KB", "7.0 MB", "5000 GB"]);
    }

    #[test]
    fn nonzero_share_never_rounds_to_zero() {
        let shares = [percent(0, 9), percent(1, 100_000), percent(1, 31), percent(1, 2), percent(5, 5), percent(0, 0)];
        assert_eq!(shares, ["0%", "0.1%", "3.3%", "50%", "100%", "0%"]);
        let shares = [share(0.0), share(0.000_1), share(0.0976), share(0.1127), share(1.0)];
        assert_eq!(shares, ["0%", "0.1%", "9.8%", "11%", "100%"]);
    }
}
