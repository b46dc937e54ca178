//! Punycode converter (RFC 3492) between the Unicode and the ASCII form of one label (part between dots) of a host
//! name. The link parser (`host.rs`) uses it for internationalised hosts.

const BASE: u32 = 36;
const T_MIN: u32 = 1;
const T_MAX: u32 = 26;

/// The label without its `xn--`; nothing when it is too long to be counted.
pub(super) fn encode(label: &str) -> Option<String> {
    let mut out: String = label.chars().filter(char::is_ascii).collect();
    let basic = u32::try_from(out.len()).ok()?;
    if basic > 0 {
        out.push('-');
    }
    let total = u32::try_from(label.chars().count()).ok()?;
    let (mut n, mut delta, mut bias, mut handled) = (128_u32, 0_u32, 72_u32, basic);
    while handled < total {
        let next = label.chars().map(u32::from).filter(|c| *c >= n).min()?;
        delta = delta.checked_add((next - n).checked_mul(handled + 1)?)?;
        n = next;
        for c in label.chars().map(u32::from) {
            if c < n {
                delta = delta.checked_add(1)?;
            }
            if c == n {
                number(delta, bias, &mut out)?;
                bias = adapt(delta, handled + 1, handled == basic);
                delta = 0;
                handled += 1;
            }
        }
        delta = delta.checked_add(1)?;
        n = n.checked_add(1)?;
    }
    Some(out)
}

/// What a label behind `xn--` spells; nothing when it is no Punycode.
pub(super) fn decode(code: &str) -> Option<String> {
    let (basic, rest) = code.rsplit_once('-').unwrap_or(("", code));
    if !code.is_ascii() || rest.is_empty() {
        return None;
    }
    let mut out: Vec<char> = basic.chars().collect();
    let (mut n, mut i, mut bias) = (128_u32, 0_u32, 72_u32);
    let mut digits = rest.bytes();
    while digits.len() > 0 {
        let before = i;
        let mut weight = 1_u32;
        let mut k = BASE;
        loop {
            let digit = match digits.next()? {
                byte @ b'a'..=b'z' => u32::from(byte - b'a'),
                byte @ b'A'..=b'Z' => u32::from(byte - b'A'),
                byte @ b'0'..=b'9' => u32::from(byte - b'0') + 26,
                _ => return None,
            };
            i = i.checked_add(digit.checked_mul(weight)?)?;
            let threshold = threshold(k, bias);
            if digit < threshold {
                break;
            }
            weight = weight.checked_mul(BASE - threshold)?;
            k += BASE;
        }
        let length = u32::try_from(out.len()).ok()?.checked_add(1)?;
        bias = adapt(i - before, length, before == 0);
        n = n.checked_add(i / length)?;
        i %= length;
        out.insert(usize::try_from(i).ok()?, char::from_u32(n)?);
        i += 1;
    }
    Some(out.into_iter().collect())
}

fn number(mut value: u32, bias: u32, out: &mut String) -> Option<()> {
    let mut k = BASE;
    loop {
        let threshold = threshold(k, bias);
        if value < threshold {
            break;
        }
        out.push(digit(threshold + (value - threshold) % (BASE - threshold))?);
        value = (value - threshold) / (BASE - threshold);
        k += BASE;
    }
    out.push(digit(value)?);
    Some(())
}

fn threshold(k: u32, bias: u32) -> u32 {
    k.saturating_sub(bias).clamp(T_MIN, T_MAX)
}

fn digit(value: u32) -> Option<char> {
    char::from_digit(if value < 26 { value + 10 } else { value - 26 }, BASE)
}

fn adapt(delta: u32, length: u32, first: bool) -> u32 {
    let mut delta = if first { delta / 700 } else { delta / 2 };
    delta += delta / length;
    let mut k = 0;
    while delta > ((BASE - T_MIN) * T_MAX) / 2 {
        delta /= BASE - T_MIN;
        k += BASE;
    }
    k + (BASE - T_MIN + 1) * delta / (delta + 38)
}
