-- Schedules that people made in conversations. The time is NULL while one is paused.
CREATE TABLE schedules (
  id           TEXT NOT NULL PRIMARY KEY,
  conversation TEXT NOT NULL,
  body         TEXT NOT NULL,
  next_at      BIGINT
);
CREATE INDEX schedules_due ON schedules (next_at) WHERE next_at IS NOT NULL;
