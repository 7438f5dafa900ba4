-- What open answers have cost so far, for the process that closes them: in the row of their own process, one update for all of
-- them. Versions before wrote it to `hold.progress`, which replays of a journal still do.

-- `{request id: {c: customer, p: provider, row: the members of the log row that have changed since the hold}}`.
ALTER TABLE owner ADD COLUMN delivered text;
-- It is written up to ten times a second: compressing it would cost more than its bytes do.
ALTER TABLE owner ALTER COLUMN delivered SET STORAGE EXTERNAL;
