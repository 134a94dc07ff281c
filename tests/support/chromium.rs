//! A headless Chromium that is used as a person uses it: by what can be read on the page.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use base64::{Engine as _, prelude::BASE64_STANDARD as STANDARD};
use fantoccini::{
    Client, ClientBuilder, Locator,
    elements::Element,
    error::CmdError,
    wd::{Capabilities, WebDriverCompatibleCommand},
};
use hyper_util::client::legacy::connect::HttpConnector;
use reqwest::{Method, Url};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};
use tokio::{
    sync::{Semaphore, SemaphorePermit},
    time::{Instant, sleep},
};

/// What to do where there is no browser.
pub(crate) const INSTALL: &str = "apt-get install chromium chromium-driver";

/// Longest wait for something to appear on the page.
const PATIENCE: Duration = Duration::from_secs(30);

/// Tests that use browsers at once. One leaves half of two processors idle, for it waits for its page as often as the page
/// for it; more than three would wait for each other.
static TURNS: Semaphore = Semaphore::const_new(3);

/// Waits until few enough other tests use browsers.
pub(crate) async fn turn() -> SemaphorePermit<'static> {
    TURNS.acquire().await.unwrap()
}

/// How a page is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    /// A wide window, light.
    Desktop,
    /// A wide window, dark.
    Dark,
    /// A telephone.
    Phone,
}

/// A browser of its own, with its driver.
#[derive(Debug)]
pub(crate) struct Browser {
    client: Client,
    driver: Child,
    home: tempfile::TempDir,
    /// First part of the names of screenshots, and their number so far.
    shots: (String, u32),
    look: Look,
    /// The rules of axe-core, where pages are held to them.
    rules: Option<String>,
}

impl Browser {
    /// Starts a browser; none where Chromium or its driver is not installed.
    pub(crate) async fn start(name: &str, look: Look) -> Option<Self> {
        let program =
            ["chromium", "chromium-browser", "google-chrome"].into_iter().find_map(find)?;
        let home = tempfile::tempdir().unwrap();
        let (driver, port) = driver(&find("chromedriver")?);
        let mut arguments: Vec<String> = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--disable-dev-shm-usage",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1280,900",
        ]
        .map(str::to_owned)
        .into();
        arguments.push(format!("--user-data-dir={}", home.path().join("profile").display()));
        let downloads = home.path().join("downloads");
        fs::create_dir(&downloads).unwrap();
        let mut capabilities = Capabilities::new();
        let options = json!({
            "binary": program,
            "args": arguments,
            "prefs": { "download.default_directory": downloads, "download.prompt_for_download": false },
        });
        capabilities.insert("goog:chromeOptions".to_owned(), options);
        capabilities.insert("goog:loggingPrefs".to_owned(), json!({ "browser": "ALL" }));
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(&format!("http://127.0.0.1:{port}"))
            .await
            .unwrap();
        let browser = Self { client, driver, home, shots: (name.to_owned(), 0), look, rules: None };
        browser.dress().await;
        Some(browser)
    }

    /// Makes the page dark or the screen small.
    async fn dress(&self) {
        match self.look {
            Look::Desktop => {}
            Look::Dark => self.dress_in("dark").await,
            Look::Phone => self.shrink().await,
        }
    }

    /// Looks at the page that is open on another screen.
    pub(crate) async fn turn_to(&mut self, look: Look) {
        self.look = look;
        self.devtools("Emulation.clearDeviceMetricsOverride", json!({})).await;
        self.dress().await;
    }

    /// Holds every page that is shown to the rules of axe-core.
    pub(crate) fn hold_to(&mut self, rules: String) {
        self.rules = Some(rules);
    }

    /// What axe-core finds on the page, in light and in dark, and on a telephone where the screen is wide.
    async fn violations(&self, name: &str) -> Vec<String> {
        let Some(rules) = &self.rules else { return Vec::new() };
        self.client.execute(rules, Vec::new()).await.unwrap();
        let mut found = Vec::new();
        for theme in ["light", "dark"] {
            self.dress_in(theme).await;
            if theme == "dark" {
                self.keep_picture(&format!("{name}-dark.png")).await;
            }
            found.extend(self.found_in(theme).await);
        }
        if self.look != Look::Phone {
            self.shrink().await;
            self.keep_picture(&format!("{name}-phone.png")).await;
            found.extend(self.found_in("dark, on a telephone").await);
            self.devtools("Emulation.clearDeviceMetricsOverride", json!({})).await;
        }
        self.dress_in(if self.look == Look::Dark { "dark" } else { "light" }).await;
        found
    }

    async fn keep_picture(&self, name: &str) {
        let picture = self.client.screenshot().await.unwrap();
        let folder = screenshots();
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(name), picture).unwrap();
    }

    async fn found_in(&self, surroundings: &str) -> Vec<String> {
        let found = self.client.execute_async(AXE, Vec::new()).await.unwrap();
        let found: Vec<String> = serde_json::from_value(found).unwrap();
        found.into_iter().map(|found| format!("{surroundings}: {found}")).collect()
    }

    async fn dress_in(&self, theme: &str) {
        let theme = json!([{ "name": "prefers-color-scheme", "value": theme }]);
        self.devtools("Emulation.setEmulatedMedia", json!({ "features": theme })).await;
    }

    async fn shrink(&self) {
        let screen = json!({ "width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": true });
        self.devtools("Emulation.setDeviceMetricsOverride", screen).await;
    }

    /// Opens an address.
    pub(crate) async fn open(&self, address: &str) {
        self.client.goto(address).await.unwrap();
    }

    /// Opens another tab and goes there; what was the tab before.
    pub(crate) async fn open_tab(&self, address: &str) {
        let tab = self.client.new_window(true).await.unwrap();
        self.client.switch_to_window(tab.handle).await.unwrap();
        self.dress().await;
        self.open(address).await;
    }

    /// Goes to the tab with this number, from 0 in the order in which they were opened.
    pub(crate) async fn to_tab(&self, number: usize) {
        let tabs = self.client.windows().await.unwrap();
        self.client.switch_to_window(tabs[number].clone()).await.unwrap();
    }

    /// Presses what says `text`: a button, a link, the head of something that folds. The last one on the page, for
    /// what is new stands below.
    pub(crate) async fn press(&self, text: &str) {
        let said = quoted(text);
        let what = format!(
            "//*[self::button or self::a or self::summary][normalize-space(.)={said} or @aria-label={said}]"
        );
        self.act(text, &what, async |element| element.click().await).await;
    }

    /// Ticks the box that says `text`.
    pub(crate) async fn tick(&self, text: &str) {
        let what = format!("//label[normalize-space(.)={}]", quoted(text));
        self.act(text, &what, async |element| element.click().await).await;
    }

    /// Writes into the input whose label begins with `label`, in place of what is there.
    pub(crate) async fn write(&self, label: &str, words: &str) {
        let said = quoted(label);
        let what = format!(
            "//*[self::input or self::textarea][@id=//label[starts-with(normalize-space(.),{said})]/@for]"
        );
        self.act(label, &what, async |element| {
            element.clear().await?;
            element.send_keys(words).await
        })
        .await;
    }

    /// Writes into the input with this name in the page.
    pub(crate) async fn write_into(&self, id: &str, words: &str) {
        let what = format!("//*[@id={}]", quoted(id));
        self.act(id, &what, async |element| element.send_keys(words).await).await;
    }

    /// Presses what says `text` until `shown` can be read: what had been unfolded may have been drawn anew meanwhile.
    pub(crate) async fn unfold(&self, text: &str, shown: &str) {
        let deadline = Instant::now() + PATIENCE;
        while !self.text().await.contains(shown) {
            assert!(Instant::now() < deadline, "`{text}` does not unfold `{shown}`");
            self.press(text).await;
            sleep(Duration::from_millis(100)).await;
        }
    }

    /// Presses what says `text` on the last open question.
    pub(crate) async fn answer(&self, text: &str) {
        let card = "(//article[contains(concat(' ', @class, ' '), ' open ')])[last()]";
        let what = format!("{card}//button[normalize-space(.)={}]", quoted(text));
        self.act(text, &what, async |element| element.click().await).await;
    }

    /// Presses what says `text` within the article that is headed `heading`.
    pub(crate) async fn press_in(&self, heading: &str, text: &str) {
        let (heading, said) = (quoted(heading), quoted(text));
        let what = format!(
            "//article[.//*[self::h2 or self::h3][normalize-space(.)={heading}]]//button[normalize-space(.)={said}]"
        );
        self.act(text, &what, async |element| element.click().await).await;
    }

    /// Writes a message and sends it, once the bot has said what it is saying: to write earlier is to interrupt it.
    pub(crate) async fn say(&self, words: &str) {
        let deadline = Instant::now() + PATIENCE;
        while self.client.find(Locator::Css("#log > .draft")).await.is_ok() {
            assert!(Instant::now() < deadline, "it goes on saying:\n{}", self.text().await);
            sleep(Duration::from_millis(50)).await;
        }
        self.write_into("text", words).await;
        let what = "//form[@id='say']//button[@aria-label='Send message']";
        self.act("Send message", what, async |element| element.click().await).await;
    }

    /// Loads the page anew.
    pub(crate) async fn reload(&self) {
        self.client.refresh().await.unwrap();
    }

    /// Keeps an eye on the messages that begin with `words`, from now on and until the page is loaded anew.
    pub(crate) async fn watch(&self, words: &str) {
        self.client.execute(WATCH, vec![words.into()]).await.unwrap();
    }

    /// How many such messages there were, one after the other: 0, then 1, is a message that came and stayed.
    pub(crate) async fn watched(&self) -> Vec<u64> {
        let counts = self.client.execute("return window.watched", Vec::new()).await.unwrap();
        serde_json::from_value(counts).unwrap()
    }

    /// The names of the messages of the conversation, from the first to the last.
    pub(crate) async fn order(&self) -> Vec<String> {
        let script = "return [...document.querySelectorAll('#log > .row')].map(row => row.id)";
        let names = self.client.execute(script, Vec::new()).await.unwrap();
        serde_json::from_value(names).unwrap()
    }

    /// The files that the bot made in this conversation, as the page gives them out, by how they begin.
    pub(crate) async fn files_of_the_bot(&self, begins: &[u8]) -> Vec<Vec<u8>> {
        let found = self.client.execute_async(FILES, Vec::new()).await.unwrap();
        let found: Vec<String> = serde_json::from_value(found).unwrap();
        let decoded = found.iter().map(|file| STANDARD.decode(file).unwrap());
        decoded.filter(|file| file.starts_with(begins)).collect()
    }

    /// How many lengths such a message had until now.
    pub(crate) async fn lengths(&self) -> u64 {
        let count = self.client.execute("return window.lengths.size", Vec::new()).await.unwrap();
        count.as_u64().unwrap()
    }

    /// What the browser itself had to complain of: errors in scripts, breaches of the content security policy.
    /// Answers with a bad status are none, for that is how forms are refused.
    pub(crate) async fn complaints(&self) -> Vec<String> {
        let said = self.client.issue_cmd(Log).await.unwrap();
        let said = said.as_array().cloned().unwrap_or_default();
        let of_scripts = said.iter().filter(|line| line["source"] != "network");
        of_scripts.map(|line| line["message"].to_string()).collect()
    }

    /// Chooses a file in the last card that asks for one.
    pub(crate) async fn choose_file(&self, file: &Path) {
        // The input itself may be drawn as something else, so it need not be visible.
        let what = "(//article//input[@type='file'])[last()]";
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Ok(element) = self.client.find(Locator::XPath(what)).await
                && element.send_keys(&file.display().to_string()).await.is_ok()
            {
                return;
            }
            assert!(Instant::now() < deadline, "no place for a file: {}", self.text().await);
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until `text` can be read on the page, and looks at it.
    pub(crate) async fn see(&self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let page = self.text().await;
            if page.contains(text) {
                drop(self.client.execute(LOOK_AT, vec![text.into()]).await);
                return;
            }
            assert!(Instant::now() < deadline, "`{text}` did not appear on:\n{page}");
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until `text` is said aloud.
    pub(crate) async fn hear_announced(&self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let script = "return document.getElementById('aloud').textContent";
            let aloud = self.client.execute(script, Vec::new()).await.unwrap();
            if aloud.as_str().is_some_and(|aloud| aloud.contains(text)) {
                return;
            }
            assert!(Instant::now() < deadline, "`{text}` is not said aloud but: {aloud}");
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Waits until `text` can be read on the page no longer.
    pub(crate) async fn leave(&self, text: &str) {
        let deadline = Instant::now() + PATIENCE;
        while self.text().await.contains(text) {
            assert!(Instant::now() < deadline, "`{text}` stays on the page");
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// What a script says about the page.
    pub(crate) async fn evaluate(&self, script: &str) -> Value {
        self.client.execute(script, Vec::new()).await.unwrap()
    }

    /// What can be read on the page now.
    pub(crate) async fn text(&self) -> String {
        let text = self.client.execute("return document.body.innerText", Vec::new()).await;
        text.ok().and_then(|text| text.as_str().map(str::to_owned)).unwrap_or_default()
    }

    /// What can be read in the conversation now, without what is only said aloud.
    pub(crate) async fn conversation(&self) -> String {
        let script = "return document.querySelector('main').innerText";
        self.client.execute(script, Vec::new()).await.unwrap().as_str().unwrap().to_owned()
    }

    /// Does something to the last visible element that `what` finds. The page changes while it is looked at, so an
    /// element that is gone meanwhile is looked for again.
    async fn act(
        &self,
        name: &str,
        what: &str,
        act: impl AsyncFn(Element) -> Result<(), CmdError>,
    ) {
        let deadline = Instant::now() + PATIENCE;
        let mut last = "it is not there".to_owned();
        loop {
            for element in self
                .client
                .find_all(Locator::XPath(what))
                .await
                .unwrap_or_default()
                .into_iter()
                .rev()
            {
                if !element.is_displayed().await.unwrap_or(false) {
                    continue;
                }
                // A person brings into view what they are about to use.
                let middle = "arguments[0].scrollIntoView({ block: 'center' })";
                let place = serde_json::to_value(&element).unwrap();
                drop(self.client.execute(middle, vec![place]).await);
                match act(element).await {
                    Ok(()) => return,
                    Err(error) => last = error.to_string(),
                }
                break;
            }
            assert!(Instant::now() < deadline, "`{name}`: {last}, on:\n{}", self.text().await);
            sleep(Duration::from_millis(50)).await;
        }
    }

    /// Keeps a picture of the page, and holds it against the rules for everybody's use.
    pub(crate) async fn show(&mut self, step: &str) {
        self.shots.1 += 1;
        let name = format!("{}-{:02}-{step}.png", self.shots.0, self.shots.1);
        // Nothing is said before the page has come to rest.
        sleep(Duration::from_millis(150)).await;
        self.keep_picture(&name).await;
        let problems = self.client.execute(RULES, Vec::new()).await.unwrap();
        assert_eq!(problems, json!([]), "{name}");
        let violations = self.violations(name.trim_end_matches(".png")).await;
        assert!(violations.is_empty(), "{name}:\n{}", violations.join("\n"));
    }

    /// The file that was downloaded last; waits until it is whole.
    pub(crate) async fn downloaded(&self, extension: &str) -> Vec<u8> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let folder = fs::read_dir(self.home.path().join("downloads")).unwrap();
            let mut files = folder.map(|file| file.unwrap().path());
            if let Some(file) =
                files.find(|file| file.extension().is_some_and(|end| end == extension))
            {
                return fs::read(file).unwrap();
            }
            assert!(Instant::now() < deadline, "nothing was downloaded");
            sleep(Duration::from_millis(50)).await;
        }
    }

    async fn devtools(&self, command: &str, parameters: Value) {
        let command = DevTools { command: command.to_owned(), parameters };
        self.client.issue_cmd(command).await.unwrap();
    }

    /// The browser's process, as it notes it in its profile while it runs: `host-1234`.
    fn process(&self) -> Option<Pid> {
        let note = fs::read_link(self.home.path().join("profile/SingletonLock")).ok()?;
        Pid::from_raw(note.to_str()?.rsplit('-').next()?.parse().ok()?)
    }

    /// Closes the browser.
    pub(crate) async fn close(self) {
        drop(self.client.clone().close().await);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended already.
        drop(self.driver.kill());
        drop(self.driver.wait());
        // A browser that was not closed, since a test failed, outlives its driver.
        if let Some(browser) = self.process() {
            kill_process(browser, Signal::KILL).ok();
        }
    }
}

/// Where pictures are kept.
fn screenshots() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/screenshots")
}

/// Brings the last place where something is said into view.
const LOOK_AT: &str = "
const words = JSON.stringify(arguments[0]);
const said = document.evaluate('//body//*[text()[contains(., ' + words + ')]][not(contains(@class, \\'sr\\'))]', document, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
for (let n = said.snapshotLength - 1; n >= 0; n--) {
    if (said.snapshotItem(n).checkVisibility()) { said.snapshotItem(n).scrollIntoView({ block: 'center' }); break; }
}
";

/// What every page must keep to, whoever uses it and with what.
const RULES: &str = r"
const problems = [];
const say = (what, element) => problems.push(what + ': ' + element.outerHTML.slice(0, 120));
if (document.querySelectorAll('h1').length !== 1) problems.push('not exactly one h1');
if (!document.documentElement.lang) problems.push('no language');
if (!document.title) problems.push('no title');
const ids = new Set();
for (const element of document.querySelectorAll('[id]')) {
    if (ids.has(element.id)) say('id twice', element);
    ids.add(element.id);
}
for (const input of document.querySelectorAll('input:not([type=hidden]), select, textarea')) {
    const named = (input.labels && [...input.labels].some(label => label.textContent.trim()))
        || input.getAttribute('aria-label') || input.getAttribute('aria-labelledby');
    if (!named) say('no label', input);
}
for (const button of document.querySelectorAll('button:not([hidden]), summary, a[href]')) {
    if (!button.textContent.trim() && !button.getAttribute('aria-label')) say('no name', button);
}
for (const image of document.querySelectorAll('img')) {
    if (!image.hasAttribute('alt')) say('no alternative text', image);
}
for (const about of document.querySelectorAll('[aria-describedby], [aria-labelledby]')) {
    for (const name of ['aria-describedby', 'aria-labelledby']) {
        for (const id of (about.getAttribute(name) || '').split(/\s+/).filter(Boolean)) {
            if (!document.getElementById(id)) say('points at nothing', about);
        }
    }
}
if (document.documentElement.scrollWidth > window.innerWidth + 1) {
    problems.push('wider than the screen: ' + document.documentElement.scrollWidth);
}
return problems;
";

/// What axe-core finds on the page: the rule, and where it is broken.
const AXE: &str = "
const done = arguments[arguments.length - 1];
const told = violation => violation.nodes.map(node =>
    violation.id + ' (' + violation.impact + '): ' + node.html.slice(0, 160) + ' | ' + node.failureSummary.replace(/\\s+/g, ' '));
axe.run(document, { resultTypes: ['violations'] })
    .then(result => done(result.violations.flatMap(told)), error => done([String(error)]));
";

/// Counts and measures the messages that begin with some words, whenever the conversation changes.
const WATCH: &str = "
const words = arguments[0];
window.watched = [];
window.lengths = new Set();
const look = () => {
    const rows = [...document.querySelectorAll('#log > .row')].filter(row => row.innerText.includes(words));
    for (const row of rows) window.lengths.add(row.querySelector('.md').innerText.length);
    if (window.watched.at(-1) !== rows.length) window.watched.push(rows.length);
};
look();
new MutationObserver(look).observe(document.getElementById('log'), { childList: true, subtree: true, characterData: true });
";

/// Fetches each picture and document that the bot made, once, as Base64.
const FILES: &str = "
const done = arguments[arguments.length - 1];
const of = name => [...document.querySelectorAll(`#log [${name}*=\"/made/\"]`)].map(element => element[name]);
const fetched = [...new Set([...of('src'), ...of('href')])].map(async url => {
    const bytes = new Uint8Array(await (await fetch(url)).arrayBuffer());
    return btoa(Array.from(bytes, byte => String.fromCharCode(byte)).join(''));
});
Promise.all(fetched).then(done);
";

/// What stands in the browser's console since it was last asked.
#[derive(Debug)]
struct Log;

impl WebDriverCompatibleCommand for Log {
    fn endpoint(
        &self,
        base: &Url,
        session: Option<&str>,
    ) -> Result<Url, <Url as std::str::FromStr>::Err> {
        base.join(&format!("session/{}/se/log", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(json!({ "type": "browser" }).to_string()))
    }
}

/// A command of Chromium's own protocol, for what the standard one cannot say.
#[derive(Debug)]
struct DevTools {
    command: String,
    parameters: Value,
}

impl WebDriverCompatibleCommand for DevTools {
    fn endpoint(
        &self,
        base: &Url,
        session: Option<&str>,
    ) -> Result<Url, <Url as std::str::FromStr>::Err> {
        base.join(&format!("session/{}/goog/cdp/execute", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        let body = json!({ "cmd": self.command, "params": self.parameters });
        (Method::POST, Some(body.to_string()))
    }
}

/// Text as `XPath` takes it.
fn quoted(text: &str) -> String {
    assert!(!text.contains('"'), "{text}");
    format!("\"{text}\"")
}

/// A program on the path.
fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// A driver and its port. It takes the same one for both versions of IP, and ends where the second is in use.
fn driver(program: &Path) -> (Child, u16) {
    for _ in 0..10 {
        let mut driver = Command::new(program)
            .arg("--port=0")
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        if let Some(port) = port_of(&mut driver) {
            return (driver, port);
        }
        driver.wait().unwrap();
    }
    panic!("chromedriver did not start");
}

/// The port that the driver has taken; it says so when it is ready.
fn port_of(driver: &mut Child) -> Option<u16> {
    let lines = BufReader::new(driver.stdout.take()?).lines();
    lines.map_while(Result::ok).find_map(|line| {
        let (_, port) = line.split_once("successfully on port ")?;
        port.trim_end_matches('.').parse().ok()
    })
}
