-- The pull requests whose branch their run pushed: what is said there is said to the run. It takes
-- the place of pull_requests, which also has those that a run only mentioned.
CREATE TABLE pushed_pull_requests (
  address TEXT NOT NULL PRIMARY KEY,
  run     TEXT NOT NULL
);
