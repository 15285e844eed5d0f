-- The surfaces whose platform does not accept our credential, and why: their work waits.
CREATE TABLE holds (
  surface TEXT NOT NULL PRIMARY KEY,
  why     TEXT NOT NULL,
  since   BIGINT NOT NULL
);

-- What a row waits for: the id of a surface. When that answers again, the row is due at once.
ALTER TABLE inbox ADD COLUMN waits_for TEXT;
CREATE INDEX inbox_waits_for ON inbox (waits_for) WHERE state = 0 AND waits_for IS NOT NULL;

ALTER TABLE outbox ADD COLUMN waits_for TEXT;
CREATE INDEX outbox_waits_for ON outbox (waits_for) WHERE state = 0 AND waits_for IS NOT NULL;

-- The stops of a conversation, for requests that arrive after a stop and were made before it.
CREATE INDEX inbox_stops ON inbox (conversation, seq) WHERE overtakes = 1;
