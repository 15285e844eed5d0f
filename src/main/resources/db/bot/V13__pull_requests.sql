-- The pull requests that runs opened: what is said there is said to the run.
CREATE TABLE pull_requests (
  address TEXT NOT NULL PRIMARY KEY,
  run     TEXT NOT NULL
);

-- Who waits for a run's next end besides its own thread, or instead of it.
CREATE TABLE askers (
  run          TEXT NOT NULL,
  conversation TEXT NOT NULL,
  body         TEXT NOT NULL,
  PRIMARY KEY (run, conversation)
);
