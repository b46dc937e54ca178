//! Type for an IP address or network in the configuration, such as `10.0.0.0/8`, with its parser.

use std::net::IpAddr;
use std::str::FromStr;

/// An address, or all that share its first bits: `127.0.0.1`, `10.0.0.0/8`, `fd00::/8`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Network {
    base: IpAddr,
    bits: u32,
}

impl Network {
    /// Whether an address lies in it. An IPv4 address written as IPv6 is the IPv4 address.
    #[must_use]
    pub fn holds(&self, address: IpAddr) -> bool {
        match (self.base, address.to_canonical()) {
            (IpAddr::V4(base), IpAddr::V4(address)) => {
                let mask = u32::MAX.checked_shl(32 - self.bits).unwrap_or(0);
                base.to_bits() & mask == address.to_bits() & mask
            }
            (IpAddr::V6(base), IpAddr::V6(address)) => {
                let mask = u128::MAX.checked_shl(128 - self.bits).unwrap_or(0);
                base.to_bits() & mask == address.to_bits() & mask
            }
            _ => false,
        }
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("{text:?} is not an address or network such as 10.0.0.0/8");
        let (address, bits) = match text.trim().split_once('/') {
            Some((address, bits)) => (address, Some(bits.parse::<u32>().map_err(|_| wrong())?)),
            None => (text.trim(), None),
        };
        let base: IpAddr = address.parse().map_err(|_| wrong())?;
        let most = if base.is_ipv4() { 32 } else { 128 };
        let network = Self { base, bits: bits.unwrap_or(most) };
        if network.bits > most { Err(wrong()) } else { Ok(network) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(network: &str, address: &str) -> bool {
        network.parse::<Network>().expect("network").holds(address.parse().expect("address"))
    }

    #[test]
    fn a_network_holds_what_shares_its_first_bits() {
        assert!(holds("127.0.0.1", "127.0.0.1") && holds("127.0.0.1", "::ffff:127.0.0.1"));
        assert!(!holds("127.0.0.1", "127.0.0.2") && !holds("127.0.0.1", "::1"));
        assert!(holds("10.0.0.0/8", "10.255.0.1") && !holds("10.0.0.0/8", "11.0.0.1"));
        assert!(holds("0.0.0.0/0", "8.8.8.8") && !holds("0.0.0.0/0", "::1"));
        assert!(holds("fd00::/8", "fdab::1") && !holds("fd00::/8", "fe80::1") && holds("::/0", "::1"));
    }

    #[test]
    fn what_is_no_network_is_refused() {
        for bad in ["", "localhost", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0/8", "10.0.0.0/8/8"] {
            assert!(bad.parse::<Network>().is_err(), "{bad}");
        }
    }
}
