-- Whose an artifact is, by its uid.
CREATE TABLE artifact_uids (
  uid TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id)
);

-- What came with the prompt of a run: images, in Base64 as they were sent.
CREATE TABLE attachments (
  id TEXT PRIMARY KEY,
  run_id TEXT NOT NULL REFERENCES runs (id),
  number INTEGER NOT NULL,
  name TEXT NOT NULL,
  mime_type TEXT NOT NULL,
  data TEXT NOT NULL
);

CREATE INDEX attachments_of_run ON attachments (run_id, number);
