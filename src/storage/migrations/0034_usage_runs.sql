-- Sums per day by agent alone, and by run and turn, without the names of sessions: what has no such name is then few lines, and
-- a run or a turn of many hours, models and agents is a few.

CREATE TABLE usage_day_agent_name (
  LIKE usage_day_client INCLUDING DEFAULTS INCLUDING GENERATED,
  agent_id text NOT NULL DEFAULT '',
  parent_agent_id text NOT NULL DEFAULT ''
);
ALTER TABLE usage_day_agent_name DROP COLUMN finish_reason, DROP COLUMN miss_reason;
CREATE TABLE usage_day_run (
  LIKE usage_day_client INCLUDING DEFAULTS INCLUDING GENERATED,
  run_id text NOT NULL DEFAULT '',
  turn_id text NOT NULL DEFAULT ''
);
ALTER TABLE usage_day_run DROP COLUMN finish_reason, DROP COLUMN miss_reason;

CREATE INDEX usage_day_agent_name_day ON usage_day_agent_name (organization_id, day);
CREATE INDEX usage_day_agent_name_agent ON usage_day_agent_name (agent_id) INCLUDE (organization_id, day, requests, ranked_cost);
CREATE INDEX usage_day_run_day ON usage_day_run (organization_id, day);
CREATE INDEX usage_day_run_run ON usage_day_run (run_id) INCLUDE (organization_id, day, requests, ranked_cost);
CREATE INDEX usage_day_run_turn ON usage_day_run (turn_id) INCLUDE (organization_id, day, requests, ranked_cost);

-- Their days are summed up again in the background; reports read hours until then.
INSERT INTO usage_open SELECT DISTINCT day FROM usage_day ON CONFLICT DO NOTHING;
