-- Sums by every name that a request reports: lines per hour have all of them, and several tables per hour and per day those that
-- are asked for together.

-- Their lines have fewer names, so all of it is counted again, a day at a time; reports read rows until then.
UPDATE log_state SET detailed_from = GREATEST(detailed_from, counted_through);
TRUNCATE usage_detail, usage_day_client, usage_day_session;

-- `ranked_cost` orders lines: numbers of this type are added in half the time, and are exact up to 9,000 USD.
ALTER TABLE usage_detail
  ADD COLUMN session_token_id text NOT NULL DEFAULT '',
  ADD COLUMN client_version text NOT NULL DEFAULT '',
  ADD COLUMN parent_agent_id text NOT NULL DEFAULT '',
  ADD COLUMN run_id text NOT NULL DEFAULT '',
  ADD COLUMN turn_id text NOT NULL DEFAULT '',
  ADD COLUMN miss_reason text NOT NULL DEFAULT '',
  ADD COLUMN tags jsonb NOT NULL DEFAULT '{}',
  ADD COLUMN ranked_cost double precision GENERATED ALWAYS AS (customer_cost::double precision) STORED;

-- Names of which there are few, and these with tags.
ALTER TABLE usage_day_client
  ADD COLUMN client_version text NOT NULL DEFAULT '',
  ADD COLUMN miss_reason text NOT NULL DEFAULT '',
  ADD COLUMN ranked_cost double precision GENERATED ALWAYS AS (customer_cost::double precision) STORED;
CREATE TABLE usage_day_tag (
  LIKE usage_day_client INCLUDING DEFAULTS INCLUDING GENERATED,
  tags jsonb NOT NULL DEFAULT '{}'
);
CREATE TABLE usage_hour_client (LIKE usage_day_client INCLUDING DEFAULTS INCLUDING GENERATED);
CREATE TABLE usage_hour_tag (LIKE usage_day_tag INCLUDING DEFAULTS INCLUDING GENERATED);
ALTER TABLE usage_hour_client RENAME day TO hour;
ALTER TABLE usage_hour_tag RENAME day TO hour;

-- Names of which there are many.
ALTER TABLE usage_day_session
  ADD COLUMN session_token_id text NOT NULL DEFAULT '',
  ADD COLUMN client_version text NOT NULL DEFAULT '',
  ADD COLUMN ranked_cost double precision GENERATED ALWAYS AS (customer_cost::double precision) STORED;
CREATE TABLE usage_day_agent (
  LIKE usage_day_session INCLUDING DEFAULTS INCLUDING GENERATED,
  agent_id text NOT NULL DEFAULT '',
  parent_agent_id text NOT NULL DEFAULT ''
);

CREATE INDEX usage_day_tag_day ON usage_day_tag (organization_id, day);
CREATE INDEX usage_day_agent_day ON usage_day_agent (organization_id, day);
CREATE INDEX usage_hour_client_hour ON usage_hour_client (hour);
CREATE INDEX usage_hour_client_organization ON usage_hour_client (organization_id, hour);
CREATE INDEX usage_hour_tag_hour ON usage_hour_tag (hour);
CREATE INDEX usage_hour_tag_organization ON usage_hour_tag (organization_id, hour);
-- They rank a hundred thousand names in their order, so nothing is sorted, and find the lines of those that cost most.
CREATE INDEX usage_day_session_session ON usage_day_session (session_id)
  INCLUDE (organization_id, day, requests, ranked_cost);
CREATE INDEX usage_day_session_user ON usage_day_session (end_user_id)
  INCLUDE (organization_id, day, requests, ranked_cost);
CREATE INDEX usage_day_session_token ON usage_day_session (session_token_id)
  INCLUDE (organization_id, day, requests, ranked_cost);
CREATE INDEX usage_day_agent_agent ON usage_day_agent (agent_id)
  INCLUDE (organization_id, day, requests, ranked_cost);
-- A run or turn is over within hours, so its lines per hour are those per day.
CREATE INDEX usage_detail_run ON usage_detail (run_id) INCLUDE (organization_id, hour, requests, ranked_cost);
CREATE INDEX usage_detail_turn ON usage_detail (turn_id) INCLUDE (organization_id, hour, requests, ranked_cost);
