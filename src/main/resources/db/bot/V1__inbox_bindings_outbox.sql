-- Runs on SQLite and on PostgreSQL. Times are epoch microseconds; bodies are JSON.
-- state: 0 waits, 1 done, 2 parked.

CREATE TABLE inbox (
  id           TEXT NOT NULL PRIMARY KEY,
  meaning      TEXT NOT NULL UNIQUE,
  conversation TEXT NOT NULL,
  seq          BIGINT NOT NULL,
  overtakes    INTEGER NOT NULL,
  body         TEXT NOT NULL,
  state        INTEGER NOT NULL DEFAULT 0,
  tries        INTEGER NOT NULL DEFAULT 0,
  due_at       BIGINT NOT NULL,
  ended_at     BIGINT,
  why          TEXT
);
CREATE INDEX inbox_waiting ON inbox (conversation, seq) WHERE state = 0;
CREATE INDEX inbox_ended ON inbox (ended_at) WHERE state = 1;
CREATE INDEX inbox_parked ON inbox (ended_at) WHERE state = 2;

CREATE TABLE bindings (
  conversation TEXT NOT NULL PRIMARY KEY,
  run          TEXT NOT NULL,
  active       INTEGER NOT NULL,
  since        BIGINT NOT NULL,
  status_post  TEXT,
  version      BIGINT NOT NULL,
  body         TEXT NOT NULL
);
CREATE INDEX bindings_run ON bindings (run);
CREATE INDEX bindings_active ON bindings (active) WHERE active = 1;
CREATE INDEX bindings_since ON bindings (since);

CREATE TABLE outbox (
  id           TEXT NOT NULL PRIMARY KEY,
  conversation TEXT NOT NULL,
  seq          BIGINT NOT NULL,
  status_of    TEXT,
  body         TEXT NOT NULL,
  state        INTEGER NOT NULL DEFAULT 0,
  tries        INTEGER NOT NULL DEFAULT 0,
  due_at       BIGINT NOT NULL,
  ended_at     BIGINT,
  post         TEXT,
  why          TEXT
);
CREATE INDEX outbox_waiting ON outbox (conversation, seq) WHERE state = 0;
CREATE INDEX outbox_ended ON outbox (ended_at) WHERE state = 1;
CREATE INDEX outbox_parked ON outbox (ended_at) WHERE state = 2;

-- The table of db-scheduler, as its documentation gives it.
CREATE TABLE scheduled_tasks (
  task_name            TEXT NOT NULL,
  task_instance        TEXT NOT NULL,
  task_data            BYTEA,
  execution_time       TIMESTAMP WITH TIME ZONE NOT NULL,
  picked               BOOLEAN NOT NULL,
  picked_by            TEXT,
  last_success         TIMESTAMP WITH TIME ZONE,
  last_failure         TIMESTAMP WITH TIME ZONE,
  consecutive_failures INTEGER,
  last_heartbeat       TIMESTAMP WITH TIME ZONE,
  version              BIGINT NOT NULL,
  priority             SMALLINT,
  PRIMARY KEY (task_name, task_instance)
);
CREATE INDEX scheduled_tasks_execution_time ON scheduled_tasks (execution_time);
CREATE INDEX scheduled_tasks_last_heartbeat ON scheduled_tasks (last_heartbeat);
