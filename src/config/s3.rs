//! The bucket that files are kept in.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Deserialize;

use super::secret::Secret;

/// A bucket of an S3-compatible service, as written. Without it, files are in the database.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct S3 {
    /// The bucket's name.
    pub bucket: String,
    /// The region that requests are signed for.
    #[serde(default)]
    pub region: Option<String>,
    /// Where the service is, without the bucket: `https://minio.example.org`; by default Amazon S3 in that region.
    #[serde(default)]
    pub endpoint: Option<String>,
    /// Takes an endpoint without encryption that is on another machine.
    #[serde(default)]
    pub allow_http: bool,
    /// Whether the bucket is named in the path of addresses, and not in their host; by default where there is an endpoint.
    #[serde(default)]
    pub path_style: Option<bool>,
    /// What the names of all objects begin with.
    #[serde(default)]
    pub prefix: Option<String>,
    /// Variable with the id of the access key.
    #[serde(default)]
    pub access_key_id_env: Option<String>,
    /// File with that id.
    #[serde(default)]
    pub access_key_id_file: Option<PathBuf>,
    /// Variable with the secret access key.
    #[serde(default)]
    pub secret_access_key_env: Option<String>,
    /// File with that key.
    #[serde(default)]
    pub secret_access_key_file: Option<PathBuf>,
}

/// A bucket as the program uses it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bucket {
    /// Its name.
    pub name: String,
    /// The region that requests are signed for.
    pub region: String,
    /// Its own address, to which names of objects are added; without a slash at the end.
    pub url: String,
    /// What the names of all objects begin with, without slashes at its ends; may be empty.
    pub prefix: String,
    /// How it is opened; `None` if nobody has looked up the secrets, or they are not set.
    pub access: Option<BucketAccess>,
}

/// An access key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BucketAccess {
    /// Its id.
    pub key_id: Secret,
    /// What requests are signed with.
    pub secret_key: Secret,
}
