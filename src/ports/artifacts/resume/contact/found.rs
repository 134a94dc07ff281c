//! Addresses within a piece of text: e-mail, telephone, web.

use std::ops::RangeInclusive;

use super::label_of;
use crate::ports::artifacts::resume::{
    dates, place,
    vocabulary::{Label, folded},
};

/// A web page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Page {
    /// With its scheme.
    pub(super) url: String,
    /// Network and user name, on a known network.
    pub(super) profile: Option<(&'static str, String)>,
}

/// The first e-mail address.
pub(super) fn address(text: &str) -> Option<String> {
    words(text).find_map(|word| {
        let word = word.strip_prefix("mailto:").unwrap_or(word);
        let (local, domain) = word.split_once('@')?;
        let local_fits =
            !local.is_empty() && local.chars().all(|c| c.is_alphanumeric() || "._%+-'".contains(c));
        let domain_fits =
            is_domain(domain) && domain.rsplit('.').next().is_some_and(|tld| tld.len() >= 2);
        (local_fits && domain_fits).then(|| word.to_owned())
    })
}

/// The first telephone number, as written.
pub(super) fn phone(text: &str) -> Option<String> {
    if let Some(number) = dashed(text) {
        return Some(number.to_owned());
    }
    let lead = text.split(|c: char| c.is_ascii_digit() || c == '+' || c == '(').next();
    let labelled =
        is_labelled(text) || lead.is_some_and(|lead| label_of(lead.trim()).0 == Some(Label::Phone));
    let others = |word: &&str| !word.contains(['@', '/']);
    let plain = text.split_whitespace().filter(others).collect::<Vec<_>>().join(" ");
    let part_of_number = |c: char| c.is_ascii_digit() || "+()-./ \u{2010}\u{2011}".contains(c);
    text.split(|c: char| !part_of_number(c))
        .map(|run| run.trim_matches([' ', '-', '.', '/']))
        .map(|run| run.trim_start_matches(')').trim_end_matches('(').trim())
        .find(|run| {
            let digits = run.chars().filter(char::is_ascii_digit).count();
            let international = run.starts_with(['+', '(']) || run.starts_with('0');
            let american = digits == 10;
            // Nothing else in its field, in groups: `943 555 011`.
            let is_alone = run.len() >= plain.len() && digits >= 9 && run.contains(' ');
            let fits = (7..=15).contains(&digits)
                && (labelled || (digits > 7 && (international || american || is_alone)));
            // `2019 - 2021` has eight digits too; an address has a letter or slash next to them.
            fits && !is_date(run) && !glued(text, run) && !is_code(text, run)
        })
        .map(str::to_owned)
}

/// Digits of the code of a town, or of a country and a town, before a dash, and of a whole number.
const CODE: RangeInclusive<usize> = 2..=5;
const WHOLE: RangeInclusive<usize> = 9..=13;

/// A telephone number with a dash between spaces behind its code: `0592 – 555 014`, `+49 461 – 555 01 18`.
pub(super) fn dashed(text: &str) -> Option<&str> {
    let count = |text: &str| text.chars().filter(char::is_ascii_digit).count();
    let is_part = |c: char| c.is_ascii_digit() || "+() -./".contains(c);
    [" – ", " — "].into_iter().find_map(|dash| {
        let (before, after) = text.split_once(dash)?;
        let code = before.rsplit(|c: char| !is_part(c)).next().unwrap_or_default();
        let code = code.trim_start_matches([' ', '.', '-', '/', ')']);
        let rest = after.split(|c: char| !is_part(c)).next().unwrap_or_default().trim_end();
        let begin = before.len() - code.len();
        let whole = &text[begin..before.len() + dash.len() + rest.len()];
        let is_free = !text[..begin].ends_with(char::is_alphanumeric);
        let digits = count(code);
        let is_code = CODE.contains(&digits) && code.starts_with(['0', '(', '+'])
            || code.starts_with('+') && digits <= CODE.end() + 2;
        (is_free && is_code && WHOLE.contains(&count(whole)) && dates::find(whole).is_none())
            .then(|| whole.trim_end_matches([' ', '-', '.', '/', '(']))
    })
}

/// Whether a word or a picture for a telephone stands in a text; `Castelo` has `tel` in it and is none.
fn is_labelled(text: &str) -> bool {
    const BEGINNINGS: [&str; 5] = ["tel", "phone", "mobil", "cell", "mob"];
    const ENDS: [&str; 3] = ["phone", "telefon", "telefoon"];
    let lower = folded(text);
    let mut words = lower.split(|c: char| !c.is_alphabetic()).filter(|word| !word.is_empty());
    let has_word = words.any(|word| {
        BEGINNINGS.iter().any(|label| word.starts_with(label))
            || ENDS.iter().any(|label| word.ends_with(label))
    });
    let is_free = |at: usize| !lower[..at].ends_with(char::is_alphanumeric);
    let has_letter = ["m:", "t:", "p:"]
        .into_iter()
        .any(|label| lower.match_indices(label).any(|(at, _)| is_free(at)));
    has_word || has_letter || text.contains(['☎', '📞', '📱'])
}

/// Whether digits are the code of the town behind them: `4900-310 Viana`.
fn is_code(text: &str, run: &str) -> bool {
    let after = text.split_once(run).map(|(_, after)| after.trim_start()).unwrap_or_default();
    let is_before_town = after.starts_with(char::is_uppercase)
        && after.chars().nth(1).is_some_and(char::is_lowercase);
    is_before_town && place::is_postcode(run)
}

/// Whether digits are a period, end in a date behind a dash, or are a date before all: `029 2018 0456` is neither.
fn is_date(run: &str) -> bool {
    let is_most = |of: &str| {
        dates::find(of).is_some_and(|date| date.start.is_some() || date.at.len() * 2 > of.len())
    };
    is_most(run) || run.rsplit_once(" - ").is_some_and(|(_, end)| is_most(end))
}

/// Whether a run of digits is part of a word or of a web address.
fn glued(text: &str, run: &str) -> bool {
    text.find(run).is_some_and(|at| {
        let before = text[..at].chars().next_back();
        let after = text[at + run.len()..].chars().next();
        before.is_some_and(|c| c.is_alphanumeric() || "/_@=".contains(c))
            || after.is_some_and(|c| c.is_alphabetic() || "/_@=".contains(c))
    })
}

/// Every web page, in order. The host of somebody's own e-mail address is one, whatever it ends in.
pub(super) fn web(text: &str, mail: &str) -> Vec<Page> {
    let own = mail.split_once('@').map_or("", |(_, host)| host);
    words(text).filter_map(|word| page(word, own)).collect()
}

fn page(word: &str, own: &str) -> Option<Page> {
    let lower = word.to_ascii_lowercase();
    let bare = lower.strip_prefix("https://").or_else(|| lower.strip_prefix("http://"));
    let schemed = bare.is_some();
    let start = word.len() - bare.unwrap_or(&lower).len();
    let address = word.get(start..)?;
    let (host, path) = address.split_once('/').unwrap_or((address, ""));
    let host = host.to_lowercase();
    let host = host.strip_prefix("www.").unwrap_or(&host);
    let user = || path.trim_end_matches('/').split(['/', '?']).next_back().unwrap_or_default();
    let network = NETWORKS
        .iter()
        .find(|(known, _)| {
            host == *known || host.strip_suffix(known).is_some_and(|sub| sub.ends_with('.'))
        })
        .map(|(_, network)| *network);
    // `ASP.NET` is no address, `ada.example.net` is one.
    let is_deep = host.matches('.').count() > 1;
    let is_known = |end: &str| ENDS.contains(&end) || end == "net" && is_deep;
    // `lattes.example.br/0047`
    let is_national = |end: &str| is_deep && !path.is_empty() && end.len() == 2;
    let known_end = host.rsplit('.').next().is_some_and(|end| is_known(end) || is_national(end));
    let is_under = |host: &str| host.strip_suffix(own).is_some_and(|sub| sub.ends_with('.'));
    let is_own = !own.is_empty() && (host.eq_ignore_ascii_case(own) || is_under(host));
    let clear = schemed || lower.starts_with("www.") || network.is_some() || known_end || is_own;
    if word.contains('@') && network.is_none() || !is_domain(host) || !clear {
        return None;
    }
    let profile = network
        .map(|network| (network, user().trim_start_matches('@').to_owned()))
        .filter(|(_, user)| !user.is_empty());
    let url = if schemed { word.to_owned() } else { format!("https://{word}") };
    Some(Page { url, profile })
}

const NETWORKS: [(&str, &str); 19] = [
    ("linkedin.com", "LinkedIn"),
    ("github.com", "GitHub"),
    ("gitlab.com", "GitLab"),
    ("bitbucket.org", "Bitbucket"),
    ("codeberg.org", "Codeberg"),
    ("twitter.com", "Twitter"),
    ("x.com", "X"),
    ("stackoverflow.com", "Stack Overflow"),
    ("medium.com", "Medium"),
    ("behance.net", "Behance"),
    ("dribbble.com", "Dribbble"),
    ("orcid.org", "ORCID"),
    ("xing.com", "XING"),
    ("kaggle.com", "Kaggle"),
    ("instagram.com", "Instagram"),
    ("facebook.com", "Facebook"),
    ("youtube.com", "YouTube"),
    ("vimeo.com", "Vimeo"),
    ("issuu.com", "Issuu"),
];

/// Ends of bare host names that are hardly anything else; `Node.js` and `ASP.NET` are not among them.
const ENDS: [&str; 22] = [
    "com", "org", "io", "dev", "me", "app", "ai", "co", "uk", "de", "fr", "nl", "eu", "ch", "at",
    "se", "dk", "fi", "ie", "info", "page", "blog",
];

fn is_domain(host: &str) -> bool {
    let labels: Vec<&str> = host.split('.').collect();
    labels.len() > 1
        && labels.iter().all(|label| {
            !label.is_empty() && label.chars().all(|c| c.is_alphanumeric() || c == '-')
        })
        && labels
            .last()
            .is_some_and(|tld| tld.chars().all(char::is_alphabetic) && tld.chars().count() > 1)
}

/// Words without the punctuation around them.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || "<>()[]{}|;,\"“”·•".contains(c))
        .map(|word| word.trim_matches(|c: char| !c.is_alphanumeric() && c != '/' && c != '+'))
        .map(|word| {
            // `E-mail:ada@example.org`
            match word.split_once(':') {
                Some((label, rest))
                    if !rest.starts_with("//")
                        && label.chars().all(|c| c.is_alphabetic() || c == '-') =>
                {
                    rest
                }
                _ => word,
            }
        })
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_in_messy_lines() {
        for (text, expected) in [
            ("E-mail:ada@example.org", Some("ada@example.org")),
            ("<mailto:ada.b+cv@mail.example.co.uk>;", Some("ada.b+cv@mail.example.co.uk")),
            ("ada@localhost", None),
            ("@ada on the network", None),
        ] {
            assert_eq!(address(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn telephone_numbers_are_told_from_other_numbers() {
        for (text, expected) in [
            ("+44 20 7946 0018", Some("+44 20 7946 0018")),
            ("Tel: (512) 555-0147", Some("(512) 555-0147")),
            ("512.555.0147", Some("512.555.0147")),
            ("phone 555-0147", Some("555-0147")),
            ("Móvil: 655 01 23 45", Some("655 01 23 45")),
            ("040 / 555 01 77", Some("040 / 555 01 77")),
            ("029 2018 0456", Some("029 2018 0456")),
            ("Mobilfunknummer 0660 5550 4127", Some("0660 5550 4127")),
            ("Telefoon: 0592 – 555 014", Some("0592 – 555 014")),
            ("06 – 5550 1273", Some("06 – 5550 1273")),
            ("Tel. (0461) – 555 01 18, Leeds", Some("(0461) – 555 01 18")),
            ("+49 461 – 555 01 18", Some("+49 461 – 555 01 18")),
            ("0171 5550 123 – 0461 555 011", Some("0171 5550 123")),
            ("09 2019 – 10 2021", None),
            ("01.09.2019 – 30.10.2021", None),
            ("Rua da Amoreira, 43, 4900-310 Viana do Castelo", None),
            ("Hotelstraat 12, 1234567", None),
            ("2019 - 2021", None),
            ("13/2014 - 2016", None),
            ("03/2018 - 11/2020", None),
            ("https://example.org/1234567890", None),
            ("ISBN9783161484100", None),
            ("10 000 000 users", None),
        ] {
            assert_eq!(phone(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn pages_and_profiles_are_told_apart() {
        let said: Vec<String> = web(
            "https://ada.example.org | linkedin.com/in/ada-byron, www.github.com/ada/ · Node.js ASP.NET ada@example.org uk.linkedin.com/in/x byron.museum",
            "ada@byron.museum",
        )
        .into_iter()
        .map(|page| format!("{} {:?}", page.url, page.profile))
        .collect();
        insta::assert_snapshot!(said.join("\n"), @r#"
        https://ada.example.org None
        https://linkedin.com/in/ada-byron Some(("LinkedIn", "ada-byron"))
        https://www.github.com/ada/ Some(("GitHub", "ada"))
        https://uk.linkedin.com/in/x Some(("LinkedIn", "x"))
        https://byron.museum None
        "#);
    }

    #[test]
    fn pages_of_further_networks_and_below_the_host_of_the_mail_are_found() {
        let said = |text: &str| {
            let pages = web(text, "ada@example.pt").into_iter();
            pages.map(|page| page.url).collect::<Vec<_>>().join(" ")
        };
        let network = web("instagram.com/ada", "").remove(0).profile;
        assert_eq!(network, Some(("Instagram", "ada".to_owned())));
        assert_eq!(said("ada.example.pt"), "https://ada.example.pt");
        assert_eq!(said("ada.beispiel.pt, notexample.pt"), "");
    }

    #[test]
    fn a_dash_behind_the_code_of_an_area_is_a_part_of_the_number() {
        assert_eq!(phone("06 – 0000 0147").as_deref(), Some("06 – 0000 0147"));
        assert_eq!(phone("2013 – 2017"), None);
    }
}
