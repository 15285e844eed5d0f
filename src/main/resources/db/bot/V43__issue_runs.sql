-- Which conversation has, or is about to get, the run that works on an issue.
CREATE TABLE issue_claims (
  issue        TEXT NOT NULL PRIMARY KEY,
  conversation TEXT NOT NULL,
  delivery     TEXT NOT NULL
);
CREATE INDEX issue_claims_conversation ON issue_claims (conversation);

-- Conversations that take part in the run of another one. The request is the semantic key of a delivery that waits
-- until somebody chooses; NULL once that is done.
CREATE TABLE guest_conversations (
  conversation TEXT NOT NULL PRIMARY KEY,
  run          TEXT NOT NULL,
  request      TEXT
);
CREATE INDEX guest_conversations_run ON guest_conversations (run);
