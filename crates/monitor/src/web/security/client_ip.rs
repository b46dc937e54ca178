//! Client address behind reverse proxies. `X-Forwarded-For` is used only if a configured proxy sends it. A request with
//! any forwarding header does not count as local, that is, as sent from this machine.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use axum::extract::{ConnectInfo, Request};
use axum::http::{Extensions, HeaderMap};

use super::identity::Identity;
use crate::config::{Network, Settings};

/// Headers of proxies.
const FORWARDED: [&str; 5] = ["forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "via"];

/// The client, as far as it is known. Every request that passed the guard carries it.
#[derive(Debug, Clone)]
pub(super) struct Caller {
    /// Address of the client: the peer, or the one that a trusted proxy names. Unspecified when there is no socket.
    pub(super) client: IpAddr,
    /// The peer is a proxy of ours.
    pub(super) by_proxy: bool,
    /// A program on this machine that forwards for no other client.
    pub(super) local: bool,
    /// Host and port as the client calls them.
    pub(super) authority: String,
    /// A page of ours: its origin is named and is this very host.
    pub(super) of_page: bool,
    /// The person that a trusted proxy names.
    pub(super) identity: Option<Identity>,
}

impl Caller {
    pub(super) fn from_request(settings: &Settings, request: &Request) -> Self {
        let peer = peer(request.extensions());
        let headers = request.headers();
        let by_proxy = peer.is_some_and(|peer| trusted(&settings.trusted_proxies, peer));
        let local =
            peer.is_some_and(|peer| peer.is_loopback()) && !FORWARDED.iter().any(|it| headers.contains_key(*it));
        let peer = peer.unwrap_or(IpAddr::V6(Ipv6Addr::UNSPECIFIED));
        let client = if by_proxy { named_client(&settings.trusted_proxies, headers, peer) } else { peer };
        let identity = settings.identity.as_ref().filter(|_| by_proxy && !local);
        let identity = identity.and_then(|identity| Identity::from_headers(identity, headers));
        Self { client, by_proxy, local, authority: String::new(), of_page: false, identity }
    }

    /// Whether a trusted proxy forwards it for somebody. A program on the proxy's machine adds no forwarding header.
    pub(super) fn is_forwarded(&self) -> bool {
        self.by_proxy && !self.local
    }

    /// Key of the rate limit: an IPv6 client has a whole network of addresses.
    pub(super) fn counted_as(&self) -> IpAddr {
        match self.client {
            IpAddr::V4(_) => self.client,
            IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
        }
    }
}

fn peer(extensions: &Extensions) -> Option<IpAddr> {
    extensions.get::<ConnectInfo<SocketAddr>>().map(|peer| peer.0.ip().to_canonical())
}

fn trusted(proxies: &[Network], address: IpAddr) -> bool {
    proxies.iter().any(|network| network.holds(address))
}

/// The last hop that is no proxy of ours; each proxy appends the address of its own client to the header.
fn named_client(proxies: &[Network], headers: &HeaderMap, peer: IpAddr) -> IpAddr {
    let values = headers.get_all("x-forwarded-for").into_iter().map(|value| value.to_str().unwrap_or_default());
    let hops: Vec<&str> = values.flat_map(|line| line.split(',')).map(str::trim).collect();
    let mut client = peer;
    for hop in hops.iter().rev() {
        let Some(address) = address(hop) else { break };
        client = address;
        if !trusted(proxies, address) {
            break;
        }
    }
    client
}

/// `203.0.113.7`, `203.0.113.7:4711`, `2001:db8::1`, `[2001:db8::1]:4711`.
fn address(hop: &str) -> Option<IpAddr> {
    let whole = hop.parse::<SocketAddr>().map(|socket| socket.ip());
    let bare = hop.trim_start_matches('[').trim_end_matches(']');
    whole.or_else(|_| bare.parse()).ok().map(|address: IpAddr| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use axum::body::Body;

    use super::*;
    use crate::home::HomeDir;

    fn client_ip(proxies: &[&str], peer: &str, headers: &[(&str, &str)]) -> Caller {
        let mut settings = Settings::for_home(HomeDir::new("/nowhere"));
        settings.trusted_proxies = proxies.iter().map(|text| text.parse().expect("network")).collect();
        let mut request = Request::builder().uri("/");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let mut request = request.body(Body::empty()).expect("request");
        request.extensions_mut().insert(ConnectInfo(peer.parse::<SocketAddr>().expect("peer")));
        Caller::from_request(&settings, &request)
    }

    fn client(proxies: &[&str], peer: &str, forwarded: &str) -> String {
        client_ip(proxies, peer, &[("x-forwarded-for", forwarded)]).client.to_string()
    }

    #[test]
    fn only_trusted_proxy_sets_client_ip() {
        let here = "127.0.0.1:1";
        assert_eq!(client(&[], here, "203.0.113.7"), "127.0.0.1");
        assert_eq!(client(&["10.0.0.0/8"], here, "203.0.113.7"), "127.0.0.1");
        assert_eq!(client(&["127.0.0.1"], here, "203.0.113.7"), "203.0.113.7");
        assert_eq!(client(&["127.0.0.1"], here, "127.0.0.1, 203.0.113.7"), "203.0.113.7", "what a client made up");
        assert_eq!(client(&["127.0.0.1", "10.0.0.0/8"], here, "198.51.100.1, 203.0.113.7:99, 10.1.1.1"), "203.0.113.7");
        assert_eq!(
            client(&["127.0.0.1"], here, "203.0.113.7, nonsense"),
            "127.0.0.1",
            "what cannot be read names nobody"
        );
        assert_eq!(client(&["::1"], "[::1]:1", "[2001:db8::1]:4711"), "2001:db8::1");
    }

    #[test]
    fn forwarded_client_is_not_local() {
        assert!(client_ip(&[], "127.0.0.1:1", &[]).local && client_ip(&[], "[::ffff:127.0.0.1]:1", &[]).local);
        assert!(!client_ip(&[], "192.168.0.7:1", &[]).local);
        for header in FORWARDED {
            assert!(!client_ip(&[], "127.0.0.1:1", &[(header, "127.0.0.1")]).local, "{header}");
            assert!(!client_ip(&["127.0.0.1"], "127.0.0.1:1", &[(header, "127.0.0.1")]).local, "{header}");
        }
    }

    #[test]
    fn ipv6_network_counts_as_one_client() {
        let counted = |peer: &str| client_ip(&[], peer, &[]).counted_as();
        assert_eq!(counted("[2001:db8:1:2:3::1]:1"), counted("[2001:db8:1:2:ffff::9]:1"));
        assert_ne!(counted("[2001:db8:1:2::1]:1"), counted("[2001:db8:1:3::1]:1"));
        assert_ne!(counted("10.0.0.1:1"), counted("10.0.0.2:1"));
    }
}
