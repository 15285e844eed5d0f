-- The audit log. A row's hash covers the hash of the row before it and its facts. The facts have a salted digest of
-- what is personal, so that the chain still verifies when the personal part and its salt are deleted. actor and run
-- repeat what is personal, to find it.
CREATE TABLE audit (
  seq      BIGINT NOT NULL PRIMARY KEY,
  at       BIGINT NOT NULL,
  facts    TEXT NOT NULL,
  personal TEXT,
  salt     TEXT,
  actor    TEXT,
  run      TEXT,
  hash     TEXT NOT NULL
);
CREATE INDEX audit_at ON audit (at);
CREATE INDEX audit_actor ON audit (actor) WHERE actor IS NOT NULL;
CREATE INDEX audit_run ON audit (run) WHERE run IS NOT NULL;

-- Both ends of the chain: the last row that was deleted for its age, and the newest row. One row, which every writer
-- locks.
CREATE TABLE audit_ends (
  id         INTEGER NOT NULL PRIMARY KEY,
  first_seq  BIGINT NOT NULL,
  first_hash TEXT NOT NULL,
  last_seq   BIGINT NOT NULL,
  last_hash  TEXT NOT NULL
);
INSERT INTO audit_ends (id, first_seq, first_hash, last_seq, last_hash) VALUES (1, 0, '', 0, '');

-- Keyed hashes of the settings at the last start, to see which have changed; the row without a name is their key.
CREATE TABLE settings_seen (
  name TEXT NOT NULL PRIMARY KEY,
  hash TEXT NOT NULL
);
