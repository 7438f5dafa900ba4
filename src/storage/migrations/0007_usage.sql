-- Sums of the request log, which outlive its rows: per hour and per day, and with the names that requests report. The functions
-- that write them follow in 0019.

-- Sums of log rows per hour. A model or provider that is not known is ''. Before `retention_cutoff`, the sums of a whole day are
-- at its first hour.
CREATE TABLE usage_hour (
  hour timestamptz NOT NULL,
  organization_id text NOT NULL,
  project_id text NOT NULL,
  key_id text NOT NULL,
  model_id text NOT NULL,
  provider_id text NOT NULL,
  finish_reason text NOT NULL,
  requests bigint NOT NULL,
  input_uncached bigint NOT NULL,
  input_cache_read bigint NOT NULL,
  input_cache_write_5m bigint NOT NULL,
  input_cache_write_1h bigint NOT NULL,
  input_audio bigint NOT NULL,
  output_text bigint NOT NULL,
  output_reasoning bigint NOT NULL,
  output_audio bigint NOT NULL,
  web_searches bigint NOT NULL,
  input_image bigint NOT NULL,
  output_image bigint NOT NULL,
  customer_cost numeric(38, 0) NOT NULL,
  provider_cost numeric(38, 0) NOT NULL,
  PRIMARY KEY (organization_id, hour, project_id, key_id, model_id, provider_id, finish_reason)
);
CREATE INDEX usage_hour_hour ON usage_hour (hour);

-- Counted hours that are out of date. No unique key: writers of log rows that mark the same hour would wait for each other.
CREATE TABLE usage_late (hour timestamptz NOT NULL);
CREATE INDEX usage_late_hour ON usage_late (hour);

-- Sums of `usage_hour` per day, without key and finish reason, for reports over months.
CREATE TABLE usage_day (
  day timestamptz NOT NULL,
  organization_id text NOT NULL,
  project_id text NOT NULL,
  model_id text NOT NULL,
  provider_id text NOT NULL,
  requests bigint NOT NULL,
  input_uncached bigint NOT NULL,
  input_cache_read bigint NOT NULL,
  input_cache_write_5m bigint NOT NULL,
  input_cache_write_1h bigint NOT NULL,
  input_audio bigint NOT NULL,
  output_text bigint NOT NULL,
  output_reasoning bigint NOT NULL,
  output_audio bigint NOT NULL,
  web_searches bigint NOT NULL,
  input_image bigint NOT NULL,
  output_image bigint NOT NULL,
  customer_cost numeric(38, 0) NOT NULL,
  provider_cost numeric(38, 0) NOT NULL,
  PRIMARY KEY (organization_id, day, project_id, model_id, provider_id)
);
CREATE INDEX usage_day_day ON usage_day (day);

-- Days that are missing or out of date in `usage_day`: any change of an hour adds its day.
CREATE TABLE usage_open (day timestamptz PRIMARY KEY);

CREATE OR REPLACE FUNCTION usage_hour_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO usage_open SELECT DISTINCT usage_day_of(hour) FROM changed ON CONFLICT DO NOTHING;
  RETURN NULL;
END $$;
CREATE TRIGGER usage_hour_inserted AFTER INSERT ON usage_hour
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION usage_hour_changed();
CREATE TRIGGER usage_hour_updated AFTER UPDATE ON usage_hour
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION usage_hour_changed();
CREATE TRIGGER usage_hour_deleted AFTER DELETE ON usage_hour
  REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION usage_hour_changed();

-- Sums of log rows per hour by the names that requests report: beside `usage_hour`, and dropped with the rows. What is not known
-- is ''.
CREATE TABLE usage_detail (
  hour timestamptz NOT NULL,
  organization_id text NOT NULL,
  project_id text NOT NULL,
  key_id text NOT NULL,
  model_id text NOT NULL,
  provider_id text NOT NULL,
  finish_reason text NOT NULL,
  member_id text NOT NULL,
  client_name text NOT NULL,
  session_id text NOT NULL,
  agent_id text NOT NULL,
  end_user_id text NOT NULL,
  requests bigint NOT NULL,
  input_uncached bigint NOT NULL,
  input_cache_read bigint NOT NULL,
  input_cache_write_5m bigint NOT NULL,
  input_cache_write_1h bigint NOT NULL,
  input_audio bigint NOT NULL,
  output_text bigint NOT NULL,
  output_reasoning bigint NOT NULL,
  output_audio bigint NOT NULL,
  web_searches bigint NOT NULL,
  input_image bigint NOT NULL,
  output_image bigint NOT NULL,
  customer_cost numeric(38, 0) NOT NULL,
  provider_cost numeric(38, 0) NOT NULL,
  first_at timestamptz NOT NULL,
  last_at timestamptz NOT NULL
);
-- Written in the background, so indexes cost no request.
CREATE INDEX usage_detail_hour ON usage_detail (hour);
CREATE INDEX usage_detail_organization ON usage_detail (organization_id, hour);
CREATE INDEX usage_detail_session ON usage_detail (session_id) WHERE session_id <> '';

-- Sums of `usage_detail` per day, for reports over many sessions: by the names that are few, and by session and end user. Days that
-- are missing or out of date are in `usage_open`, as those of `usage_day`.
CREATE TABLE usage_day_client (
  day timestamptz NOT NULL,
  organization_id text NOT NULL,
  project_id text NOT NULL,
  key_id text NOT NULL,
  model_id text NOT NULL,
  provider_id text NOT NULL,
  finish_reason text NOT NULL,
  member_id text NOT NULL,
  client_name text NOT NULL,
  requests bigint NOT NULL,
  input_uncached bigint NOT NULL,
  input_cache_read bigint NOT NULL,
  input_cache_write_5m bigint NOT NULL,
  input_cache_write_1h bigint NOT NULL,
  input_audio bigint NOT NULL,
  output_text bigint NOT NULL,
  output_reasoning bigint NOT NULL,
  output_audio bigint NOT NULL,
  web_searches bigint NOT NULL,
  input_image bigint NOT NULL,
  output_image bigint NOT NULL,
  customer_cost numeric(38, 0) NOT NULL,
  provider_cost numeric(38, 0) NOT NULL
);
CREATE INDEX usage_day_client_day ON usage_day_client (organization_id, day);

CREATE TABLE usage_day_session (
  day timestamptz NOT NULL,
  organization_id text NOT NULL,
  project_id text NOT NULL,
  key_id text NOT NULL,
  model_id text NOT NULL,
  provider_id text NOT NULL,
  member_id text NOT NULL,
  client_name text NOT NULL,
  session_id text NOT NULL,
  end_user_id text NOT NULL,
  requests bigint NOT NULL,
  input_uncached bigint NOT NULL,
  input_cache_read bigint NOT NULL,
  input_cache_write_5m bigint NOT NULL,
  input_cache_write_1h bigint NOT NULL,
  input_audio bigint NOT NULL,
  output_text bigint NOT NULL,
  output_reasoning bigint NOT NULL,
  output_audio bigint NOT NULL,
  web_searches bigint NOT NULL,
  input_image bigint NOT NULL,
  output_image bigint NOT NULL,
  customer_cost numeric(38, 0) NOT NULL,
  provider_cost numeric(38, 0) NOT NULL
);
CREATE INDEX usage_day_session_day ON usage_day_session (organization_id, day);
