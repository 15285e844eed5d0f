-- What became of pull requests, as their platform last reported it; at is in microseconds.
CREATE TABLE pull_request_states (
  address TEXT   NOT NULL PRIMARY KEY,
  state   TEXT   NOT NULL,
  at      BIGINT NOT NULL
);
