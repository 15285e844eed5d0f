-- Times are microseconds since 1970. JSON stays text: only what lists filter by has a column of its own.

CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  title TEXT NOT NULL,
  prompt TEXT NOT NULL,
  source TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  queued_at BIGINT NOT NULL,
  started_at BIGINT,
  execution INTEGER NOT NULL DEFAULT 0,
  execution_started_at BIGINT,
  worked BIGINT NOT NULL DEFAULT 0,
  cancel_asked INTEGER NOT NULL DEFAULT 0,
  pid BIGINT,
  pid_started_at BIGINT,
  status_message TEXT,
  error_code TEXT,
  retryable INTEGER,
  config TEXT,
  config_name TEXT,
  model_id TEXT,
  environment_id TEXT,
  skill_spec TEXT,
  metadata TEXT,
  artifacts TEXT,
  conversation_id TEXT,
  parent_run_id TEXT,
  session_id TEXT,
  agent_session TEXT
);

CREATE INDEX runs_updated ON runs (updated_at, id);
CREATE INDEX runs_created ON runs (created_at, id);
CREATE INDEX runs_waiting ON runs (state, queued_at);

CREATE TABLE run_metadata (
  run_id TEXT NOT NULL REFERENCES runs (id),
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  PRIMARY KEY (run_id, name)
);

CREATE INDEX run_metadata_value ON run_metadata (name, value);

-- A follow-up waits while it has no execution; 0 means a cancel dropped it.
CREATE TABLE follow_ups (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  message TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  execution INTEGER
);

CREATE INDEX follow_ups_waiting ON follow_ups (run_id, execution, created_at);

CREATE TABLE transcript_lines (
  run_id TEXT NOT NULL REFERENCES runs (id),
  number BIGINT NOT NULL,
  execution INTEGER NOT NULL,
  kind TEXT NOT NULL,
  said_at BIGINT NOT NULL,
  text TEXT NOT NULL,
  PRIMARY KEY (run_id, number)
);

-- What was answered to a request with an Idempotency-Key.
CREATE TABLE answers (
  scope TEXT NOT NULL,
  name TEXT NOT NULL,
  answer TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (scope, name)
);
