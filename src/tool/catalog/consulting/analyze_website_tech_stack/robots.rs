//! A website's rules for programs, `robots.txt` (RFC 9309), as far as one page needs them: may it be read?

use std::fmt::Write as _;

/// The name by which a website may speak to this program.
pub(crate) const AGENT: &str = "anteroom";

/// Most rules that are looked at.
const RULES_MAX: usize = 1_000;

/// The rules that are meant for this program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Robots {
    rules: Vec<Rule>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Rule {
    pattern: String,
    allows: bool,
}

impl Robots {
    /// Reads the rules: those of the groups that name this program, else those for everybody. What is no rule is passed
    /// over.
    pub fn read(text: &str) -> Self {
        let (mut own, mut common) = (Vec::new(), Vec::new());
        let (mut is_named, mut own_group, mut common_group) = (false, false, false);
        let mut in_names = false;
        for line in text.trim_start_matches('\u{feff}').lines() {
            let line = line.split('#').next().unwrap_or_default();
            let Some((key, value)) = line.split_once(':') else { continue };
            let value = value.trim();
            match key.trim().to_ascii_lowercase().as_str() {
                "user-agent" => {
                    if !in_names {
                        (own_group, common_group) = (false, false);
                    }
                    in_names = true;
                    let end = value.find(|c: char| !(c.is_ascii_alphabetic() || "_-".contains(c)));
                    let name = &value[..end.unwrap_or(value.len())];
                    own_group |= name.eq_ignore_ascii_case(AGENT);
                    is_named |= own_group;
                    common_group |= value.starts_with('*');
                }
                key @ ("allow" | "disallow") => {
                    in_names = false;
                    // An empty rule forbids nothing and allows nothing.
                    if value.is_empty() {
                        continue;
                    }
                    let rule = Rule { pattern: normal(value), allows: key == "allow" };
                    for (is_in, rules) in [(own_group, &mut own), (common_group, &mut common)] {
                        if is_in && rules.len() < RULES_MAX {
                            rules.push(rule.clone());
                        }
                    }
                }
                _ => {}
            }
        }
        Self { rules: if is_named { own } else { common } }
    }

    /// Whether a page may be read, by its path with its query. The longest rule that fits decides; of two as long, the
    /// one that allows.
    pub fn allow(&self, path: &str) -> bool {
        let path = normal(path);
        let fitting = self.rules.iter().filter(|rule| fits(&rule.pattern, &path));
        let strongest = fitting.max_by_key(|rule| (rule.pattern.len(), rule.allows));
        strongest.is_none_or(|rule| rule.allows)
    }
}

/// One spelling for each path: what is not ASCII as `%C3%BC`, hexadecimal digits in capitals.
fn normal(path: &str) -> String {
    let mut normal = String::with_capacity(path.len());
    let mut escaped = 0;
    for byte in path.bytes() {
        if byte.is_ascii() {
            let character = char::from(byte);
            normal.push(if escaped > 0 { character.to_ascii_uppercase() } else { character });
            escaped = if byte == b'%' { 2 } else { i32::max(escaped - 1, 0) };
        } else {
            let _infallible = write!(normal, "%{byte:02X}");
        }
    }
    normal
}

/// Whether a path begins as a pattern says: `*` stands for anything, `$` for its end.
fn fits(pattern: &str, path: &str) -> bool {
    let (pattern, to_end) = match pattern.strip_suffix('$') {
        Some(pattern) => (pattern, true),
        None => (pattern, false),
    };
    let mut pieces = pattern.split('*');
    let Some(mut rest) = pieces.next().and_then(|first| path.strip_prefix(first)) else {
        return false;
    };
    let mut pieces: Vec<&str> = pieces.collect();
    let last = if to_end { pieces.pop() } else { None };
    for piece in pieces {
        // The earliest place leaves the most for what follows.
        let Some(at) = rest.find(piece) else { return false };
        rest = &rest[at + piece.len()..];
    }
    match last {
        Some(last) => rest.ends_with(last),
        None => !to_end || rest.is_empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_for_this_program_win_over_those_for_everybody() {
        for (text, path, may) in [
            ("", "/a", true),
            ("User-agent: *\nDisallow: /", "/a", false),
            ("User-agent: *\nDisallow:", "/a", true),
            ("user-AGENT : *\ndisallow : /a # not this", "/a/b", false),
            ("User-agent: *\nDisallow: /\n\nUser-agent: Anteroom\nDisallow: /x", "/a", true),
            ("User-agent: anteroom/1.0\nDisallow: /x", "/x", false),
            ("User-agent: anteroombot\nDisallow: /", "/x", true),
            ("User-agent: other\nUser-agent: anteroom\nDisallow: /x", "/x", false),
            ("User-agent: anteroom\n\nUser-agent: other\nDisallow: /x", "/x", false),
            ("User-agent: anteroom\nDisallow: /x\nUser-agent: other\nDisallow: /y", "/y", true),
            ("User-agent: anteroom\nDisallow: /x\nUser-agent: anteroom\nDisallow: /y", "/y", false),
            ("User-agent: anteroom\nAllow: /\nUser-agent: *\nDisallow: /", "/y", true),
            // What is no rule ends no list of names (RFC 9309, 2.2.4).
            ("User-agent: anteroom\nCrawl-delay: 9\nUser-agent: *\nDisallow: /", "/y", false),
            ("Disallow: /", "/a", true),
            ("User-agent: *\nSitemap: https://a.org/s.xml\nDisallow: /a", "/a", false),
            ("\u{feff}User-agent: *\r\nDisallow: /a\r\n", "/a", false),
            ("<html>User-agent</html>", "/", true),
        ] {
            assert_eq!(Robots::read(text).allow(path), may, "{text:?} {path}");
        }
    }

    #[test]
    fn the_longest_rule_that_fits_decides() {
        for (rules, path, may) in [
            ("Allow: /p\nDisallow: /", "/page", true),
            ("Allow: /folder\nDisallow: /folder", "/folder/page", true),
            ("Allow: /page\nDisallow: /*.htm", "/page.htm", false),
            ("Allow: /$\nDisallow: /", "/", true),
            ("Allow: /$\nDisallow: /", "/page.htm", false),
            ("Disallow: /fish*.php", "/fishheads/catfish.php?id=1", false),
            ("Disallow: /fish*.php", "/Fish.PHP", true),
            ("Disallow: /*.php$", "/a.php", false),
            ("Disallow: /*.php$", "/a.php?x", true),
            ("Disallow: /*.php$", "/a.php.php", false),
            ("Disallow: *", "/a", false),
            ("Disallow: /a*$", "/abc", false),
            ("Disallow: /a%3cd.html", "/a%3Cd.html", false),
            ("Disallow: /ü", "/%c3%bc", false),
            ("Disallow: /a?b=", "/a?b=c", false),
            ("Disallow: $", "/a", true),
        ] {
            let robots = Robots::read(&format!("User-agent: *\n{rules}"));
            assert_eq!(robots.allow(path), may, "{rules:?} {path}");
        }
    }

    #[test]
    fn rules_without_end_are_read_up_to_a_bound() {
        let many = "Disallow: /a*b*c*d*e*f*g\n".repeat(50_000);
        let robots = Robots::read(&format!("User-agent: *\n{many}"));
        assert_eq!(robots.rules.len(), RULES_MAX);
        assert!(robots.allow(&format!("/a{}", "bcdef".repeat(400))));
    }
}
