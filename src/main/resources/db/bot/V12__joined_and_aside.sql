-- Messages that are said to a run together: the first one carries the words of all.
ALTER TABLE inbox ADD COLUMN part_of TEXT;
CREATE INDEX inbox_parts ON inbox (part_of) WHERE part_of IS NOT NULL;

-- Signs and reminders: they hold up nothing, and nothing holds them up.
ALTER TABLE outbox ADD COLUMN aside INTEGER NOT NULL DEFAULT 0;
