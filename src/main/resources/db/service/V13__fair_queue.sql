-- When a run of a person last got its first slot: people who wait longer go first.
CREATE INDEX runs_served ON runs (creator_uid, started_at);
