//! `[s3]`: the bucket that files are kept in.

use reqwest::Url;

use super::Resolve;
use crate::config::{
    llm,
    s3::{Bucket, BucketAccess, S3},
    secret::Secret,
};

/// Where nobody says otherwise; services without regions take it, too.
const USUAL_REGION: &str = "us-east-1";

/// How long a bucket's name may be.
const NAME: std::ops::RangeInclusive<usize> = 3..=63;

/// Longest prefix: a name of an object may have 1,024 bytes.
const PREFIX_MAX: usize = 200;

impl Resolve<'_> {
    /// `has_database` where `[postgres]` is there, too.
    pub(super) fn s3(&mut self, written: &S3, has_database: bool) -> Bucket {
        if !has_database {
            let hint =
                "set up `[postgres]`, or leave `[s3]` out: files are in the data directory then";
            let message = "files can only be in a bucket if conversations are in PostgreSQL";
            self.tell("/s3", message, Some(hint.to_owned()));
        }
        if !is_bucket(&written.bucket) {
            let hint = "use 3 to 63 lowercase letters, digits, dots and hyphens, without the address of the service";
            let message = format!("`{}` is not the name of a bucket", written.bucket);
            self.tell("/s3/bucket", message, Some(hint.to_owned()));
        }
        let region = written.region.as_deref().unwrap_or(USUAL_REGION);
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
        if region.is_empty() || !region.chars().all(is_part) {
            let hint = Some("for example, `eu-central-1`".to_owned());
            self.tell("/s3/region", format!("`{region}` is not a region"), hint);
        }
        let written_id = (&written.access_key_id_env, &written.access_key_id_file);
        let keys = ("access_key_id_env", "access_key_id_file");
        let missing = "the id of the access key is missing";
        let key_id = self.needed("/s3", keys, written_id, missing);
        let written_key = (&written.secret_access_key_env, &written.secret_access_key_file);
        let keys = ("secret_access_key_env", "secret_access_key_file");
        let secret_key = self.needed("/s3", keys, written_key, "the secret access key is missing");
        let sendable = |key: &Secret| key.expose().bytes().all(|byte| byte.is_ascii_graphic());
        if [&key_id, &secret_key].into_iter().flatten().any(|key| !sendable(key)) {
            self.tell("/s3", "the access key contains invalid characters", None);
        }
        let access = key_id.zip(secret_key);
        Bucket {
            name: written.bucket.clone(),
            region: region.to_owned(),
            url: self.bucket_url(written, region),
            prefix: self.prefix(written.prefix.as_deref().unwrap_or_default()),
            access: access.map(|(key_id, secret_key)| BucketAccess { key_id, secret_key }),
        }
    }

    /// The bucket's own address.
    fn bucket_url(&mut self, written: &S3, region: &str) -> String {
        let bucket = &written.bucket;
        // A certificate for `*.s3.….amazonaws.com` is none for names with a dot.
        let usual = written.endpoint.is_some() || bucket.contains('.');
        let is_in_path = written.path_style.unwrap_or(usual);
        let Some(endpoint) = &written.endpoint else {
            return if is_in_path {
                format!("https://s3.{region}.amazonaws.com/{bucket}")
            } else {
                format!("https://{bucket}.s3.{region}.amazonaws.com")
            };
        };
        let endpoint = endpoint.trim_end_matches('/');
        if !self.endpoint_url(endpoint, written.allow_http) || is_in_path {
            return format!("{endpoint}/{bucket}");
        }
        if let Some(url) = within_host(endpoint, bucket) {
            return url;
        }
        let hint = "leave `path_style` out, or use an endpoint with a host name";
        let message = format!("`{endpoint}` has no host name that a bucket could be put before");
        self.tell("/s3/path_style", message, Some(hint.to_owned()));
        String::new()
    }

    fn endpoint_url(&mut self, endpoint: &str, allow_http: bool) -> bool {
        let at = "/s3/endpoint";
        let has_query = Url::parse(endpoint).is_ok_and(|url| url.query().is_some());
        let (message, hint) = if llm::holds_secret(endpoint) {
            (
                "the address contains a key".to_owned(),
                "use `access_key_id_env` and `secret_access_key_env` instead",
            )
        } else if llm::is_bare(endpoint) && !allow_http {
            (
                format!("`{endpoint}` would be sent files over an unencrypted connection"),
                "use `https://`; on a private network you can set `allow_http = true`, as files are sealed before they are sent",
            )
        } else if has_query || !(llm::is_service_address(endpoint) || llm::is_bare(endpoint)) {
            (
                format!("`{endpoint}` can't be used as the address of an S3-compatible service"),
                "use an address like `https://minio.example.org` or `http://127.0.0.1:9000`, without the bucket",
            )
        } else {
            return true;
        };
        self.tell(at, message, Some(hint.to_owned()));
        false
    }

    fn prefix(&mut self, written: &str) -> String {
        let prefix = written.trim_matches('/');
        let is_part = |part: &str| {
            let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            !part.is_empty() && part != "." && part != ".." && part.chars().all(fits)
        };
        if prefix.len() > PREFIX_MAX || !(prefix.is_empty() || prefix.split('/').all(is_part)) {
            let hint = "use letters, digits, hyphens, underscores and dots, with slashes between, for example `bots/anteroom`";
            self.tell(
                "/s3/prefix",
                format!("`{written}` can't be used as a prefix"),
                Some(hint.to_owned()),
            );
        }
        prefix.to_owned()
    }
}

fn is_bucket(name: &str) -> bool {
    let is_end = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    let bytes = name.as_bytes();
    NAME.contains(&bytes.len())
        && bytes.iter().all(|byte| is_end(*byte) || matches!(byte, b'.' | b'-'))
        && [bytes.first(), bytes.last()].into_iter().flatten().all(|byte| is_end(*byte))
        && !name.contains("..")
}

/// `https://example.org` with a bucket as `https://bucket.example.org`.
fn within_host(endpoint: &str, bucket: &str) -> Option<String> {
    let mut url = Url::parse(endpoint).ok()?;
    let host = url.domain()?.to_owned();
    url.set_host(Some(&format!("{bucket}.{host}"))).ok()?;
    Some(url.as_str().trim_end_matches('/').to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_put_before_a_host_name_alone() {
        let within = |endpoint| within_host(endpoint, "files");
        assert_eq!(
            within("https://s3.example.org:9000").as_deref(),
            Some("https://files.s3.example.org:9000")
        );
        assert_eq!(
            within("https://example.org/s3").as_deref(),
            Some("https://files.example.org/s3")
        );
        assert_eq!(within("http://127.0.0.1:9000"), None);
    }

    #[test]
    fn names_of_buckets_follow_the_rules_of_s3() {
        for name in ["abc", "anteroom-files", "files.example.org", "0-0"] {
            assert!(is_bucket(name), "{name}");
        }
        for name in
            ["", "ab", "Files", "-files", "files.", "a..b", "a/b", "s3://files", &"a".repeat(64)]
        {
            assert!(!is_bucket(name), "{name}");
        }
    }
}
