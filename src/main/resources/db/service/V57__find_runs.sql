-- A list of runs in some states, newest first: a page of it is found without the other runs.
CREATE INDEX runs_state_created ON runs (state, created_at, id);

-- Runs are found by their channel or repository, which runs that started earlier do not name: the
-- conversation without the thread or the number of the issue.
INSERT INTO run_metadata (run_id, name, value)
SELECT run_id, 'runnel.place',
  CASE
    WHEN instr(thread, '#') > 1 THEN head || substr(thread, 1, instr(thread, '#') - 1)
    WHEN instr(thread, '#') = 0 AND instr(thread, '!') > 1
      THEN head || substr(thread, 1, instr(thread, '!') - 1)
    WHEN head <> '' THEN rtrim(head, '/')
    ELSE substr(thread, 1, instr(thread, ':') - 1)
  END
FROM (
  SELECT run_id, head, substr(value, length(head) + 1) AS thread
  FROM (
    SELECT run_id, value, rtrim(value, replace(value, '/', '')) AS head
    FROM run_metadata AS conversations
    WHERE name = 'runnel.conversation' AND instr(value, ':') > 1 AND NOT EXISTS (
      SELECT 1 FROM run_metadata AS known
      WHERE known.run_id = conversations.run_id AND known.name = 'runnel.place')
  ) AS heads
) AS parts;
