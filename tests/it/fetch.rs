//! The guarded client: what is never asked for, what is, and what is read of an answer.

use std::{
    collections::BTreeSet,
    io::Write as _,
    net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use anteroom::net::fetch::{self, Error, Fetcher, Limits, Media, Names, REDIRECTS_MAX};
use async_trait::async_trait;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinSet,
};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// IANA's registries of special-purpose addresses with multicast, and forms that wrap an IPv4 address.
const SPECIAL: [&str; 56] = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.0.0/29",
    "192.0.0.8/32",
    "192.0.0.9/32",
    "192.0.0.10/32",
    "192.0.0.170/32",
    "192.0.0.171/32",
    "192.0.2.0/24",
    "192.31.196.0/24",
    "192.52.193.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "192.175.48.0/24",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
    "255.255.255.255/32",
    "168.63.129.16/32",
    "::/128",
    "::1/128",
    "::/96",
    "::ffff:0:0/96",
    "::ffff:0:0:0/96",
    "64:ff9b::/96",
    "64:ff9b:1::/48",
    "100::/64",
    "100:0:0:1::/64",
    "2001::/23",
    "2001::/32",
    "2001:1::1/128",
    "2001:1::2/128",
    "2001:1::3/128",
    "2001:2::/48",
    "2001:3::/32",
    "2001:4:112::/48",
    "2001:10::/28",
    "2001:20::/28",
    "2001:30::/28",
    "2001:db8::/32",
    "2002::/16",
    "2620:4f:8000::/48",
    "3ffe::/16",
    "3fff::/20",
    "5f00::/16",
    "fc00::/7",
    "fe80::/10",
    "fec0::/10",
    "ff00::/8",
];

/// First, last and a middle address of a block, then what stands right before and after it.
fn ends(block: &str) -> ([IpAddr; 3], [Option<IpAddr>; 2]) {
    let (start, length) = block.split_once('/').unwrap();
    let length: u32 = length.parse().unwrap();
    let spread = |width: u32| if length == width { 0 } else { u128::MAX >> (128 - width + length) };
    match start.parse().unwrap() {
        IpAddr::V4(first) => {
            let (first, size) = (first.to_bits(), u32::try_from(spread(32)).unwrap());
            let ip = |bits: u32| IpAddr::V4(bits.into());
            let around = [
                first.checked_sub(1),
                first.checked_add(size).and_then(|last| last.checked_add(1)),
            ];
            ([ip(first), ip(first + size), ip(first + size / 2)], around.map(|bits| bits.map(ip)))
        }
        IpAddr::V6(first) => {
            let (first, size) = (first.to_bits(), spread(128));
            let ip = |bits: u128| IpAddr::V6(bits.into());
            let around = [
                first.checked_sub(1),
                first.checked_add(size).and_then(|last| last.checked_add(1)),
            ];
            ([ip(first), ip(first + size), ip(first + size / 2)], around.map(|bits| bits.map(ip)))
        }
    }
}

fn in_address(ip: IpAddr) -> String {
    match ip {
        IpAddr::V4(ip) => format!("http://{ip}/"),
        IpAddr::V6(ip) => format!("http://[{ip}]/"),
    }
}

/// Ways to write an IPv4 address that C libraries and browsers understand.
fn numerals(ip: Ipv4Addr) -> Vec<String> {
    let [a, b, c, d] = ip.octets();
    let (all, tail, pair) = (ip.to_bits(), ip.to_bits() & 0xff_ffff, ip.to_bits() & 0xffff);
    let wide: String = ip
        .to_string()
        .chars()
        .map(|c| c.to_digit(10).map_or('。', |digit| char::from_u32(0xff10 + digit).unwrap()))
        .collect();
    vec![
        format!("{all}"),
        format!("{all:#x}"),
        format!("{all:#X}"),
        format!("0{all:o}"),
        format!("{a}.{tail}"),
        format!("{a:#x}.{tail:#x}"),
        format!("0{a:o}.0{tail:o}"),
        format!("{a}.{b}.{pair}"),
        format!("{a}.{b}.{pair:#x}"),
        format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        format!("{a:#x}.{b:#x}.{c:#x}.{d:#x}"),
        format!("{a:#010x}.{b}.0{c:o}.{d}"),
        format!("{a}.{b}.{c}.{d}."),
        format!("000{a:o}.{b}.{c}.{d}"),
        format!("%{:x}{}", a.to_string().as_bytes()[0], &ip.to_string()[1..]),
        wide,
    ]
}

/// An IPv4 address wrapped in IPv6, in every way that something unwraps.
fn wrapped(ip: Ipv4Addr) -> Vec<String> {
    let [a, b, c, d] = ip.octets();
    let (high, low) = (ip.to_bits() >> 16, ip.to_bits() & 0xffff);
    vec![
        format!("::ffff:{ip}"),
        format!("0:0:0:0:0:FFFF:{high:x}:{low:x}"),
        format!("::{ip}"),
        format!("::ffff:0:{ip}"),
        format!("64:ff9b::{ip}"),
        format!("64:ff9b:1::{ip}"),
        format!("64:ff9b:1:{high:x}:{:x}:{:x}00::", low >> 8, low & 0xff),
        format!("2002:{high:x}:{low:x}::1"),
        format!("2001:0:{high:x}:{low:x}:8000:63bf:3fff:fdd2"),
        format!("2001:0:4136:e378:8000:63bf:{:x}:{:x}", !high & 0xffff, !low & 0xffff),
        format!("2606:4700::5efe:{a}.{b}.{c}.{d}"),
        format!("2606:4700::200:5efe:{high:x}:{low:x}"),
    ]
}

/// Every form that must be refused before anybody is asked for anything, with the reason.
#[expect(clippy::too_many_lines, reason = "a table")]
fn refused() -> Vec<(String, Error)> {
    let mut forms = Vec::new();
    let mut add = |why: Error, form: String| forms.push((form, why));
    for block in SPECIAL {
        for ip in ends(block).0 {
            add(Error::NotPublic, in_address(ip));
        }
    }
    for ip in
        [[127, 0, 0, 1], [10, 1, 2, 3], [169, 254, 169, 254], [192, 168, 1, 254], [172, 20, 0, 9]]
    {
        for numeral in numerals(ip.into()) {
            add(Error::NotPublic, format!("http://{numeral}/latest/meta-data/"));
        }
        for wrapped in wrapped(ip.into()) {
            add(Error::NotPublic, format!("http://[{wrapped}]/"));
        }
    }
    // What is wrapped may be public; the wrapping is not for websites.
    for wrapped in wrapped([93, 184, 215, 14].into()) {
        add(Error::NotPublic, format!("http://[{wrapped}]/"));
    }
    for name in [
        "localhost",
        "LOCALHOST",
        "localhost.",
        "LocalHost:8080",
        "a.localhost",
        "a.b.localhost.",
        "localhost.localdomain",
        "printer.local",
        "metadata.google.internal",
        "vault.internal.",
        "db.corp",
        "nas.lan",
        "wiki.intranet",
        "router.home",
        "router.home.arpa",
        "1.0.0.127.in-addr.arpa",
        "intranet",
        "metadata",
        "kubernetes",
        "kubernetes.default.svc",
        "kubernetes.default.svc.cluster.local",
        "vault.service.consul",
        "expyuzz4wqqyqhjn.onion",
        "a.test",
        "a.invalid",
        "a.example",
        "secret.alt",
        "ⓛⓞⓒⓐⓛⓗⓞⓢⓣ",
        "lo\u{ad}calhost",
        "ｌｏｃａｌｈｏｓｔ",
        "loc%61lhost",
        "localhost。",
        "printer｡local",
        "metadata.google.ｉnternal",
        "①②⑦.⓪.⓪.①",
        "127。0。0。1",
        "０x7f.1",
        "127.0.0.1%2e",
        "127.0.0.1..",
        "8.8.8.8...",
        "lo\tcalhost",
        "127.0\n.0.1",
        "localhost\\@example.org",
        "127.0.0.1\\.example.org",
        "127.0.0.1?@example.org",
        "127.0.0.1#@example.org",
        "127.0.0.1/@example.org",
        "127.0.0.0x",
        "*",
        "[::1]:8080",
        "[0:0:0:0:0:0:0:1]",
        "[::]",
        "[::127.0.0.1]",
    ] {
        add(Error::NotPublic, format!("http://{name}/a"));
    }
    for form in [
        "http:127.0.0.1",
        "http:/127.0.0.1",
        "http:///127.0.0.1",
        "http:////127.0.0.1/",
        "http:\\\\127.0.0.1\\",
        "  http://127.0.0.1  ",
        "HTTP://127.0.0.1",
        "https://127.1",
        "ht\ntp://127.0.0.1",
        "\u{1}http://10.0.0.1/",
        "https:localhost",
    ] {
        add(Error::NotPublic, form.to_owned());
    }
    for scheme in [
        "file",
        "ftp",
        "ftps",
        "sftp",
        "gopher",
        "dict",
        "ldap",
        "ldaps",
        "tftp",
        "ws",
        "wss",
        "ssh",
        "smb",
        "jar",
        "netdoc",
        "php",
        "phar",
        "expect",
        "imap",
        "pop3",
        "smtp",
        "rtsp",
        "telnet",
        "git",
        "s3",
        "gs",
        "redis",
        "mongodb",
        "postgres",
        "unix",
        "http+unix",
        "chrome",
        "view-source",
        "feed",
        "httpx",
        "shttp",
        "hxxp",
    ] {
        add(Error::Scheme, format!("{scheme}://example.org/"));
    }
    for form in [
        "file:///etc/passwd",
        "javascript:alert(1)",
        "data:text/html,hi",
        "mailto:ada@example.org",
        "tel:+4420",
        "about:blank",
        "blob:https://example.org/x",
        "vbscript:x",
        "urn:isbn:1",
        "localhost:80",
        "example.org:80",
        "view-source:http://example.org",
    ] {
        add(Error::Scheme, form.to_owned());
    }
    for user in [
        "ada",
        "ada:secret",
        ":secret",
        "example.com",
        "example.com:80",
        "a%40b",
        "https",
        "127.0.0.1",
        "a:b:c",
        "a@b",
        "%00",
        "ä",
    ] {
        add(Error::Credentials, format!("https://{user}@example.org/"));
        add(Error::Credentials, format!("http://{user}@127.0.0.1/"));
    }
    for port in [
        0, 1, 7, 19, 21, 22, 23, 25, 53, 69, 79, 81, 110, 111, 123, 135, 139, 143, 161, 389, 444,
        445, 465, 514, 587, 636, 993, 995, 1080, 1433, 2049, 2375, 2379, 3000, 3128, 3306, 3389,
        5000, 5432, 5984, 5985, 6379, 6443, 8000, 8081, 8500, 9000, 9200, 10_250, 11_211, 27_017,
        50_070, 65_535,
    ] {
        add(Error::Port, format!("http://example.org:{port}/"));
    }
    for form in [
        "",
        " ",
        "example.org",
        "//example.org",
        "/about",
        "http",
        "http:",
        "http://",
        "https:///",
        "http://?",
        "http://#",
        "http://:80",
        "http://[",
        "http://[]/",
        "http://[::1",
        "http://[fe80::1%25eth0]/",
        "http://[::ffff:127.0.0.1.]/",
        "http://[1]/",
        "http://256.256.256.256/",
        "http://127.0.0.0.1/",
        "http://1.2.3.4.5/",
        "http://0x100000000/",
        "http://4294967296/",
        "http://08.0.0.1/",
        "http://a b.org/",
        "http://exa<mple.org",
        "http://exam|ple.org",
        "http://a%00.org",
        "http://a%2fb.org",
        "http://example.org:99999/",
        "http://example.org:-1/",
        "http://example.org:8o/",
        "http://xn--/",
        "http://xn--a/",
        "http://\u{202e}gro.elpmaxe/",
        "http://a^b.org/",
        "http://%zz/",
        "http:// example.org/",
    ] {
        add(Error::Address, form.to_owned());
    }
    add(Error::Address, format!("https://example.org/{}", "a".repeat(3_000)));
    add(Error::Address, format!("https://example.org/{}", "ü".repeat(900)));
    forms
}

#[test]
fn more_than_three_hundred_forms_are_refused_for_the_right_reason() {
    let forms = refused();
    let distinct: BTreeSet<&str> = forms.iter().map(|(form, _)| form.as_str()).collect();
    assert!(distinct.len() >= 300, "only {} forms", distinct.len());
    let wrong: Vec<String> = forms
        .iter()
        .filter_map(|(form, why)| {
            let said = fetch::check(form);
            (said.as_ref() != Err(why)).then(|| format!("{form:?}: {said:?} instead of {why:?}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), distinct.len(), wrong.join("\n"));
}

#[test]
fn public_addresses_are_taken_and_normalised() {
    for (given, asked) in [
        ("https://example.org", "https://example.org/"),
        ("HTTP://EXAMPLE.org:80/About?q=1#me", "http://example.org/About?q=1#me"),
        ("https://example.org:443", "https://example.org/"),
        ("https://example.org.", "https://example.org./"),
        ("http://example.org:8080/", "http://example.org:8080/"),
        ("https://example.org:8443/", "https://example.org:8443/"),
        ("  https://example.org/a b  ", "https://example.org/a%20b"),
        ("https://bücher.example.org/ü", "https://xn--bcher-kva.example.org/%C3%BC"),
        ("https://localhost.example.org", "https://localhost.example.org/"),
        ("https://internal.org", "https://internal.org/"),
        ("https://example.org/@127.0.0.1", "https://example.org/@127.0.0.1"),
        ("https://example.org#@127.0.0.1/", "https://example.org/#@127.0.0.1/"),
        ("https://example.org/?to=http://127.0.0.1/", "https://example.org/?to=http://127.0.0.1/"),
        ("https://@example.org/", "https://example.org/"),
        ("http://0x01010101/", "http://1.1.1.1/"),
        ("http://8.8.8.8/", "http://8.8.8.8/"),
        ("http://[2606:4700:4700::1111]/", "http://[2606:4700:4700::1111]/"),
        ("http://[2a00:1450:4001:82a::200e]:8080/", "http://[2a00:1450:4001:82a::200e]:8080/"),
        ("https://127.0.0.1.nip.io/", "https://127.0.0.1.nip.io/"),
    ] {
        assert_eq!(fetch::check(given).map(String::from), Ok(asked.to_owned()), "{given}");
    }
}

/// What stands right before and after each block is public, unless another block begins there.
#[test]
fn blocks_end_where_the_registry_says() {
    let special: Vec<(IpAddr, IpAddr)> =
        SPECIAL.iter().map(|block| ends(block).0).map(|[first, last, _]| (first, last)).collect();
    let within = |ip: &IpAddr| {
        special
            .iter()
            .any(|(first, last)| first <= ip && ip <= last && first.is_ipv4() == ip.is_ipv4())
    };
    let global: Ipv6Addr = "2000::".parse().unwrap();
    let given_out = |ip: &IpAddr| match ip {
        IpAddr::V4(_) => true,
        IpAddr::V6(ip) => ip.to_bits() >> 125 == global.to_bits() >> 125,
    };
    let mut seen = 0;
    for block in SPECIAL {
        for ip in ends(block).1.into_iter().flatten() {
            let public = !within(&ip) && given_out(&ip);
            assert_eq!(fetch::special(ip).is_none(), public, "{ip}, beside {block}");
            seen += usize::from(public);
        }
    }
    assert!(seen > 30, "only {seen} public neighbours");
    for ip in ["1000::1", "4000::1", "8000::", "fbff::1", "fe00::1", "200::"] {
        assert_eq!(fetch::special(ip.parse().unwrap()), Some("not given out"), "{ip}");
    }
}

/// Names from a table that is worked off, the last answer staying.
#[derive(Debug, Default)]
struct Table {
    answers: Mutex<Vec<Vec<IpAddr>>>,
    asked: AtomicUsize,
}

impl Table {
    fn new(answers: &[&[&str]]) -> Arc<Self> {
        let answers = answers
            .iter()
            .rev()
            .map(|ips| ips.iter().map(|ip| ip.parse().unwrap()).collect())
            .collect();
        Arc::new(Self { answers: Mutex::new(answers), asked: AtomicUsize::new(0) })
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

#[async_trait]
impl Names for Table {
    async fn addresses(&self, _name: &str) -> std::io::Result<Vec<IpAddr>> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let mut answers = self.answers.lock().unwrap();
        match answers.len() {
            0 => Err(std::io::Error::other("no such name")),
            1 => Ok(answers[0].clone()),
            _ => Ok(answers.pop().unwrap()),
        }
    }
}

/// A server that gives the same bytes to each connection, after the request's head has come.
struct Server {
    address: SocketAddr,
    seen: Arc<Mutex<Vec<String>>>,
    _task: JoinSet<()>,
}

/// What a server does after the head of its answer.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Then {
    Close,
    /// Says nothing more, and keeps the connection.
    Wait,
    /// Goes on with single letters, for ever.
    GoOn,
}

impl Server {
    async fn at(ip: &str, port: u16, answer: impl Into<Vec<u8>>, then: Then) -> Self {
        let listener = TcpListener::bind((ip, port)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (answer, log) = (answer.into(), Arc::clone(&seen));
        let mut task = JoinSet::new();
        task.spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (answer, log) = (answer.clone(), Arc::clone(&log));
                open.spawn(serve(stream, answer, log, then));
            }
        });
        Self { address, seen, _task: task }
    }

    async fn new(answer: impl Into<Vec<u8>>) -> Self {
        Self::at("127.0.0.1", 0, answer, Then::Close).await
    }

    fn seen(&self) -> Vec<String> {
        self.seen.lock().unwrap().clone()
    }

    /// An address on it, by a name that only the test knows.
    fn url(&self, path: &str) -> String {
        format!("http://site.example.org:{}{path}", self.address.port())
    }

    /// A client that takes this server for public, and finds it under every name.
    fn client(&self) -> Fetcher {
        Fetcher::with(Table::new(&[&["127.0.0.1"]]), vec![self.address]).unwrap()
    }
}

async fn serve(mut stream: TcpStream, answer: Vec<u8>, log: Arc<Mutex<Vec<String>>>, then: Then) {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        match stream.read_u8().await {
            Ok(byte) => head.push(byte),
            Err(_) => return,
        }
    }
    log.lock().unwrap().push(String::from_utf8(head).unwrap());
    if stream.write_all(&answer).await.is_err() {
        return;
    }
    match then {
        Then::Close => {}
        Then::Wait => std::future::pending().await,
        Then::GoOn => while stream.write_all(b"a").await.is_ok() {},
    }
}

fn ok(headers: &str, body: impl AsRef<[u8]>) -> Vec<u8> {
    [format!("HTTP/1.1 200 OK\r\n{headers}\r\n").as_bytes(), body.as_ref()].concat()
}

fn to(location: &str) -> String {
    format!("HTTP/1.1 302 Found\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n")
}

/// Limits that no working answer reaches on this machine.
const LIMITS: Limits = Limits {
    total: Duration::from_mins(1),
    answer: Duration::from_secs(30),
    idle: Duration::from_secs(30),
    ..Limits::PAGE
};

#[tokio::test]
async fn a_page_is_fetched_without_telling_more_than_needed() {
    let server =
        Server::new(ok("content-type: text/html\r\nset-cookie: a=b\r\n", "<p>Ada</p>")).await;
    let client = server.client();
    for _ in 0..2 {
        let fetched = client.get(&server.url("/about#me"), LIMITS).await.unwrap();
        assert_eq!((fetched.media, fetched.bytes.as_slice()), (Media::Html, &b"<p>Ada</p>"[..]));
        assert_eq!(fetched.url.as_str(), server.url("/about#me"));
    }
    let seen = server.seen();
    assert_eq!(seen.len(), 2);
    assert_eq!(seen[0], seen[1], "no cookie comes back");
    let head = seen[0]
        .replace(&server.address.port().to_string(), "PORT")
        .replace(env!("CARGO_PKG_VERSION"), "VERSION");
    insta::assert_snapshot!(head.trim_end().replace("\r\n", "\n"), @r"
    GET /about HTTP/1.1
    accept: */*
    user-agent: anteroom/VERSION
    accept-encoding: gzip
    host: site.example.org:PORT
    ");
}

/// Nobody is asked for a name, and nothing is connected to: a server on loopback hears nothing.
#[tokio::test]
async fn what_is_refused_is_never_asked_for() {
    let names = Table::new(&[&["127.0.0.1"]]);
    let fetcher = Fetcher::with(Arc::clone(&names) as Arc<dyn Names>, Vec::new()).unwrap();
    for (form, why) in refused() {
        assert_eq!(fetcher.get(&form, LIMITS).await.unwrap_err(), why, "{form:?}");
    }
    assert_eq!(names.asked(), 0);
}

/// The names of strangers may stand for anything; the connection is where that ends.
#[tokio::test]
async fn a_name_for_a_private_address_is_not_connected_to() {
    let server = Server::new(ok("", "secret")).await;
    for block in SPECIAL {
        for ip in ends(block).0 {
            let fetcher = Fetcher::with(Table::new(&[&[&ip.to_string()]]), Vec::new()).unwrap();
            let said = fetcher.get("http://site.example.org/", LIMITS).await;
            assert_eq!(said, Err(Error::NotPublic), "{ip}");
        }
    }
    assert!(server.seen().is_empty());
    let nobody = Fetcher::with(Table::new(&[]), Vec::new()).unwrap();
    assert_eq!(nobody.get("http://site.example.org/", LIMITS).await, Err(Error::Unknown));
    let nothing = Fetcher::with(Table::new(&[&[]]), Vec::new()).unwrap();
    assert_eq!(nothing.get("http://site.example.org/", LIMITS).await, Err(Error::Unknown));
}

/// One name, two answers: the first public, the second not. There is one look-up for each connection, and the
/// second answer is never connected to.
#[tokio::test]
async fn a_name_that_changes_its_answer_gains_nothing() {
    let public = Server::new(ok("content-length: 6\r\n", "public")).await;
    let private =
        Server::at("127.0.0.2", public.address.port(), ok("", "secret"), Then::Close).await;
    let names = Table::new(&[&["127.0.0.1"], &["127.0.0.2"]]);
    let fetcher =
        Fetcher::with(Arc::clone(&names) as Arc<dyn Names>, vec![public.address]).unwrap();
    let url = public.url("/");
    assert_eq!(fetcher.get(&url, LIMITS).await.unwrap().bytes, b"public");
    assert_eq!(names.asked(), 1, "looked up once, and connected to what was found");
    assert_eq!(fetcher.get(&url, LIMITS).await, Err(Error::NotPublic));
    assert_eq!(names.asked(), 2, "no connection is kept, so each is checked");
    assert!(private.seen().is_empty());

    // Both in one answer: the public one is left.
    let names = Table::new(&[&["127.0.0.2", "127.0.0.1", "::1"]]);
    let fetcher = Fetcher::with(names, vec![public.address]).unwrap();
    assert_eq!(fetcher.get(&url, LIMITS).await.unwrap().bytes, b"public");
    assert!(private.seen().is_empty());
}

#[tokio::test]
async fn redirects_are_checked_like_addresses() {
    let private = Server::at("127.0.0.2", 0, ok("", "secret"), Then::Close).await;
    for (location, why) in [
        (format!("http://127.0.0.2:{}/", private.address.port()), Error::NotPublic),
        ("http://169.254.169.254/latest/meta-data/".to_owned(), Error::NotPublic),
        ("http://[::ffff:7f00:1]/".to_owned(), Error::NotPublic),
        ("//2130706433/".to_owned(), Error::NotPublic),
        ("http://localhost/".to_owned(), Error::NotPublic),
        ("https://intranet/".to_owned(), Error::NotPublic),
        ("file:///etc/passwd".to_owned(), Error::Scheme),
        ("gopher://example.org/".to_owned(), Error::Scheme),
        ("http://ada:secret@example.org/".to_owned(), Error::Credentials),
        ("http://example.org:22/".to_owned(), Error::Port),
        ("http://[".to_owned(), Error::Status(302)),
        ("\u{e9}".to_owned(), Error::Status(302)),
    ] {
        let server = Server::new(to(&location)).await;
        assert_eq!(server.client().get(&server.url("/"), LIMITS).await, Err(why), "{location}");
    }
    assert!(private.seen().is_empty());
    let nowhere = Server::new("HTTP/1.1 304 Not Modified\r\n\r\n").await;
    assert_eq!(nowhere.client().get(&nowhere.url("/"), LIMITS).await, Err(Error::Status(304)));
}

#[tokio::test]
async fn a_few_redirects_are_followed_and_a_circle_is_not() {
    let end = Server::new(ok("content-type: text/plain\r\n", "here")).await;
    let start = Server::new(to(&end.url("/end"))).await;
    let fetcher =
        Fetcher::with(Table::new(&[&["127.0.0.1"]]), vec![start.address, end.address]).unwrap();
    let page = fetcher.get(&start.url("/a?token=secret"), LIMITS).await.unwrap();
    assert_eq!((page.url.path(), page.bytes.as_slice()), ("/end", &b"here"[..]));
    assert!(!end.seen()[0].contains("secret"), "no referrer: {}", end.seen()[0]);

    let circle = Server::new(to("/again")).await;
    assert_eq!(circle.client().get(&circle.url("/"), LIMITS).await, Err(Error::Redirects));
    assert_eq!(circle.seen().len(), REDIRECTS_MAX + 1);
}

/// The archive's own deflate, in the envelope of gzip.
fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut archive = ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    archive.start_file("a", options).unwrap();
    archive.write_all(bytes).unwrap();
    let packed = archive.finish().unwrap().into_inner();
    let number = |at: usize| u32::from_le_bytes(packed[at..at + 4].try_into().unwrap()) as usize;
    let (crc, length, extra) = (&packed[14..18], number(18), number(26) >> 16);
    let start = 30 + 1 + extra;
    let deflated = &packed[start..start + length];
    let size = u32::try_from(bytes.len()).unwrap().to_le_bytes();
    [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255], deflated, crc, &size].concat()
}

#[tokio::test]
async fn sizes_are_counted_after_decompression() {
    let page = gzip(b"<html>small</html>");
    let server =
        Server::new(ok("content-type: text/html\r\ncontent-encoding: gzip\r\n", page)).await;
    assert_eq!(
        server.client().get(&server.url("/"), LIMITS).await.unwrap().bytes,
        b"<html>small</html>"
    );

    let bomb = gzip(&vec![b' '; 64 * 1024 * 1024]);
    assert!(bomb.len() < 100_000, "a bomb is small: {}", bomb.len());
    let head = format!(
        "content-type: text/html\r\ncontent-encoding: gzip\r\ncontent-length: {}\r\n",
        bomb.len()
    );
    let server = Server::new(ok(&head, bomb)).await;
    assert_eq!(
        server.client().get(&server.url("/"), LIMITS).await,
        Err(Error::TooLarge(LIMITS.max_bytes))
    );

    for (head, body) in [
        ("content-encoding: gzip\r\n", &b"no gzip at all"[..]),
        ("content-encoding: br\r\n", b"\x0b\x02\x80hi\x03"),
        ("content-encoding: gzip, gzip\r\n", b"hi"),
        ("content-length: 100\r\n", b"too short"),
        ("transfer-encoding: chunked\r\n", b"zz\r\nhi"),
    ] {
        let server = Server::new(ok(head, body)).await;
        assert_eq!(
            server.client().get(&server.url("/"), LIMITS).await,
            Err(Error::Damaged),
            "{head}"
        );
    }
}

#[tokio::test]
async fn an_answer_without_an_end_has_one_here() {
    let endless =
        Server::at("127.0.0.1", 0, ok("content-type: text/plain\r\n", ""), Then::GoOn).await;
    let little = Limits { max_bytes: 10_000, ..LIMITS };
    assert_eq!(endless.client().get(&endless.url("/"), little).await, Err(Error::TooLarge(10_000)));
    let short = Limits { max_bytes: usize::MAX, total: Duration::from_millis(200), ..LIMITS };
    assert_eq!(
        endless.client().get(&endless.url("/"), short).await,
        Err(Error::Slow),
        "letter by letter"
    );

    let claimed = Server::new(ok("content-length: 99999999999\r\n", "a")).await;
    assert_eq!(claimed.client().get(&claimed.url("/"), little).await, Err(Error::TooLarge(10_000)));

    let head = Server::at("127.0.0.1", 0, "HTTP/1.1 200 OK\r\nx: ", Then::GoOn).await;
    assert_eq!(
        head.client().get(&head.url("/"), LIMITS).await,
        Err(Error::Damaged),
        "a head without end"
    );
}

#[tokio::test]
async fn silence_ends_a_fetch() {
    let quick = Duration::from_millis(100);
    let silent = Server::at("127.0.0.1", 0, "", Then::Wait).await;
    let limits = Limits { answer: quick, ..LIMITS };
    assert_eq!(silent.client().get(&silent.url("/"), limits).await, Err(Error::Slow), "no head");
    let stuck = Server::at("127.0.0.1", 0, ok("content-length: 9\r\n", "half"), Then::Wait).await;
    let limits = Limits { idle: quick, ..LIMITS };
    assert_eq!(stuck.client().get(&stuck.url("/"), limits).await, Err(Error::Slow), "half a page");
    let limits = Limits { total: quick, ..LIMITS };
    assert_eq!(stuck.client().get(&stuck.url("/"), limits).await, Err(Error::Slow), "in all");
}

#[tokio::test]
async fn content_must_be_what_it_says_and_what_is_wanted() {
    let said = |answer: Vec<u8>| async move {
        let server = Server::new(answer).await;
        server.client().get(&server.url("/"), LIMITS).await.map(|fetched| fetched.media)
    };
    for (head, body, media) in [
        ("content-type: text/html\r\n", &b"<!doctype html>"[..], Ok(Media::Html)),
        ("content-type: text/plain; charset=latin1\r\n", b"caf\xe9", Ok(Media::Text)),
        ("", b"<html>", Ok(Media::Html)),
        ("content-type: text/html\r\n", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Err(Error::Disguised)),
        ("content-type: text/html\r\n", b"%PDF-1.7", Err(Error::Disguised)),
        ("content-type: text/html\r\n", b"\x7fELF\x02\x01\x01\0", Err(Error::Disguised)),
        ("content-type: application/pdf\r\n", b"%PDF-1.7", Err(Error::Unwanted(Media::Pdf))),
        (
            "content-type: application/octet-stream\r\n",
            b"PK\x03\x04",
            Err(Error::Unwanted(Media::Zip)),
        ),
        ("content-type: image/svg+xml\r\n", b"<svg/>", Err(Error::Unwanted(Media::Xml))),
    ] {
        assert_eq!(said(ok(head, body)).await, media, "{head}");
    }
    for (status, why) in [
        ("401 Unauthorized", Error::SignIn),
        ("403 Forbidden", Error::SignIn),
        ("404 Not Found", Error::Missing),
        ("410 Gone", Error::Missing),
        ("204 No Content", Error::Status(204)),
        ("206 Partial Content", Error::Status(206)),
        ("418 I'm a teapot", Error::Status(418)),
        ("429 Too Many Requests", Error::Status(429)),
        ("503 Service Unavailable", Error::Status(503)),
    ] {
        let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
        assert_eq!(said(answer.into_bytes()).await, Err(why), "{status}");
    }
    for nonsense in [&b"SSH-2.0-OpenSSH_9.7\r\n"[..], b"", b"\0\0\0\0", b"HTTP/9.9 999\r\n\r\n"] {
        assert_eq!(
            said(nonsense.to_vec()).await,
            Err(Error::Damaged),
            "{:?}",
            nonsense.escape_ascii().to_string()
        );
    }
    assert!(Error::Status(503).is_transient() && !Error::Status(418).is_transient());
}

#[tokio::test]
async fn a_site_that_nobody_can_talk_to_is_unreachable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let client = Fetcher::with(Table::new(&[&["127.0.0.1"]]), vec![address]).unwrap();
    let url = |scheme: &str| format!("{scheme}://site.example.org:{}/", address.port());
    // Whatever begins to talk TLS there is answered in plain text.
    let plain = async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        stream.read_u8().await.ok();
    };
    let secure = url("https");
    let (said, ()) = tokio::join!(client.get(&secure, LIMITS), plain);
    assert_eq!(said, Err(Error::Unreachable), "no TLS");
    assert_eq!(client.get(&url("http"), LIMITS).await, Err(Error::Unreachable), "a closed port");
}
