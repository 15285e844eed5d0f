-- The execution whose agent was given the message while it worked. If the message still waits, nobody
-- has seen whether that agent read it.
ALTER TABLE follow_ups ADD COLUMN offered INTEGER;

-- Whether the agent of the current execution takes messages while it works.
ALTER TABLE runs ADD COLUMN takes_messages INTEGER NOT NULL DEFAULT 0;

-- Whether somebody asked to end the current execution, so that the next one begins with what waits.
ALTER TABLE runs ADD COLUMN interrupt_asked INTEGER NOT NULL DEFAULT 0;
