-- Whose turn a row is, so that waiting rows are processed in turns by person.
-- urgency: 0 before all others, 1 ordinary, 2 after the others; rows of an older version have none.
ALTER TABLE inbox ADD COLUMN person TEXT;
ALTER TABLE inbox ADD COLUMN urgency INTEGER;
ALTER TABLE outbox ADD COLUMN person TEXT;
ALTER TABLE outbox ADD COLUMN urgency INTEGER;
