//! Files that people send: where they may be fetched from.

use reqwest::Url;

/// The hosts of files that people put onto Discord.
pub const HOSTS: [&str; 2] = ["cdn.discordapp.com", "media.discordapp.net"];

/// The address of a file, where it is one of Discord's own: an answer may hold any address, and what is behind it is
/// fetched. `also` is a host that stands in for Discord on this machine, with its port.
pub fn address(url: &str, also: Option<&str>) -> Option<Url> {
    let url = Url::parse(url).ok()?;
    let host = url.host_str()?;
    let authority = match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    };
    let is_plain = url.username().is_empty() && url.password().is_none();
    let is_discords = url.scheme() == "https" && url.port().is_none() && HOSTS.contains(&host);
    let stands_in = also.is_some_and(|also| also == authority);
    (is_plain && (is_discords || stands_in)).then_some(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_come_from_discord_alone() {
        let taken = |url: &str| address(url, Some("127.0.0.1:9000")).is_some();
        assert!(taken("https://cdn.discordapp.com/ephemeral-attachments/1/2/cv.pdf?ex=1&hm=2"));
        assert!(taken("http://127.0.0.1:9000/attachments/1/2/cv.pdf"));
        for url in [
            "http://cdn.discordapp.com/a",
            "https://cdn.discordapp.com.evil.example/a",
            "https://evil.example/cdn.discordapp.com",
            "https://cdn.discordapp.com@evil.example/a",
            "https://user@cdn.discordapp.com/a",
            "https://cdn.discordapp.com:8443/a",
            "http://127.0.0.1:9001/a",
            "file:///etc/passwd",
        ] {
            assert!(!taken(url), "{url}");
        }
    }
}
