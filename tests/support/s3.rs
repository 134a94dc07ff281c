//! S3-compatible services that others wrote: `s3rver`, which knows one key, and `moto`, which checks signatures
//! and permissions.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::atomic::{AtomicU32, Ordering},
};

use anteroom::config::{
    Secret,
    s3::{Bucket, BucketAccess},
};

use super::{free_port::free_port, npm, skipped};

/// The package with `moto`, in a virtual environment of its own.
const MOTO: &str =
    "python3 -m venv target/moto && target/moto/bin/pip install 'moto[server]==5.2.5'";

/// The one key that `s3rver` takes: its id and its secret are the same.
pub(crate) const KEY: &str = "S3RVER";

/// What the bucket is called.
pub(crate) const BUCKET: &str = "files";

/// What names of objects begin with.
pub(crate) const PREFIX: &str = "bots/anteroom";

/// Ends a service when its input does, which is when it is dropped, or the test binary ends.
const SCRIPT: &str = r#"
"$@" 2>&1 &
service=$!
cat >/dev/null
kill "$service"
wait "$service" || true
"#;

/// Gives a user of `moto` the permissions that are asked for, and prints the key.
const USER: &str = r#"
import sys, boto3
endpoint, bucket, policy = sys.argv[1:]
def client(name):
    return boto3.client(name, endpoint_url=endpoint, region_name="us-east-1",
                        aws_access_key_id="setup", aws_secret_access_key="setup")
client("s3").create_bucket(Bucket=bucket)
iam = client("iam")
iam.create_user(UserName="bot")
iam.put_user_policy(UserName="bot", PolicyName="files", PolicyDocument=policy)
key = iam.create_access_key(UserName="bot")["AccessKey"]
print(key["AccessKeyId"], key["SecretAccessKey"], end="")
"#;

/// So many calls does that make, which nobody checks.
const CALLS: &str = "4";

/// Which service.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    S3rver,
    Moto,
}

/// A running service with an empty bucket.
#[derive(Debug)]
pub(crate) struct Service {
    keeper: Child,
    /// Where it is, without the bucket.
    pub(crate) endpoint: String,
    dir: PathBuf,
    /// A key that may do what a bot needs.
    access: BucketAccess,
}

impl Service {
    /// Starts it; none, with a note, where it is not installed.
    pub(crate) fn start(kind: Kind) -> Option<Self> {
        static STARTED: AtomicU32 = AtomicU32::new(0);
        let nth = STARTED.fetch_add(1, Ordering::Relaxed);
        let dir = std::env::temp_dir().join(format!("anteroom-s3-{}-{nth}", std::process::id()));
        let port = free_port();
        let Some(command) = command(kind, port, &dir) else {
            let (missing, remedy) = match kind {
                Kind::S3rver => ("s3rver", format!("Node 20 or newer, then {}", npm::INSTALL)),
                Kind::Moto => ("moto", MOTO.to_owned()),
            };
            assert!(std::env::var_os("CI").is_none(), "{missing} is not installed: {remedy}");
            skipped::skip(missing, &remedy);
            return None;
        };
        fs::create_dir_all(&dir).unwrap();
        let mut keeper = Command::new("sh")
            .args(["-c", SCRIPT, "service"])
            .args(&command)
            .env("INITIAL_NO_AUTH_ACTION_COUNT", CALLS)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let endpoint = format!("http://127.0.0.1:{port}");
        let mut said = BufReader::new(keeper.stdout.take().unwrap());
        let mut line = String::new();
        while !line.contains(&format!("127.0.0.1:{port}")) {
            line.clear();
            assert_ne!(said.read_line(&mut line).unwrap(), 0, "{command:?} did not begin");
        }
        // What it says of requests must go somewhere.
        std::thread::spawn(move || drop(said.read_to_end(&mut Vec::new())));
        let access = access(KEY);
        let mut service = Self { keeper, endpoint, dir, access };
        if kind == Kind::Moto {
            service.access = service.user();
        }
        Some(service)
    }

    /// A key with the permissions that the documentation asks for, and a bucket.
    fn user(&self) -> BucketAccess {
        let documented = include_str!("../../docs/s3.md").split_once("```json\n").unwrap().1;
        let policy = documented.split_once("```").unwrap().0.replace("anteroom-files", BUCKET);
        // Where several objects are removed, `moto` looks what may be done with the bucket, and not with each of them.
        let list = "\"s3:ListBucket\"";
        assert!(policy.contains(list), "{policy}");
        let policy = policy.replace(list, "[\"s3:ListBucket\", \"s3:DeleteObject\"]");
        let python = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/moto/bin/python");
        let mut command = Command::new(python);
        let output = command.args(["-c", USER, &self.endpoint, BUCKET, &policy]).output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap();
        let (id, key) = printed.split_once(' ').unwrap_or_else(|| {
            panic!("no user was made: {}", String::from_utf8_lossy(&output.stderr))
        });
        BucketAccess { key_id: Secret::new(id), secret_key: Secret::new(key) }
    }

    /// The bucket as settings have it.
    pub(crate) fn settings(&self) -> Bucket {
        Bucket {
            name: BUCKET.to_owned(),
            region: "us-east-1".to_owned(),
            url: format!("{}/{BUCKET}", self.endpoint),
            prefix: PREFIX.to_owned(),
            access: Some(self.access.clone()),
        }
    }

    /// What `s3rver` has in an object.
    pub(crate) fn content(&self, name: &str) -> Vec<u8> {
        fs::read(self.dir.join(BUCKET).join(format!("{name}._S3rver_object"))).unwrap()
    }

    /// Names of the objects that `s3rver` has.
    pub(crate) fn objects(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut folders = vec![self.dir.join(BUCKET)];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
                let name = entry.path().strip_prefix(self.dir.join(BUCKET)).unwrap().to_owned();
                let name = name.to_str().unwrap();
                if entry.path().is_dir() {
                    folders.push(entry.path());
                } else if let Some(name) = name.strip_suffix("._S3rver_object") {
                    names.push(name.to_owned());
                }
            }
        }
        names.sort();
        names
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        drop(self.keeper.wait());
        drop(fs::remove_dir_all(&self.dir));
    }
}

/// The key with this id.
pub(crate) fn access(id: &str) -> BucketAccess {
    BucketAccess { key_id: Secret::new(id), secret_key: Secret::new(KEY) }
}

fn command(kind: Kind, port: u16, dir: &Path) -> Option<Vec<String>> {
    let port = port.to_string();
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    match kind {
        Kind::S3rver => {
            let script = text(&npm::file("s3rver/bin/s3rver.js")?);
            // It encrypts where a listing goes on with a cipher that OpenSSL 3 takes for outdated.
            let program = [text(&npm::node()?), "--openssl-legacy-provider".to_owned(), script];
            let at = words(&["--address", "127.0.0.1", "--port", &port, "--directory"]);
            let bucket = words(&["--configure-bucket", BUCKET]);
            Some([&program[..], &at, &[text(dir)], &bucket].concat())
        }
        Kind::Moto => {
            let root = Path::new(env!("CARGO_MANIFEST_DIR"));
            let program = root.join("target/moto/bin/moto_server");
            let at = words(&["-H", "127.0.0.1", "-p", &port]);
            program.is_file().then(|| [&[text(&program)][..], &at].concat())
        }
    }
}
