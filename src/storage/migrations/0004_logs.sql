-- The request log, by month of start; payloads, by month of expiry; and usage per hour and day, which outlives log rows.

CREATE TABLE request_log (
  request_id text NOT NULL,
  organization_id text NOT NULL,
  project_id text NOT NULL,
  key_id text NOT NULL,
  started_at timestamptz NOT NULL,
  endpoint text NOT NULL,
  format text NOT NULL,
  stream boolean NOT NULL,
  requested_model text NOT NULL,
  model_id text,
  provider_id text,
  external_id text,
  finish_reason text NOT NULL,
  status integer NOT NULL,
  error_code text,
  error_message text,
  cached boolean NOT NULL,
  estimated boolean NOT NULL,
  input_uncached bigint NOT NULL,
  input_cache_read bigint NOT NULL,
  input_cache_write_5m bigint NOT NULL,
  input_cache_write_1h bigint NOT NULL,
  input_audio bigint NOT NULL,
  output_text bigint NOT NULL,
  output_reasoning bigint NOT NULL,
  output_audio bigint NOT NULL,
  web_searches bigint NOT NULL,
  customer_cost numeric(38, 0) NOT NULL,
  provider_cost numeric(38, 0) NOT NULL,
  price_version text,
  attempts jsonb NOT NULL,
  first_event_ms double precision,
  duration_ms double precision NOT NULL,
  client_request_id text,
  user_agent text,
  session_id text,
  agent_id text,
  upstream_id text,
  closed_at timestamptz NOT NULL,
  session_token_id text,
  member_id text,
  -- The name under which an application knows its end user.
  end_user_id text,
  -- Whether the organization's own provider key was used.
  credential text CHECK (credential IN ('own', 'gateway')),
  input_image bigint NOT NULL DEFAULT 0,
  output_image bigint NOT NULL DEFAULT 0,
  -- What is counted by the unit, such as images by size.
  units jsonb,
  -- How the bill was calculated where it is not simply usage by price: its parts, each with its model, its price version and
  -- the factors of its tokens (the type LogPart).
  modifiers jsonb,
  -- A row is stored once: a request has the same start wherever it is written.
  CONSTRAINT request_log_pkey PRIMARY KEY (request_id, started_at),
  CONSTRAINT request_log_finish_reason_check CHECK (finish_reason IN
    ('completed', 'length', 'tool_calls', 'content_filter', 'canceled', 'client_error', 'upstream_error', 'gateway_error'))
) PARTITION BY RANGE (started_at);
-- Takes the rows of months that have no partition.
CREATE TABLE request_log_default PARTITION OF request_log DEFAULT;

-- Each index costs every settlement, so what few rows have is indexed only there. Members and session tokens are the last
-- columns of the organization's index: a filter by them reads no other row.
CREATE INDEX request_log_organization ON request_log (
  organization_id, started_at DESC, request_id DESC, member_id, session_token_id);
CREATE INDEX request_log_project ON request_log (project_id, started_at DESC, request_id DESC);
CREATE INDEX request_log_key ON request_log (key_id, started_at DESC, request_id DESC);
CREATE INDEX request_log_started_at ON request_log (started_at DESC, request_id DESC);
CREATE INDEX request_log_model ON request_log (organization_id, model_id, started_at DESC, request_id DESC);
CREATE INDEX request_log_alias ON request_log (organization_id, requested_model, started_at DESC, request_id DESC)
  WHERE requested_model IS DISTINCT FROM model_id;
CREATE INDEX request_log_finish ON request_log (organization_id, finish_reason, started_at DESC, request_id DESC)
  WHERE finish_reason NOT IN ('completed', 'tool_calls');
CREATE INDEX request_log_session ON request_log (session_id, started_at DESC, request_id DESC) WHERE session_id IS NOT NULL;
CREATE INDEX request_log_closed_at ON request_log USING brin (closed_at) WITH (pages_per_range = 16, autosummarize = on);

-- Requests and answers in full, of projects that keep them; each until its own day.
CREATE TABLE request_payload (
  request_id text NOT NULL,
  organization_id text NOT NULL,
  project_id text NOT NULL,
  expires_at timestamptz NOT NULL,
  -- zstd, so PostgreSQL does not compress it again. `_bytes` is the length before; `_cut`: a longer text was cut.
  request bytea NOT NULL,
  request_bytes bigint NOT NULL,
  request_cut boolean NOT NULL,
  answer bytea NOT NULL,
  answer_bytes bigint NOT NULL,
  answer_cut boolean NOT NULL,
  answer_status integer NOT NULL,
  answer_type text NOT NULL,
  CONSTRAINT request_payload_pkey PRIMARY KEY (request_id, expires_at)
) PARTITION BY RANGE (expires_at);
ALTER TABLE request_payload ALTER COLUMN request SET STORAGE EXTERNAL, ALTER COLUMN answer SET STORAGE EXTERNAL;
CREATE INDEX request_payload_project ON request_payload (project_id);
CREATE INDEX request_payload_expires_at ON request_payload (expires_at);
CREATE TABLE request_payload_default PARTITION OF request_payload DEFAULT;

CREATE FUNCTION log_month(p_moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT date_trunc('month', p_moment AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
$$;

-- Creates the partition of a month unless it exists; returns whether it did. Rows of that month in the default partition move
-- there. ATTACH instead of PARTITION OF: readers and writers of the other partitions do not wait.
CREATE FUNCTION log_partition_make(p_parent text, p_column text, p_month timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_from timestamptz := log_month(p_month);
  v_to timestamptz := log_month(v_from + interval '32 days');
  v_name text := p_parent || to_char(v_from AT TIME ZONE 'UTC', '_YYYY_MM');
  v_strays boolean;
BEGIN
  IF to_regclass(v_name) IS NOT NULL THEN
    RETURN false;
  END IF;
  EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)', v_name, p_parent);
  EXECUTE format('LOCK TABLE %I IN ACCESS EXCLUSIVE MODE', p_parent || '_default');
  EXECUTE format('SELECT EXISTS (SELECT FROM %I WHERE %I >= $1 AND %I < $2)', p_parent || '_default', p_column, p_column)
  INTO v_strays USING v_from, v_to;
  IF v_strays THEN
    EXECUTE format(
      'WITH moved AS (DELETE FROM %I WHERE %I >= $1 AND %I < $2 RETURNING *) INSERT INTO %I SELECT * FROM moved',
      p_parent || '_default', p_column, p_column, v_name) USING v_from, v_to;
  END IF;
  EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', p_parent, v_name, v_from, v_to);
  RETURN true;
END $$;

-- The monthly partitions of a table, oldest first.
CREATE FUNCTION log_partitions(p_parent text) RETURNS TABLE (name text, starts_at timestamptz, ends_at timestamptz, bytes bigint)
LANGUAGE sql STABLE AS $$
  SELECT p.relname::text, b.starts_at, log_month(b.starts_at + interval '32 days'), pg_total_relation_size(p.oid)
  FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhrelid
  CROSS JOIN LATERAL (
    SELECT (to_date(right(p.relname::text, 7), 'YYYY_MM'))::timestamp AT TIME ZONE 'UTC' AS starts_at
  ) AS b
  WHERE i.inhparent = p_parent::regclass AND p.relname::text ~ '_\d{4}_\d\d$' ORDER BY b.starts_at;
$$;

-- This month and the two after it; the gateway creates those that follow in time.
SELECT log_partition_make(t.name, t.column_name, log_month(now()) + n * interval '32 days')
FROM (VALUES ('request_log', 'started_at'), ('request_payload', 'expires_at')) AS t (name, column_name), generate_series(0, 2) AS n;

-- How far the maintenance of the log has come; one row.
CREATE TABLE log_state (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  -- Rows that started before this moment are dropped; only usage per day is left of them.
  retention_cutoff timestamptz NOT NULL,
  -- A row that started before this moment and is written now is late: it marks its hour in `usage_late`.
  closed_through timestamptz NOT NULL,
  -- The hours before this moment are in `usage_hour`.
  counted_through timestamptz NOT NULL,
  CHECK (retention_cutoff <= counted_through AND counted_through <= closed_through)
);
INSERT INTO log_state VALUES (true, '-infinity', '-infinity', '-infinity');

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

CREATE FUNCTION usage_hour_changed() RETURNS trigger LANGUAGE plpgsql AS $$
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
