-- How a run stood before a follow-up to it was first tried, as JSON: to settle a lost answer by.
ALTER TABLE inbox ADD COLUMN seen TEXT;
