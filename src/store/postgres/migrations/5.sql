-- Which conversations of a platform were updated last. The platform is a number. All null in rows of older versions, until
-- somebody asks: the times are in the sealed head.
alter table session
    add column platform smallint,
    add column is_active boolean,
    add column updated_at bigint,
    -- The hour of that: what lists are ordered by.
    add column updated_hour bigint;
create index session_updated on session (platform, is_active, updated_hour, id) where updated_hour is not null and not is_child;
create index session_undated on session (id) where updated_hour is null;
