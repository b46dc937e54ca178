//! Percentage formatter for counts ([`percent`]) and fractions from 0 to 1 ([`share`]). Positive values are never
//! rounded to 0%.

/// `3.2%`; never rounded to nothing.
pub fn percent(part: u32, whole: u32) -> String {
    tenths((u64::from(part) * 1_000).div_ceil(u64::from(whole.max(1))))
}

/// A share (0–1) that is no count, such as a bound. Likewise never rounded to nothing.
pub fn share(share: f64) -> String {
    let rounded = (share.clamp(0.0, 1.0) * 1_000.0).round() as u64;
    tenths(if share > 0.0 { rounded.max(1) } else { rounded })
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
    fn nonzero_share_never_rounds_to_zero() {
        let shares = [percent(0, 9), percent(1, 100_000), percent(1, 31), percent(1, 2), percent(5, 5), percent(0, 0)];
        assert_eq!(shares, ["0%", "0.1%", "3.3%", "50%", "100%", "0%"]);
        let shares = [share(0.0), share(0.000_1), share(0.0976), share(0.1127), share(1.0)];
        assert_eq!(shares, ["0%", "0.1%", "9.8%", "11%", "100%"]);
    }
}
