//! Files: from Slack into a conversation, and copies back.
//!
//! The bot's token goes to Slack's own hosts and nowhere else, over https, whatever address a file or a redirect
//! names. What comes is counted while it comes. Slack answers who may not read a file with a page to sign in and
//! status 200; such a page is not taken for the file.

use std::time::Duration;

use reqwest::{Client, Response, StatusCode, Url, header, redirect::Policy};
use serde_json::json;
use tokio::time::timeout;

use super::{
    api::{self, Api, Failure, Method},
    inbound, limits,
};
use crate::{
    chat::NotFetched, messages, model::artifact::Offer, ports::artifacts::check::harmless,
};

/// Hosts of Slack that keep files; their subdomains too.
const HOSTS: [&str; 4] = ["slack.com", "slack-edge.com", "slack-files.com", "slack-gov.com"];

/// Gets files and sends copies; cheap to clone.
#[derive(Debug, Clone)]
pub struct Files {
    api: Api,
    client: Client,
    max_bytes: u64,
}

/// A file that is to be sent.
#[derive(Debug)]
pub struct Upload<'a> {
    /// What it is called where it is saved.
    pub name: &'a str,
    /// What people read above it.
    pub title: &'a str,
    /// What stands beside it, as mrkdwn; nothing where empty.
    pub words: &'a str,
    /// The file.
    pub bytes: Vec<u8>,
}

impl Files {
    /// Takes files of at most `max_bytes`.
    pub fn new(api: Api, max_bytes: u64) -> Result<Self, reqwest::Error> {
        let client = Client::builder()
            .connect_timeout(limits::FILE_CONNECT)
            .read_timeout(limits::FILE_SILENCE)
            // Followed by hand, or the token would follow too.
            .redirect(Policy::none())
            .no_gzip()
            .user_agent(concat!("anteroom/", env!("CARGO_PKG_VERSION")))
            .build()?;
        Ok(Self { api, client, max_bytes })
    }

    /// Gets a file that was sent.
    pub async fn fetch(&self, team: &str, offer: &Offer) -> Result<Vec<u8>, NotFetched> {
        let fetched = timeout(limits::FILE_TOTAL, self.get(team, offer)).await;
        fetched.unwrap_or_else(|_| Err(NotFetched::Later(messages::notices::file_later("Slack"))))
    }

    /// Puts a file into a conversation and gives its id. Where the answer is [`Failure::Unclear`] it may be there.
    pub async fn send(
        &self,
        team: &str,
        (channel, thread): (&str, Option<&str>),
        Upload { name, title, words, bytes }: Upload<'_>,
    ) -> Result<String, Failure> {
        let wanted = json!({ "filename": name, "length": bytes.len() });
        let place = self.api.call(team, Method::UploadUrl, &wanted).await?;
        let id = place["file_id"].as_str().unwrap_or_default().to_owned();
        let url = place["upload_url"].as_str().and_then(|url| Url::parse(url).ok());
        // Until it is said to be complete, nobody sees it: it may be sent again.
        let later = Failure::Later { after: Duration::from_secs(5) };
        let Some(url) = url.filter(|url| self.is_slack(url)) else { return Err(later) };
        let sent = self.client.post(url).body(bytes).send();
        match timeout(limits::FILE_TOTAL, sent).await {
            Ok(Ok(answer)) if answer.status().is_success() => {}
            Ok(Err(error)) if error.is_connect() => return Err(Failure::Unreachable),
            Ok(Ok(_) | Err(_)) | Err(_) => return Err(later),
        }
        let mut body = json!({ "files": [{ "id": id, "title": title }], "channel_id": channel });
        if !words.is_empty() {
            body["initial_comment"] = json!(words);
        }
        if let Some(thread) = thread {
            body["thread_ts"] = json!(thread);
        }
        self.api.call(team, Method::CompleteUpload, &body).await.map(|_| id)
    }

    async fn get(&self, team: &str, offer: &Offer) -> Result<Vec<u8>, NotFetched> {
        self.fits(offer.bytes, &offer.name)?;
        let url =
            if offer.url.is_empty() { self.find(team, offer).await? } else { offer.url.clone() };
        let mut url =
            Url::parse(&url).map_err(|_| refused(messages::notices::FILE_NO_LONGER_THERE))?;
        for _ in 0..=limits::FILE_REDIRECTS {
            if !self.is_slack(&url) {
                tracing::warn!(
                    "a file of Slack lies on a host that is not Slack's; it was not fetched"
                );
                return Err(refused(messages::notices::FILE_ELSEWHERE));
            }
            let token = self.api.installations().token(team).await;
            let token =
                token.map_err(|_| NotFetched::Later(messages::notices::file_later("Slack")))?;
            let answer = self.client.get(url.clone()).bearer_auth(token.expose()).send().await;
            let answer =
                answer.map_err(|_| NotFetched::Later(messages::notices::file_later("Slack")))?;
            match answer.status() {
                status if status.is_redirection() => {
                    url = next(&url, &answer)
                        .ok_or_else(|| refused(messages::notices::FILE_HIDDEN))?;
                }
                StatusCode::OK => return self.read(answer, offer).await,
                StatusCode::NOT_FOUND | StatusCode::GONE => {
                    return Err(refused(messages::notices::FILE_NO_LONGER_THERE));
                }
                StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => {
                    return Err(refused(messages::notices::FILE_HIDDEN));
                }
                _ => return Err(NotFetched::Later(messages::notices::file_later("Slack"))),
            }
        }
        Err(refused(messages::notices::FILE_HIDDEN))
    }

    /// Asks where a file lies of which only the id is known.
    async fn find(&self, team: &str, offer: &Offer) -> Result<String, NotFetched> {
        let answer = match self.api.call(team, Method::FileInfo, &json!({ "file": offer.id })).await
        {
            Ok(answer) => answer,
            Err(Failure::Refused { error, .. }) => {
                let is_gone = matches!(error.as_str(), "file_deleted" | "file_not_found");
                return Err(refused(if is_gone {
                    messages::notices::FILE_NO_LONGER_THERE
                } else {
                    messages::notices::FILE_HIDDEN
                }));
            }
            Err(_) => return Err(NotFetched::Later(messages::notices::file_later("Slack"))),
        };
        let file = &answer["file"];
        let text = |name: &str| file[name].as_str().unwrap_or_default();
        if file["is_external"] == true || text("mode") == "external" {
            return Err(refused(messages::notices::FILE_ELSEWHERE));
        }
        if matches!(text("mode"), "tombstone" | "hidden_by_limit") {
            return Err(refused(messages::notices::FILE_NO_LONGER_THERE));
        }
        self.fits(file["size"].as_u64(), &offer.name)?;
        let urls = [text("url_private_download"), text("url_private")];
        let url = urls.into_iter().find(|url| !url.is_empty());
        url.map(str::to_owned).ok_or_else(|| refused(messages::notices::FILE_HIDDEN))
    }

    async fn read(&self, mut answer: Response, offer: &Offer) -> Result<Vec<u8>, NotFetched> {
        self.fits(answer.content_length(), &offer.name)?;
        let kind = answer.headers().get(header::CONTENT_TYPE);
        let says_page = kind
            .and_then(|kind| kind.to_str().ok())
            .is_some_and(|kind| kind.trim_start().to_ascii_lowercase().starts_with("text/html"));
        let mut bytes = Vec::new();
        loop {
            let chunk = answer
                .chunk()
                .await
                .map_err(|_| NotFetched::Later(messages::notices::file_later("Slack")))?;
            let Some(chunk) = chunk else { break };
            bytes.extend_from_slice(&chunk);
            self.fits(Some(bytes.len() as u64), &offer.name)?;
        }
        // Somebody may have sent a page; what is wrong with that, the check of uploads says in its own words.
        let name = offer.name.to_ascii_lowercase();
        let is_meant = [".html", ".htm"].iter().any(|end| name.ends_with(end));
        if !is_meant && (says_page || is_page(&bytes)) {
            tracing::error!(
                "Slack answered with a page to sign in instead of a file; give the app the scope `files:read` and install it again"
            );
            return Err(refused(messages::notices::FILE_HIDDEN));
        }
        Ok(bytes)
    }

    fn fits(&self, bytes: Option<u64>, name: &str) -> Result<(), NotFetched> {
        if bytes.is_none_or(|bytes| bytes <= self.max_bytes) {
            return Ok(());
        }
        Err(NotFetched::Refused(messages::answers::too_large(&harmless(name), self.max_bytes)))
    }

    /// Whether the token may go there.
    fn is_slack(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or_default();
        let is_slacks = HOSTS.iter().any(|known| {
            host == *known || host.strip_suffix(known).is_some_and(|rest| rest.ends_with('.'))
        });
        let is_plain = url.username().is_empty() && url.password().is_none();
        let is_test = api::is_here(self.api.base()) && api::is_here(url.as_str());
        is_plain && (is_test || (url.scheme() == "https" && url.port().is_none() && is_slacks))
    }
}

fn refused(words: &str) -> NotFetched {
    NotFetched::Refused(words.to_owned())
}

fn next(url: &Url, answer: &Response) -> Option<Url> {
    let to = answer.headers().get(header::LOCATION)?.to_str().ok()?;
    url.join(to).ok()
}

/// Whether it begins like a page.
fn is_page(bytes: &[u8]) -> bool {
    let begin = &bytes[..bytes.len().min(512)];
    let begin = String::from_utf8_lossy(begin).trim_start().to_ascii_lowercase();
    begin.starts_with("<!doctype html") || begin.starts_with("<html")
}

/// A file as it came in, as it is offered to a conversation; where it cannot be had, why.
pub fn offer(file: &inbound::File) -> Result<Offer, &'static str> {
    if file.is_gone {
        return Err(messages::notices::FILE_NO_LONGER_THERE);
    }
    if file.is_external {
        return Err(messages::notices::FILE_ELSEWHERE);
    }
    let (id, name, url) = (file.id.clone(), file.name.clone(), file.url.clone());
    Ok(Offer { id, name, bytes: file.size, url })
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use axum::{
        Router,
        extract::State,
        http::{HeaderMap, Uri},
        response::{IntoResponse, Redirect},
    };
    use tokio::net::TcpListener;

    use super::*;
    use crate::{
        config::{Secret, SlackRates},
        gateway::slack::installations::{Installation, Installations},
    };

    type Asked = Arc<Mutex<Vec<String>>>;

    async fn slack(
        State(asked): State<Asked>,
        uri: Uri,
        headers: HeaderMap,
        body: axum::body::Bytes,
    ) -> axum::response::Response {
        let token = headers.get("authorization").map_or("nobody", |token| token.to_str().unwrap());
        let body = String::from_utf8_lossy(&body);
        asked.lock().unwrap().push(format!("{} {token} {body}", uri.path()).trim_end().to_owned());
        let html = [("content-type", "text/html; charset=utf-8")];
        match uri.path() {
            "/files/cv.pdf" => "%PDF-1.7".into_response(),
            "/files/moved.pdf" => Redirect::temporary("/files/cv.pdf").into_response(),
            "/files/away.pdf" => {
                Redirect::temporary("https://files.example.org/cv.pdf").into_response()
            }
            "/files/round.pdf" => Redirect::temporary("/files/round.pdf").into_response(),
            "/files/login.pdf" => (html, "<!DOCTYPE html><title>Sign in</title>").into_response(),
            "/files/unlabelled.pdf" => "\n<html><title>Sign in</title>".into_response(),
            "/files/large.pdf" => vec![b'x'; 3000].into_response(),
            "/api/files.info" => axum::Json(match uri.query().unwrap() {
                "file=F2" => json!({"ok": true, "file": {"mode": "tombstone"}}),
                "file=F3" => json!({"ok": true, "file": {"mode": "external", "is_external": true}}),
                _ => json!({"ok": false, "error": "file_not_found"}),
            })
            .into_response(),
            "/api/files.getUploadURLExternal" => {
                let url = format!("http://{}/upload/1", headers["host"].to_str().unwrap());
                axum::Json(json!({"ok": true, "file_id": "F9", "upload_url": url})).into_response()
            }
            "/api/files.completeUploadExternal" => axum::Json(json!({"ok": true})).into_response(),
            "/upload/1" => "OK".into_response(),
            _ => StatusCode::NOT_FOUND.into_response(),
        }
    }

    async fn files() -> (Files, String, Asked) {
        let asked = Asked::default();
        let app = Router::new().fallback(slack).with_state(Arc::clone(&asked));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let base = format!("http://{}", listener.local_addr().unwrap());
        #[expect(clippy::disallowed_methods, reason = "it ends with the test's runtime")]
        tokio::spawn(async move { axum::serve(listener, app).await });
        let installations = Installations::default();
        let installation = Installation { team: "T01".to_owned(), ..Installation::default() };
        installations.put(installation, Secret::new("xoxb-1"));
        let rates = SlackRates::default();
        let api = Api::new(&format!("{base}/api"), Arc::new(installations), &rates).unwrap();
        (Files::new(api, 2048).unwrap(), base, asked)
    }

    fn at(name: &str, url: String) -> Offer {
        Offer { id: "F0".to_owned(), name: name.to_owned(), bytes: None, url }
    }

    #[tokio::test]
    async fn files_come_whole_or_not_at_all() {
        let (files, base, _) = files().await;
        let mut seen = Vec::new();
        for name in ["cv", "moved", "away", "round", "login", "unlabelled", "large", "missing"] {
            let offer = at(&format!("{name}.pdf"), format!("{base}/files/{name}.pdf"));
            let fetched =
                files.fetch("T01", &offer).await.map(|bytes| String::from_utf8(bytes).unwrap());
            seen.push(format!("{name}: {fetched:?}"));
        }
        let announced = Offer { bytes: Some(1 << 30), ..at("huge.pdf", base) };
        seen.push(format!("huge: {:?}", files.fetch("T01", &announced).await));
        insta::assert_snapshot!(seen.join("\n"), @r#"
        cv: Ok("%PDF-1.7")
        moved: Ok("%PDF-1.7")
        away: Err(Refused("That file is stored with another service, so I can't open it. Please send the file itself."))
        round: Err(Refused("Slack won't let me open that file. Please send it to me in our conversation."))
        login: Err(Refused("Slack won't let me open that file. Please send it to me in our conversation."))
        unlabelled: Err(Refused("Slack won't let me open that file. Please send it to me in our conversation."))
        large: Err(Refused("`large.pdf` is too large. The limit is 2 KB."))
        missing: Err(Refused("That file is no longer there. Please send it again."))
        huge: Err(Refused("`huge.pdf` is too large. The limit is 2 KB."))
        "#);
    }

    #[tokio::test]
    async fn where_a_file_lies_is_asked_where_nobody_said() {
        let (files, _, _) = files().await;
        let mut seen = Vec::new();
        for id in ["F2", "F3", "F4"] {
            let offer = Offer { id: id.to_owned(), ..at("cv.pdf", String::new()) };
            seen.push(format!("{id}: {:?}", files.fetch("T01", &offer).await));
        }
        insta::assert_snapshot!(seen.join("\n"), @r#"
        F2: Err(Refused("That file is no longer there. Please send it again."))
        F3: Err(Refused("That file is stored with another service, so I can't open it. Please send the file itself."))
        F4: Err(Refused("That file is no longer there. Please send it again."))
        "#);
    }

    #[tokio::test]
    async fn the_token_goes_to_slack_and_nowhere_else() {
        let installations = Arc::new(Installations::default());
        let api = Api::new(api::SLACK, installations, &SlackRates::default()).unwrap();
        let files = Files::new(api, 2048).unwrap();
        let is_slack = |url: &str| files.is_slack(&Url::parse(url).unwrap());
        assert!(is_slack("https://files.slack.com/files-pri/T1-F1/download/cv.pdf"));
        assert!(is_slack("https://slack.com/x"));
        for url in [
            "http://files.slack.com/x",
            "https://files.slack.com:8443/x",
            "https://files.slack.com.example.org/x",
            "https://evilslack.com/x",
            "https://files.slack.com@example.org/x",
            "https://user:word@files.slack.com/x",
            "http://127.0.0.1:4000/x",
            "https://[::1]/x",
        ] {
            assert!(!is_slack(url), "{url}");
        }
    }

    #[tokio::test]
    async fn a_copy_goes_into_the_thread() {
        let (files, _, asked) = files().await;
        let bytes = b"copy".to_vec();
        let upload = Upload { name: "answers.zip", title: "Your answers", words: "Here.", bytes };
        files.send("T01", ("D1", Some("1690.1")), upload).await.unwrap();
        insta::assert_snapshot!(asked.lock().unwrap().join("\n"), @r#"
        /api/files.getUploadURLExternal Bearer xoxb-1
        /upload/1 nobody copy
        /api/files.completeUploadExternal Bearer xoxb-1 {"files":[{"id":"F9","title":"Your answers"}],"channel_id":"D1","initial_comment":"Here.","thread_ts":"1690.1"}
        "#);
    }
}
