-- What the model took for a run, as JSON: tokens, and dollars where they are known.

ALTER TABLE runs ADD COLUMN request_usage TEXT;
