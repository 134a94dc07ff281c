//! What belongs to one connection, and not to the request or the answer.

use axum::http::{
    HeaderMap,
    header::{self, HeaderName},
};

/// Those of RFC 9110, section 7.6.1, older ones, and what this program answers itself: `Expect`.
const HOP_BY_HOP: [HeaderName; 9] = [
    header::CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::EXPECT,
];

/// Takes away what is for one connection only: what `Connection` names, too, but never the host that was asked for.
pub(super) fn strip(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .filter(|name| *name != header::HOST)
        .collect();
    for name in HOP_BY_HOP.iter().chain(&named) {
        headers.remove(name);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_of_one_connection_are_taken_away_and_all_others_stay() {
        let mut headers = HeaderMap::new();
        let all = [
            ("host", "bot.example.org"),
            ("connection", "Keep-Alive, X-Mine, Host"),
            ("connection", "close"),
            ("keep-alive", "timeout=5"),
            ("x-mine", "1"),
            ("te", "trailers"),
            ("transfer-encoding", "chunked"),
            ("upgrade", "websocket"),
            ("expect", "100-continue"),
            ("proxy-authorization", "Basic x"),
            ("cookie", "a=1"),
            ("cookie", "b=2"),
            ("x-slack-signature", "v0=ab"),
            ("content-length", "3"),
        ];
        for (name, value) in all {
            headers.append(HeaderName::from_static(name), value.parse().unwrap());
        }
        strip(&mut headers);
        let mut left: Vec<(&str, &str)> =
            headers.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
        left.sort_unstable();
        let expected = [
            ("content-length", "3"),
            ("cookie", "a=1"),
            ("cookie", "b=2"),
            ("host", "bot.example.org"),
            ("x-slack-signature", "v0=ab"),
        ];
        assert_eq!(left, expected);
    }
}
