-- Since runs and turns have sums per day, reports look up the lines per hour of only a few of them, for which indexes a sixth as
-- large are enough, and likewise of end users.
DROP INDEX usage_detail_run, usage_detail_turn;
CREATE INDEX usage_detail_run ON usage_detail (run_id) WHERE run_id <> '';
CREATE INDEX usage_detail_turn ON usage_detail (turn_id) WHERE turn_id <> '';
CREATE INDEX usage_detail_user ON usage_detail (end_user_id) WHERE end_user_id <> '';
