-- Runs that their conversation had before its current one: a second run in a thread sets the first aside.
CREATE TABLE bindings_aside (
  run          TEXT NOT NULL PRIMARY KEY,
  conversation TEXT NOT NULL,
  active       INTEGER NOT NULL,
  since        BIGINT NOT NULL,
  status_post  TEXT,
  version      BIGINT NOT NULL,
  body         TEXT NOT NULL
);
CREATE INDEX bindings_aside_active ON bindings_aside (active) WHERE active = 1;
CREATE INDEX bindings_aside_since ON bindings_aside (since);

-- What was decided about a delivery, in a few words, for those who ask why.
ALTER TABLE inbox ADD COLUMN note TEXT;

-- Defaults that people set, by the place where they hold.
CREATE TABLE preferences (
  place  TEXT NOT NULL,
  name   TEXT NOT NULL,
  value  TEXT NOT NULL,
  set_by TEXT NOT NULL,
  set_at BIGINT NOT NULL,
  PRIMARY KEY (place, name)
);
