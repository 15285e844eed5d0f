-- Whether the message became a part of the prompt, and so is one still when the run is claimed anew.
ALTER TABLE follow_ups ADD COLUMN in_prompt INTEGER NOT NULL DEFAULT 0;
UPDATE follow_ups SET in_prompt = 1 WHERE execution = -1;
