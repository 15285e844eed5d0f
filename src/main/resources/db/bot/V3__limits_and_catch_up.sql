-- A platform asked for a pause: until when, and the first turn nobody has taken yet.
CREATE TABLE limits (
  name       TEXT NOT NULL PRIMARY KEY,
  held_until BIGINT NOT NULL,
  next_turn  BIGINT NOT NULL
);

CREATE TABLE turns (
  name   TEXT NOT NULL,
  holder TEXT NOT NULL,
  at     BIGINT NOT NULL,
  PRIMARY KEY (name, holder)
);

-- Up to when a surface was asked what nobody delivered.
CREATE TABLE catch_ups (
  surface TEXT NOT NULL PRIMARY KEY,
  through BIGINT NOT NULL
);

CREATE INDEX outbox_status ON outbox (status_of, seq) WHERE status_of IS NOT NULL;
