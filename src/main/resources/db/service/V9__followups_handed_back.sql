-- The caller's name for a follow-up, by which it knows the one that waits, or was handed back. What
-- became a part of the prompt is in execution -1 until the first one takes it.
ALTER TABLE follow_ups ADD COLUMN request_key TEXT;

-- Whether a stop came before any agent saw the prompt: it is not what the run is about any more.
ALTER TABLE runs ADD COLUMN prompt_dropped INTEGER NOT NULL DEFAULT 0;
