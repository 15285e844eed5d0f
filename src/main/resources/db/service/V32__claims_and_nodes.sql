-- The name of an execution from its claim to its end: whoever does not know it changes nothing.
ALTER TABLE runs ADD COLUMN claim TEXT;
-- Whether the agent of this execution may have been started.
ALTER TABLE runs ADD COLUMN begun INTEGER NOT NULL DEFAULT 0;
-- How many claims in a row came to nothing before the agent was started.
ALTER TABLE runs ADD COLUMN lost_claims INTEGER NOT NULL DEFAULT 0;
-- Where the workspace of the last execution is: one node's folder, or one that nodes share.
ALTER TABLE runs ADD COLUMN place TEXT;
CREATE UNIQUE INDEX runs_claim ON runs (claim);

-- The processes that share this database, while they do. A lease that is not renewed ends.
CREATE TABLE nodes (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  host TEXT NOT NULL,
  place TEXT NOT NULL,
  slots INTEGER NOT NULL,
  joined_at BIGINT NOT NULL,
  seen_at BIGINT NOT NULL,
  expires_at BIGINT NOT NULL,
  ended INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX nodes_place ON nodes (place, seen_at);

-- Executions whose processes may live on a node, until that node knows that they have ended.
CREATE TABLE claims (
  token TEXT PRIMARY KEY,
  node TEXT NOT NULL,
  node_name TEXT NOT NULL,
  run_id TEXT NOT NULL,
  execution INTEGER NOT NULL,
  pid BIGINT,
  pid_started_at BIGINT,
  claimed_at BIGINT NOT NULL
);
CREATE INDEX claims_of_node ON claims (node_name);
CREATE INDEX claims_of_run ON claims (run_id);

-- What all nodes must know, such as the key that signs addresses.
CREATE TABLE shared_secrets (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
);

-- The version before started agents without a record of it.
UPDATE runs SET claim = id || ' ' || execution, begun = 1 WHERE state = 'INPROGRESS';
INSERT INTO claims (token, node, node_name, run_id, execution, pid, pid_started_at, claimed_at)
  SELECT claim, '', '', id, execution, pid, pid_started_at, updated_at FROM runs
  WHERE state = 'INPROGRESS';
