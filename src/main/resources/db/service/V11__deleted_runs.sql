-- A run that is deleted leaves the text index, too.
CREATE TRIGGER run_texts_delete AFTER DELETE ON runs BEGIN
  INSERT INTO run_texts (run_texts, rowid, title, prompt, skill_spec)
  VALUES ('delete', old.rowid, old.title, old.prompt, old.skill_spec);
END;
