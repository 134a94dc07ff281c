-- What notes of no session are about, as a digest: one kind is read without the others. None in rows of older versions.
alter table note add column family bytea;
