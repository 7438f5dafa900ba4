-- What ranks two names of which there are many, so that not every combination of them is summed up, and usage per hour without a
-- name, which is few lines though it may be most requests. Both are written with the sums of their days.

-- Of a session, run or turn: the most that one agent, or one parent agent, costs there. No combination with it costs more. Of an end
-- user or session token: what requests without an agent, or without a parent agent, cost.
CREATE TABLE usage_day_rank (
  day timestamptz NOT NULL,
  organization_id text NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  agent_cost double precision NOT NULL,
  parent_cost double precision NOT NULL
);
CREATE INDEX usage_day_rank_day ON usage_day_rank (day);
CREATE INDEX usage_day_rank_name ON usage_day_rank (kind, name) INCLUDE (organization_id, day, agent_cost, parent_cost);

-- Names are '' where there is none, and '*' where there is one.
CREATE TABLE usage_hour_unnamed (
  LIKE usage_day INCLUDING DEFAULTS,
  session_id text NOT NULL,
  agent_id text NOT NULL,
  end_user_id text NOT NULL,
  session_token_id text NOT NULL,
  parent_agent_id text NOT NULL,
  run_id text NOT NULL,
  turn_id text NOT NULL
);
ALTER TABLE usage_hour_unnamed RENAME day TO hour;
CREATE INDEX usage_hour_unnamed_hour ON usage_hour_unnamed (organization_id, hour);

CREATE VIEW usage_detail_unnamed AS
SELECT hour, organization_id, project_id, model_id, provider_id, requests, input_uncached, input_cache_read, input_cache_write_5m,
  input_cache_write_1h, input_audio, output_text, output_reasoning, output_audio, web_searches, input_image, output_image,
  customer_cost, provider_cost,
  CASE session_id WHEN '' THEN '' ELSE '*' END AS session_id, CASE agent_id WHEN '' THEN '' ELSE '*' END AS agent_id,
  CASE end_user_id WHEN '' THEN '' ELSE '*' END AS end_user_id,
  CASE session_token_id WHEN '' THEN '' ELSE '*' END AS session_token_id,
  CASE parent_agent_id WHEN '' THEN '' ELSE '*' END AS parent_agent_id, CASE run_id WHEN '' THEN '' ELSE '*' END AS run_id,
  CASE turn_id WHEN '' THEN '' ELSE '*' END AS turn_id
FROM usage_detail;

-- They find the lines of the combinations that cost most.
CREATE INDEX usage_day_agent_session ON usage_day_agent (session_id) WHERE session_id <> '';
CREATE INDEX usage_day_agent_user ON usage_day_agent (end_user_id) WHERE end_user_id <> '';
CREATE INDEX usage_day_agent_token ON usage_day_agent (session_token_id) WHERE session_token_id <> '';
CREATE INDEX usage_day_agent_parent ON usage_day_agent (parent_agent_id) WHERE parent_agent_id <> '';
CREATE INDEX usage_detail_agent ON usage_detail (agent_id) WHERE agent_id <> '';
CREATE INDEX usage_detail_parent ON usage_detail (parent_agent_id) WHERE parent_agent_id <> '';
CREATE INDEX usage_detail_token ON usage_detail (session_token_id) WHERE session_token_id <> '';
DROP INDEX usage_day_tag_parent_parent;
CREATE INDEX usage_day_tag_parent_parent ON usage_day_tag_parent (parent_agent_id)
  INCLUDE (organization_id, day, requests, ranked_cost);

-- Days are summed up again in the background; reports read hours until then.
INSERT INTO usage_open SELECT DISTINCT day FROM usage_day ON CONFLICT DO NOTHING;
