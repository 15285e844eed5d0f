-- Whether the tool failed whose output the line is; none for other lines, and for those of earlier versions.
ALTER TABLE transcript_lines ADD COLUMN failed INTEGER;
