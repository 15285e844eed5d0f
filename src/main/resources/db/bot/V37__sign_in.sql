-- Who a session is of, if the person signed in with an account elsewhere: id, name, and the names that rules use.
ALTER TABLE console_sessions ADD COLUMN person TEXT;
ALTER TABLE console_sessions ADD COLUMN name TEXT;
ALTER TABLE console_sessions ADD COLUMN names TEXT;
CREATE INDEX console_sessions_person ON console_sessions (person, expires_at) WHERE person IS NOT NULL;

-- Visitors who were sent to a provider and may come back. The hash is that of the state.
CREATE TABLE console_attempts (
  hash       TEXT NOT NULL PRIMARY KEY,
  expires_at BIGINT NOT NULL,
  provider   TEXT NOT NULL,
  browser    TEXT NOT NULL,
  nonce      TEXT NOT NULL,
  verifier   TEXT NOT NULL,
  path       TEXT NOT NULL
);

-- Links that show one run to whoever has them.
CREATE TABLE console_shares (
  hash       TEXT NOT NULL PRIMARY KEY,
  expires_at BIGINT NOT NULL,
  run        TEXT NOT NULL
);
