-- The hash of the body that was answered; none for what was answered before this version.
ALTER TABLE answers ADD COLUMN request TEXT;

-- When a run last came to an end; none while it is active, or waits for an answer.
ALTER TABLE runs ADD COLUMN finished_at BIGINT;
UPDATE runs SET finished_at = updated_at
  WHERE state IN ('SUCCEEDED', 'FAILED', 'ERROR', 'CANCELLED');

-- The execution that an event belongs to; none before the first.
ALTER TABLE run_events ADD COLUMN execution INTEGER;

-- The run at the top of a run's tree; itself where nothing is above it.
ALTER TABLE runs ADD COLUMN root_run_id TEXT;
WITH RECURSIVE tree (id, root) AS (
  SELECT id, id FROM runs WHERE parent_run_id IS NULL
  UNION ALL SELECT runs.id, tree.root FROM runs JOIN tree ON runs.parent_run_id = tree.id
) UPDATE runs SET root_run_id = (SELECT root FROM tree WHERE tree.id = runs.id);
CREATE INDEX runs_root ON runs (root_run_id, state);

-- What a run's configuration came to where it says nothing, as JSON.
ALTER TABLE runs ADD COLUMN resolved TEXT;
