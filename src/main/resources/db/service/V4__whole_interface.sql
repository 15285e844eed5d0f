-- What a run was asked for besides what V1 keeps: JSON, with what this version does not know.
ALTER TABLE runs ADD COLUMN request TEXT;
-- As JSON: who created it, and as whom it works.
ALTER TABLE runs ADD COLUMN creator TEXT;
ALTER TABLE runs ADD COLUMN creator_uid TEXT;
ALTER TABLE runs ADD COLUMN executor TEXT;
ALTER TABLE runs ADD COLUMN executor_uid TEXT;
ALTER TABLE runs ADD COLUMN factory_uid TEXT;
ALTER TABLE runs ADD COLUMN schedule_id TEXT;
ALTER TABLE runs ADD COLUMN schedule TEXT;
ALTER TABLE runs ADD COLUMN trigger_url TEXT;
-- 0 for a run that nobody's agent started, 1 for a child of it, and so on.
ALTER TABLE runs ADD COLUMN depth INTEGER NOT NULL DEFAULT 0;

CREATE INDEX runs_parent ON runs (parent_run_id);
CREATE INDEX runs_conversation ON runs (conversation_id);
CREATE INDEX runs_state ON runs (state, updated_at, id);
CREATE INDEX runs_name ON runs (config_name, updated_at, id);
CREATE INDEX runs_session ON runs (session_id);
CREATE INDEX runs_title ON runs (title, id);

CREATE TABLE run_events (
  uid TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  type TEXT NOT NULL,
  occurred_at BIGINT NOT NULL,
  payload TEXT
);

CREATE INDEX run_events_of_run ON run_events (run_id, occurred_at);

-- Keys besides the main one, which is in the data folder. Only hashes are kept.
CREATE TABLE api_keys (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  hash TEXT NOT NULL UNIQUE,
  scope TEXT NOT NULL,
  run_id TEXT REFERENCES runs (id),
  created_at BIGINT NOT NULL,
  revoked_at BIGINT
);

CREATE TABLE identities (
  uid TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  body TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL
);

CREATE TABLE schedules (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  cron TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  body TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  last_ran BIGINT,
  next_run BIGINT,
  last_error TEXT
);

CREATE INDEX schedules_due ON schedules (enabled, next_run);
