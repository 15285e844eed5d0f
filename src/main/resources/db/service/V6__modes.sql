-- How the agent goes about the next execution: normal, plan, orchestrate.
ALTER TABLE runs ADD COLUMN mode TEXT NOT NULL DEFAULT 'normal';
-- The queue is one a depth.
CREATE INDEX runs_queue ON runs (state, depth, queued_at);
