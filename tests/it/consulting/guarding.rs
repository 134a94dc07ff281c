//! The guarded client against addresses that lead inside: every form is refused, for one reason, before anything is asked
//! of what it leads to.

use std::{
    collections::BTreeSet,
    net::{IpAddr, Ipv4Addr},
    sync::Arc,
    time::Duration,
};

use anteroom::net::fetch::{Error, Fetcher, Limits, Media, Names};

use super::doubles::{Deed, Site, Table};

const LIMITS: Limits = Limits {
    total: Duration::from_mins(1),
    answer: Duration::from_secs(30),
    idle: Duration::from_secs(30),
    wanted: &[Media::Html, Media::Text],
    ..Limits::PAGE
};

/// Where clouds tell a machine its secrets, and where this machine and its network are.
const INSIDE_V4: [(&str, &str); 18] = [
    ("169.254.169.254", "metadata of most clouds"),
    ("169.254.170.2", "credentials of containers at Amazon"),
    ("169.254.170.23", "identities of pods at Amazon"),
    ("169.254.169.123", "the clock at Amazon"),
    ("169.254.169.253", "the resolver at Amazon"),
    ("169.254.0.23", "metadata at Tencent"),
    ("169.254.42.42", "metadata at Scaleway"),
    ("100.100.100.200", "metadata at Alibaba"),
    ("192.0.0.192", "metadata at Oracle"),
    ("168.63.129.16", "the agent at Azure"),
    ("127.0.0.1", "this machine"),
    ("127.127.127.127", "this machine by another number"),
    ("0.0.0.0", "this machine, unspecified"),
    ("10.0.0.1", "a private network"),
    ("172.17.0.1", "the host of containers"),
    ("192.168.0.1", "a router at home"),
    ("224.0.0.1", "everybody here"),
    ("255.255.255.255", "everybody here, loudly"),
];

const INSIDE_V6: [(&str, &str); 20] = [
    ("fd00:ec2::254", "metadata at Amazon"),
    ("fd00:ec2::23", "identities of pods at Amazon"),
    ("fd20:ce::254", "metadata at Google"),
    ("fd00:42::42", "metadata at Scaleway"),
    ("fe80::a9fe:a9fe", "metadata by its link"),
    ("::1", "this machine"),
    ("::", "unspecified"),
    ("fc00::1", "a private network"),
    ("fec0::1", "a site, as it was"),
    ("ff02::1", "everybody here"),
    ("::ffff:127.0.0.1", "mapped"),
    ("::ffff:a9fe:a9fe", "mapped, in hexadecimal"),
    ("::169.254.169.254", "compatible"),
    ("::ffff:0:10.0.0.1", "translated"),
    ("64:ff9b::169.254.169.254", "behind NAT64"),
    ("64:ff9b:1::a9fe:a9fe", "behind a local NAT64"),
    ("2002:a9fe:a9fe::1", "6to4"),
    ("2001:0:4136:e378:8000:63bf:5601:5601", "Teredo, its client turned round"),
    ("2606:4700::5efe:169.254.169.254", "ISATAP"),
    ("2606:4700:0:0:200:5efe:a9fe:a9fe", "ISATAP, given out"),
];

/// Names that lead inside by themselves, whatever a resolver would say.
const NAMES: [(&str, &str); 46] = [
    ("localhost", "this machine"),
    ("localhost.", "with its dot"),
    ("LOCALHOST", "in capitals"),
    ("sub.localhost", "below it"),
    ("localhost.localdomain", "its long name"),
    ("localhost6.localdomain6.localdomain", "its name in IPv6"),
    ("ip6-localhost", "a name in hosts files"),
    ("metadata", "a name without a domain"),
    ("metadata.google.internal", "metadata at Google"),
    ("metadata.google.internal.", "with its dot"),
    ("Metadata.Google.Internal", "in capitals"),
    ("instance-data", "metadata at Amazon"),
    ("instance-data.ec2.internal", "metadata at Amazon, long"),
    ("ip-10-0-0-1.ec2.internal", "a machine at Amazon"),
    ("host.docker.internal", "the host of containers"),
    ("gateway.docker.internal", "the gateway of containers"),
    ("kubernetes", "the cluster"),
    ("kubernetes.default.svc", "the cluster, long"),
    ("kubernetes.default.svc.cluster.local", "the cluster, whole"),
    ("vault.service.consul", "a secret store"),
    ("rancher-metadata", "metadata of Rancher"),
    ("db", "a database"),
    ("redis", "a cache"),
    ("printer.local", "a printer"),
    ("nas.lan", "storage at home"),
    ("router.home.arpa", "a router"),
    ("fritz.box.home", "a router"),
    ("wiki.corp", "a company's wiki"),
    ("wiki.intranet", "a company's wiki"),
    ("db.private", "a private name"),
    ("1.0.0.127.in-addr.arpa", "a reverse name"),
    ("expyuzz4wqqyqhjn.onion", "a hidden service"),
    ("a.test", "a name for tests"),
    ("a.example", "a name for documents"),
    ("a.invalid", "a name that never is"),
    ("ⓛⓞⓒⓐⓛⓗⓞⓢⓣ", "letters in circles"),
    ("ｌｏｃａｌｈｏｓｔ", "wide letters"),
    ("𝓵𝓸𝓬𝓪𝓵𝓱𝓸𝓼𝓽", "letters of mathematics"),
    ("lo\u{200b}calhost", "a blank of no width"),
    ("lo\u{ad}calhost", "a hidden hyphen"),
    ("ℓocalhost", "a letter that looks like one"),
    ("localhost。", "a Chinese dot"),
    ("metadata.google。internal", "a Chinese dot within"),
    ("metadata%2egoogle%2einternal", "escaped dots"),
    ("%6c%6f%63%61%6c%68%6f%73%74", "all escaped"),
    ("loc%61lhost", "one letter escaped"),
];

fn v4(text: &str) -> Ipv4Addr {
    text.parse().unwrap()
}

/// Ways to write an IPv4 address.
fn numerals(ip: Ipv4Addr) -> Vec<String> {
    let [a, b, c, d] = ip.octets();
    let (all, tail, pair) = (ip.to_bits(), ip.to_bits() & 0xff_ffff, ip.to_bits() & 0xffff);
    let changed = |zero: char, dot: char| -> String {
        let base = u32::from(zero);
        let digit = |c: char| c.to_digit(10).map(|digit| char::from_u32(base + digit).unwrap());
        ip.to_string().chars().map(|c| digit(c).unwrap_or(dot)).collect()
    };
    vec![
        ip.to_string(),
        format!("{ip}."),
        format!("{all}"),
        format!("{all}."),
        format!("{all:#x}"),
        format!("{all:#X}"),
        format!("0{all:o}"),
        format!("{a}.{tail}"),
        format!("{a}.{b}.{pair}"),
        format!("{a:#x}.{b:#x}.{c:#x}.{d:#x}"),
        format!("0{a:o}.0{b:o}.0{c:o}.0{d:o}"),
        format!("00000{a:o}.{b}.{c}.{d}"),
        format!("{a}.{b:#06x}.0{c:o}.{d}"),
        changed('０', '．'),
        changed('０', '。'),
        changed('𝟎', '｡'),
        ip.to_string().replace('.', "%2e"),
        format!("%3{}{}", &a.to_string()[..1], &ip.to_string()[1..]),
    ]
}

/// An IPv4 address within an IPv6 one.
fn wrapped(ip: Ipv4Addr) -> Vec<String> {
    let (high, low) = (ip.to_bits() >> 16, ip.to_bits() & 0xffff);
    vec![
        format!("[::ffff:{ip}]"),
        format!("[::FFFF:{high:x}:{low:x}]"),
        format!("[0:0:0:0:0:ffff:{ip}]"),
        format!("[0000:0000:0000:0000:0000:ffff:{high:04x}:{low:04x}]"),
        format!("[::{ip}]"),
        format!("[::ffff:0:{ip}]"),
        format!("[64:ff9b::{ip}]"),
        format!("[64:ff9b::{high:x}:{low:x}]"),
        format!("[64:ff9b:1::{ip}]"),
        format!("[64:ff9b:1:{high:x}:{:x}:{:x}00::]", low >> 8, low & 0xff),
        format!("[2002:{high:x}:{low:x}::]"),
        format!("[2002:{high:x}:{low:x}:1::1]"),
        format!("[2001:0:{high:x}:{low:x}:8000:63bf:3fff:fdd2]"),
        format!("[2001:0:4136:e378:8000:63bf:{:x}:{:x}]", !high & 0xffff, !low & 0xffff),
        format!("[2606:4700::5efe:{ip}]"),
        format!("[2606:4700::200:5efe:{high:x}:{low:x}]"),
    ]
}

/// Forms that are refused by what they say alone, each with its reason.
#[expect(clippy::too_many_lines, reason = "a table")]
fn written() -> Vec<(String, Error)> {
    let mut forms = Vec::new();
    for (ip, _) in INSIDE_V4 {
        for host in numerals(v4(ip)).into_iter().chain(wrapped(v4(ip))) {
            forms.push((format!("http://{host}/latest/meta-data/"), Error::NotPublic));
        }
    }
    for (ip, _) in INSIDE_V6 {
        forms.push((format!("https://[{ip}]/"), Error::NotPublic));
        forms.push((format!("http://[{}]:8080/", ip.to_uppercase()), Error::NotPublic));
    }
    for (name, _) in NAMES {
        forms.push((format!("http://{name}/"), Error::NotPublic));
    }
    let host = "169.254.169.254";
    for (form, why) in [
        (format!("http:{host}/"), Error::NotPublic),
        (format!("http:/{host}/"), Error::NotPublic),
        (format!("http:////{host}/"), Error::NotPublic),
        (format!("http:\\\\{host}\\"), Error::NotPublic),
        (format!("HtTp://{host}/"), Error::NotPublic),
        (format!(" \u{1}http://{host}/"), Error::NotPublic),
        (format!("ht\ntp://{host}/"), Error::NotPublic),
        (format!("http://{host}\\@example.org/"), Error::NotPublic),
        (format!("http://{host}?@example.org/"), Error::NotPublic),
        (format!("http://{host}#@example.org/"), Error::NotPublic),
        (format!("http://{host}/@example.org/"), Error::NotPublic),
        (format!("http://{host}\t/"), Error::NotPublic),
        (format!("http://@{host}/"), Error::NotPublic),
        (format!("http://example.org@{host}/"), Error::Credentials),
        (format!("http://example.org:80@{host}/"), Error::Credentials),
        (format!("http://example.org%40x@{host}/"), Error::Credentials),
        (format!("http://{host}@example.org/"), Error::Credentials),
        (format!("http://:x@{host}/"), Error::Credentials),
        (format!("http://a:b@{host}@example.org/"), Error::Credentials),
        (format!("http://{host}%00.example.org/"), Error::Address),
        (format!("http://{host}%2f.example.org/"), Error::Address),
        (format!("http://{host}%23.example.org/"), Error::Address),
        (format!("http://{host}.0/"), Error::Address),
        (format!("http://[{host}]/"), Error::Address),
        ("http://[fe80::1%25eth0]/".to_owned(), Error::Address),
        ("http://[::ffff:127.0.0.1.]/".to_owned(), Error::Address),
        ("http://999.254.169.254/".to_owned(), Error::Address),
        ("http://09.0.0.1/".to_owned(), Error::Address),
        ("http://xn--/".to_owned(), Error::Address),
        ("http://xn--localhost-/".to_owned(), Error::Address),
    ] {
        forms.push((form, why));
    }
    for scheme in [
        "file",
        "ftp",
        "gopher",
        "dict",
        "ldap",
        "tftp",
        "ws",
        "wss",
        "jar",
        "netdoc",
        "unix",
        "data",
        "javascript",
        "blob",
        "view-source",
        "redis",
        "smb",
    ] {
        forms.push((format!("{scheme}://{host}/"), Error::Scheme));
    }
    for port in
        [21, 22, 23, 25, 111, 445, 2375, 3306, 5432, 6379, 6443, 9200, 10_250, 11_211, 27_017]
    {
        forms.push((format!("http://example.org:{port}/"), Error::Port));
    }
    forms
}

#[tokio::test]
async fn no_form_of_an_inner_address_is_asked_for() {
    let forms = written();
    let distinct: BTreeSet<&str> = forms.iter().map(|(form, _)| form.as_str()).collect();
    assert!(distinct.len() >= 300, "only {}", distinct.len());
    let names = Table::new(&[&["93.184.215.14"]]);
    let fetcher = Fetcher::with(Arc::clone(&names) as Arc<dyn Names>, Vec::new()).unwrap();
    let mut wrong = Vec::new();
    for (form, why) in &forms {
        let said = fetcher.get(form, LIMITS).await.map(|fetched| fetched.url);
        if said.as_ref() != Err(why) {
            wrong.push(format!("{form:?}: {said:?} instead of {why:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), distinct.len(), wrong.join("\n"));
    assert_eq!(names.asked(), 0, "nobody is asked for a name");
}

/// Names of strangers: what they stand for is found out once, and never connected to where it is inside. A chain of
/// CNAMEs ends in the same answer.
#[tokio::test]
async fn no_name_for_an_inner_address_is_connected_to() {
    let inside = INSIDE_V4.iter().chain(&INSIDE_V6).map(|(ip, _)| *ip);
    for ip in inside {
        for host in [
            "cname.to.metadata.google.internal.evil.example.org",
            "169.254.169.254.nip.io",
            "a9fea9fe.rbndr.us",
            "metadata.goog",
            "www.xn--bcher-kva.org",
            "bücher.org",
            "xn--80ak6aa92e.org",
            "аррӏе.org",
            "_dmarc.example.org",
            "trailing.example.org.",
        ] {
            let names = Table::new(&[&[ip]]);
            let fetcher = Fetcher::with(Arc::clone(&names) as Arc<dyn Names>, Vec::new()).unwrap();
            let said = fetcher.get(&format!("http://{host}/"), LIMITS).await;
            assert_eq!(said, Err(Error::NotPublic), "{host} for {ip}");
            assert_eq!(names.asked(), 1, "{host} for {ip}");
        }
    }
    // All answers of a name inside, of both kinds and many at once.
    let all: Vec<&str> = INSIDE_V4.iter().chain(&INSIDE_V6).map(|(ip, _)| *ip).collect();
    let fetcher = Fetcher::with(Table::new(&[&all]), Vec::new()).unwrap();
    assert_eq!(fetcher.get("http://many.example.org/", LIMITS).await, Err(Error::NotPublic));
}

/// Every kind of redirect to every kind of place.
#[tokio::test]
#[expect(clippy::too_many_lines, reason = "a table")]
async fn no_redirect_leads_inside() {
    let private =
        Site::at("127.0.0.2", 0, &[("/", Deed::page("content-type: text/plain", "secret"))]).await;
    let mut targets = vec![
        (format!("http://127.0.0.2:{}/", private.address.port()), Error::NotPublic),
        (format!("//127.0.0.2:{}/", private.address.port()), Error::NotPublic),
        (format!("/\\127.0.0.2:{}/", private.address.port()), Error::NotPublic),
        (
            "http://169.254.169.254/latest/meta-data/iam/security-credentials/".to_owned(),
            Error::NotPublic,
        ),
        ("http://2852039166/".to_owned(), Error::NotPublic),
        ("http://0xa9fea9fe/".to_owned(), Error::NotPublic),
        ("http://0251.0376.0251.0376/".to_owned(), Error::NotPublic),
        ("http://[::ffff:169.254.169.254]/".to_owned(), Error::NotPublic),
        ("http://[64:ff9b::a9fe:a9fe]/".to_owned(), Error::NotPublic),
        ("http://[2002:a9fe:a9fe::]/".to_owned(), Error::NotPublic),
        ("http://[fd00:ec2::254]/".to_owned(), Error::NotPublic),
        ("http://metadata.google.internal/computeMetadata/v1/".to_owned(), Error::NotPublic),
        ("https://localhost/".to_owned(), Error::NotPublic),
        ("http://localhost.".to_owned(), Error::NotPublic),
        ("https://kubernetes.default.svc/".to_owned(), Error::NotPublic),
        ("http://intranet/".to_owned(), Error::NotPublic),
        ("file:///etc/passwd".to_owned(), Error::Scheme),
        ("gopher://127.0.0.1:6379/_FLUSHALL".to_owned(), Error::Scheme),
        ("data:text/html,<p>".to_owned(), Error::Scheme),
        ("javascript:alert(1)".to_owned(), Error::Scheme),
        ("http://ada:secret@site.example.org/".to_owned(), Error::Credentials),
        ("http://example.org:6379/".to_owned(), Error::Port),
        ("http://site.example.org:22/".to_owned(), Error::Port),
    ];
    let words: Vec<&str> = ["301", "302", "303", "307", "308"].to_vec();
    let mut deeds = Vec::new();
    for word in &words {
        for (at, (target, _)) in targets.iter().enumerate() {
            let head = format!("location: {target}\ncontent-length: 0");
            let deed = Deed::status(&format!("{word} Elsewhere"), &head, "");
            deeds.push((format!("/{word}/{at}"), deed));
        }
    }
    // Redirects that no browser follows by themselves are none to an inner place either.
    for word in ["300", "304", "305", "306", "399"] {
        let head = "location: http://169.254.169.254/\ncontent-length: 0";
        deeds.push((format!("/{word}"), Deed::status(&format!("{word} Elsewhere"), head, "")));
        targets.push((String::new(), Error::NotPublic));
    }
    let refresh = "content-type: text/html\nrefresh: 0; url=http://169.254.169.254/";
    let meta = "<meta http-equiv=refresh content='0; url=http://169.254.169.254/'>";
    deeds.push(("/refresh".to_owned(), Deed::page(refresh, meta)));
    let table: Vec<(&str, Deed)> =
        deeds.iter().map(|(path, deed)| (path.as_str(), deed.clone())).collect();
    let site = Site::start(&table).await;
    let names = Table::new(&[&["127.0.0.1"]]);
    let fetcher = Fetcher::with(names, vec![site.address]).unwrap();
    for word in &words {
        for (at, (target, why)) in targets.iter().enumerate().filter(|(_, (t, _))| !t.is_empty()) {
            let said = fetcher.get(&site.url(&format!("/{word}/{at}")), LIMITS).await;
            assert_eq!(said, Err(*why), "{word} to {target}");
        }
    }
    for word in ["300", "304", "305", "306", "399"] {
        let said = fetcher.get(&site.url(&format!("/{word}")), LIMITS).await;
        assert_eq!(said, Err(Error::NotPublic), "{word}");
    }
    // What a page asks a browser to do is not done here.
    let page = fetcher.get(&site.url("/refresh"), LIMITS).await.unwrap();
    assert_eq!(page.url.path(), "/refresh");
    assert!(private.seen().is_empty(), "{:?}", private.seen());
}

/// A name that says another thing each time: what was checked is what is connected to, for every connection anew.
#[tokio::test]
async fn no_change_of_mind_gains_anything() {
    let public = Site::start(&[
        ("/", Deed::page("content-type: text/plain", "public")),
        ("/again", Deed::status("302 Found", "location: /\ncontent-length: 0", "")),
    ])
    .await;
    let port = public.address.port();
    let private = Site::at("127.0.0.2", port, &[("/", Deed::page("", "secret"))]).await;
    let both = |answers: &[&[&str]]| {
        let names = Table::new(answers);
        let fetcher = Fetcher::with(Arc::clone(&names) as Arc<dyn Names>, vec![public.address]);
        (names, fetcher.unwrap())
    };
    // The check and the connection are one look-up; the next fetch is another.
    let (names, fetcher) = both(&[&["127.0.0.1"], &["127.0.0.2"]]);
    assert_eq!(fetcher.get(&public.url("/"), LIMITS).await.unwrap().bytes, b"public");
    assert_eq!(names.asked(), 1);
    assert_eq!(fetcher.get(&public.url("/"), LIMITS).await, Err(Error::NotPublic));
    // It changes between a redirect and its target.
    let (names, fetcher) = both(&[&["127.0.0.1"], &["127.0.0.2"]]);
    assert_eq!(fetcher.get(&public.url("/again"), LIMITS).await, Err(Error::NotPublic));
    assert_eq!(names.asked(), 2);
    // Mixed answers, in either order and with every inner address: the public one alone is left.
    for (inner, _) in INSIDE_V4.iter().chain(&INSIDE_V6).filter(|(ip, _)| *ip != "127.0.0.1") {
        for answer in [[*inner, "127.0.0.1"], ["127.0.0.1", *inner]] {
            let (_, fetcher) = both(&[&answer]);
            let page = fetcher.get(&public.url("/"), LIMITS).await.unwrap();
            assert_eq!(page.bytes, b"public", "{answer:?}");
        }
    }
    assert!(private.seen().is_empty(), "{:?}", private.seen());
}

/// The lists above name what they mean to.
#[test]
fn the_lists_are_of_inner_addresses() {
    for (ip, _) in INSIDE_V4.iter().chain(&INSIDE_V6) {
        let ip: IpAddr = ip.parse().unwrap();
        assert!(anteroom::net::fetch::special(ip).is_some(), "{ip}");
    }
}
