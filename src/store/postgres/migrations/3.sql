-- Where the node that holds the lease is reached over HTTP, by part: `{"web": "10.0.0.5:4747"}`.
alter table store add column addresses text;
