-- Starts that wait until somebody approves them, and those that were decided.
CREATE TABLE approvals (
  delivery     TEXT NOT NULL PRIMARY KEY,
  id           TEXT NOT NULL,
  conversation TEXT NOT NULL,
  person       TEXT NOT NULL,
  rule         TEXT NOT NULL,
  body         TEXT NOT NULL,
  asked_at     BIGINT NOT NULL,
  expires_at   BIGINT NOT NULL,
  state        TEXT NOT NULL,
  decider      TEXT,
  decided_by   TEXT,
  decided_at   BIGINT
);
CREATE INDEX approvals_waiting ON approvals (conversation) WHERE state = 'WAITING';

-- The starts of runs, for budgets and usage: who, where, with what, and what they came to.
CREATE TABLE starts (
  delivery    TEXT NOT NULL PRIMARY KEY,
  person      TEXT NOT NULL,
  place       TEXT NOT NULL,
  environment TEXT NOT NULL,
  at          BIGINT NOT NULL,
  run         TEXT,
  seconds     BIGINT NOT NULL,
  micros      BIGINT NOT NULL
);
CREATE INDEX starts_at ON starts (at);
CREATE INDEX starts_person ON starts (person, at);
CREATE INDEX starts_run ON starts (run) WHERE run IS NOT NULL;

-- Whether starts are frozen, and whoever decides about starts takes turns by this row.
CREATE TABLE start_freeze (
  name      TEXT NOT NULL PRIMARY KEY,
  turn      BIGINT NOT NULL,
  since     BIGINT,
  freezer   TEXT,
  frozen_by TEXT,
  reason    TEXT
);
INSERT INTO start_freeze (name, turn) VALUES ('starts', 0);
