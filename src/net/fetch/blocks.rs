//! Which addresses are not public: IANA's registries of special-purpose addresses, as blocks.
//!
//! Blocks that IANA calls globally reachable are here too where they are for machines that run networks (AS112,
//! AMT, anycast): no website is there. An IPv6 address is public only within `2000::/3`, the one part that is given
//! out to sites, and not where it wraps an IPv4 address: the wrapped one is what would be reached.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Registry of IPv4 (<https://www.iana.org/assignments/iana-ipv4-special-registry>), and multicast.
const V4: [([u8; 4], u32, &str); 24] = [
    ([0, 0, 0, 0], 8, "this network"),
    ([10, 0, 0, 0], 8, "private use"),
    ([100, 64, 0, 0], 10, "shared by a provider's customers"),
    ([127, 0, 0, 0], 8, "loopback"),
    ([169, 254, 0, 0], 16, "link-local, and the metadata of clouds"),
    ([172, 16, 0, 0], 12, "private use"),
    ([192, 0, 0, 0], 24, "protocol assignments"),
    ([192, 0, 2, 0], 24, "documentation"),
    ([192, 31, 196, 0], 24, "AS112"),
    ([192, 52, 193, 0], 24, "AMT"),
    ([192, 88, 99, 0], 24, "6to4 relays"),
    ([192, 168, 0, 0], 16, "private use"),
    ([192, 175, 48, 0], 24, "AS112"),
    ([198, 18, 0, 0], 15, "benchmarking"),
    ([198, 51, 100, 0], 24, "documentation"),
    ([203, 0, 113, 0], 24, "documentation"),
    ([224, 0, 0, 0], 4, "multicast"),
    ([240, 0, 0, 0], 4, "reserved"),
    ([255, 255, 255, 255], 32, "broadcast"),
    // In no registry: public by its number, but within one cloud it is each machine's own agent.
    ([168, 63, 129, 16], 32, "Azure's agent"),
    // Parts of blocks above, named apart by the registry.
    ([192, 0, 0, 8], 32, "dummy address"),
    ([192, 0, 0, 9], 32, "port control anycast"),
    ([192, 0, 0, 10], 32, "relay anycast"),
    ([192, 0, 0, 170], 31, "discovery of NAT64"),
];

/// Registry of IPv6 (<https://www.iana.org/assignments/iana-ipv6-special-registry>), and forms that wrap IPv4.
const V6: [([u16; 8], u32, &str); 21] = [
    ([0, 0, 0, 0, 0, 0, 0, 0], 128, "unspecified"),
    ([0, 0, 0, 0, 0, 0, 0, 1], 128, "loopback"),
    ([0, 0, 0, 0, 0, 0, 0, 0], 96, "compatible with IPv4"),
    ([0, 0, 0, 0, 0, 0xffff, 0, 0], 96, "IPv4, mapped"),
    ([0, 0, 0, 0, 0xffff, 0, 0, 0], 96, "IPv4, translated"),
    ([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96, "IPv4 behind NAT64"),
    ([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48, "IPv4 behind a local NAT64"),
    ([0x100, 0, 0, 0, 0, 0, 0, 0], 64, "discard"),
    ([0x100, 0, 0, 1, 0, 0, 0, 0], 64, "dummy prefix"),
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 32, "Teredo"),
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, "protocol assignments"),
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, "documentation"),
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, "6to4"),
    ([0x2620, 0x4f, 0x8000, 0, 0, 0, 0, 0], 48, "AS112"),
    ([0x3ffe, 0, 0, 0, 0, 0, 0, 0], 16, "the 6bone, long gone"),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, "documentation"),
    ([0x5f00, 0, 0, 0, 0, 0, 0, 0], 16, "segment routing"),
    ([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, "unique local"),
    ([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, "link-local"),
    ([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10, "site-local"),
    ([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, "multicast"),
];

/// What an address is for, if it is not public.
///
/// ```
/// use anteroom::net::fetch::special;
/// assert_eq!(special("169.254.169.254".parse().unwrap()), Some("link-local, and the metadata of clouds"));
/// assert_eq!(special("1.1.1.1".parse().unwrap()), None);
/// ```
pub fn special(ip: IpAddr) -> Option<&'static str> {
    match ip {
        IpAddr::V4(ip) => special_v4(ip),
        IpAddr::V6(ip) => special_v6(ip),
    }
}

fn special_v4(ip: Ipv4Addr) -> Option<&'static str> {
    let within = |block: [u8; 4], length: u32| {
        (ip.to_bits() ^ Ipv4Addr::from(block).to_bits()) >> (32 - length) == 0
    };
    V4.iter().find(|(block, length, _)| within(*block, *length)).map(|(_, _, what)| *what)
}

fn special_v6(ip: Ipv6Addr) -> Option<&'static str> {
    let within = |block: [u16; 8], length: u32| {
        (ip.to_bits() ^ Ipv6Addr::from(block).to_bits()) >> (128 - length) == 0
    };
    let listed = V6.iter().find(|(block, length, _)| within(*block, *length));
    match (listed, ip.segments()) {
        (Some((_, _, what)), _) => Some(what),
        // ISATAP wraps IPv4 behind any prefix.
        (None, [_, _, _, _, 0 | 0x200, 0x5efe, _, _]) => Some("IPv4 in ISATAP"),
        (None, _) if !within([0x2000, 0, 0, 0, 0, 0, 0, 0], 3) => Some("not given out"),
        (None, _) => None,
    }
}
