-- The log by month of start, and what outlives its rows: usage per hour. A row is found under its request and start, which
-- is the same wherever a request is written; a row that no month takes lies in the default partition.

ALTER TABLE request_log RENAME TO request_log_before;
DROP INDEX request_log_organization, request_log_project, request_log_key, request_log_started_at, request_log_closed_at;
ALTER TABLE request_log_before DROP CONSTRAINT request_log_pkey, DROP CONSTRAINT request_log_finish_reason_check;
DROP FUNCTION request_log_decode(jsonb);

CREATE TABLE request_log (
  LIKE request_log_before,
  session_token_id text,
  member_id text,
  -- The name under which an application knows its end user.
  end_user_id text,
  -- Whether a provider's key of the organization's own was used.
  credential text CHECK (credential IN ('own', 'gateway')),
  input_image bigint NOT NULL DEFAULT 0,
  output_image bigint NOT NULL DEFAULT 0,
  -- What is counted by the unit, such as images by their size.
  units jsonb,
  CONSTRAINT request_log_pkey PRIMARY KEY (request_id, started_at),
  CONSTRAINT request_log_finish_reason_check CHECK (finish_reason IN
    ('completed', 'length', 'tool_calls', 'content_filter', 'canceled', 'client_error', 'upstream_error', 'gateway_error'))
) PARTITION BY RANGE (started_at);
CREATE TABLE request_log_default PARTITION OF request_log DEFAULT;

-- Each index costs every settlement. What most rows do not have is indexed where they have it; members and session tokens
-- stand behind the order of their organization's index, and are compared without a look at the row.
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

CREATE FUNCTION log_month(p_moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT date_trunc('month', p_moment AT TIME ZONE 'UTC') AT TIME ZONE 'UTC';
$$;

-- Makes the partition of a month, where there is none; gives whether it made one. Rows of that month which the default
-- partition took meanwhile move there. ATTACH instead of PARTITION OF: it lets those who read and write go on.
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

-- The partitions of a table but its default one, oldest first.
CREATE FUNCTION log_partitions(p_parent text) RETURNS TABLE (name text, starts_at timestamptz, ends_at timestamptz, bytes bigint)
LANGUAGE sql STABLE AS $$
  SELECT p.relname::text, b.starts_at, log_month(b.starts_at + interval '32 days'), pg_total_relation_size(p.oid)
  FROM pg_inherits i JOIN pg_class p ON p.oid = i.inhrelid
  CROSS JOIN LATERAL (
    SELECT (to_date(right(p.relname::text, 7), 'YYYY_MM'))::timestamp AT TIME ZONE 'UTC' AS starts_at
  ) AS b
  WHERE i.inhparent = p_parent::regclass AND p.relname::text ~ '_\d{4}_\d\d$' ORDER BY b.starts_at;
$$;

SELECT log_partition_make('request_log', 'started_at', m)
FROM (SELECT DISTINCT log_month(started_at) AS m FROM request_log_before WHERE started_at > now() - interval '2 years'
  AND started_at < now() + interval '1 month') AS months;
SELECT log_partition_make('request_log', 'started_at', log_month(now()) + n * interval '32 days') FROM generate_series(0, 2) AS n;
INSERT INTO request_log
SELECT b.*, NULL, NULL, NULL, NULL, 0, 0, NULL FROM (SELECT * FROM request_log_before) AS b;
DROP TABLE request_log_before;

-- What the upkeep of the log has come to; one row.
CREATE TABLE log_state (
  id boolean PRIMARY KEY DEFAULT true CHECK (id),
  -- Rows that started before this moment are dropped; of them there is only usage, by day.
  horizon timestamptz NOT NULL,
  -- A row that started before this moment and is written now is late: it marks its hour.
  closed_through timestamptz NOT NULL,
  -- The usage of hours before this moment is counted.
  counted_through timestamptz NOT NULL,
  CHECK (horizon <= counted_through AND counted_through <= closed_through)
);
INSERT INTO log_state VALUES (true, '-infinity', '-infinity', '-infinity');

-- Sums of log rows. An hour is counted when it is over; what is written for it later marks it, and it is counted anew.
-- A model or a provider that is not known is ''.
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

-- Hours to count anew. No key: whoever writes a log row must not wait for another who marks the same hour.
CREATE TABLE usage_late (hour timestamptz NOT NULL);
CREATE INDEX usage_late_hour ON usage_late (hour);

CREATE FUNCTION usage_hour_of(p_moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT date_bin('1 hour', p_moment, 'epoch'::timestamptz);
$$;

CREATE FUNCTION usage_day_of(p_moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT date_bin('1 day', p_moment, 'epoch'::timestamptz);
$$;

-- The sums of rows that started within a span.
CREATE FUNCTION usage_of_rows(p_from timestamptz, p_to timestamptz) RETURNS SETOF usage_hour LANGUAGE sql STABLE AS $$
  SELECT usage_hour_of(started_at), organization_id, project_id, key_id, COALESCE(model_id, ''), COALESCE(provider_id, ''),
    finish_reason, count(*), sum(input_uncached)::bigint, sum(input_cache_read)::bigint, sum(input_cache_write_5m)::bigint,
    sum(input_cache_write_1h)::bigint, sum(input_audio)::bigint, sum(output_text)::bigint, sum(output_reasoning)::bigint,
    sum(output_audio)::bigint, sum(web_searches)::bigint, sum(input_image)::bigint, sum(output_image)::bigint,
    sum(customer_cost), sum(provider_cost)
  FROM request_log WHERE started_at >= p_from AND started_at < p_to GROUP BY 1, 2, 3, 4, 5, 6, 7;
$$;

-- Adds sums to those there are.
CREATE FUNCTION usage_add(p_usage usage_hour[]) RETURNS void LANGUAGE sql AS $$
  INSERT INTO usage_hour AS u SELECT * FROM unnest(p_usage)
  ON CONFLICT (organization_id, hour, project_id, key_id, model_id, provider_id, finish_reason) DO UPDATE SET
    requests = u.requests + excluded.requests, input_uncached = u.input_uncached + excluded.input_uncached,
    input_cache_read = u.input_cache_read + excluded.input_cache_read,
    input_cache_write_5m = u.input_cache_write_5m + excluded.input_cache_write_5m,
    input_cache_write_1h = u.input_cache_write_1h + excluded.input_cache_write_1h,
    input_audio = u.input_audio + excluded.input_audio, output_text = u.output_text + excluded.output_text,
    output_reasoning = u.output_reasoning + excluded.output_reasoning, output_audio = u.output_audio + excluded.output_audio,
    web_searches = u.web_searches + excluded.web_searches, input_image = u.input_image + excluded.input_image,
    output_image = u.output_image + excluded.output_image, customer_cost = u.customer_cost + excluded.customer_cost,
    provider_cost = u.provider_cost + excluded.provider_cost;
$$;

-- Closes the hours that ended before a moment; gives a transaction id. Once every transaction up to it has ended, no row can
-- appear in those hours without its mark: who wrote before the close is over, who writes after it sees it.
CREATE FUNCTION usage_close(p_before timestamptz) RETURNS xid8 LANGUAGE sql AS $$
  UPDATE log_state SET closed_through = usage_hour_of(p_before) WHERE closed_through < usage_hour_of(p_before);
  SELECT pg_current_xact_id();
$$;

-- Counts the next closed hours that have rows, a day at most; gives whether some are left.
CREATE FUNCTION usage_count() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_state log_state;
  v_from timestamptz;
  v_to timestamptz;
BEGIN
  SELECT * INTO v_state FROM log_state;
  SELECT usage_hour_of(min(started_at)) INTO v_from FROM request_log
  WHERE started_at >= GREATEST(v_state.counted_through, v_state.horizon);
  v_to := LEAST(v_from + interval '24 hours', v_state.closed_through);
  IF v_from IS NULL OR v_from >= v_state.closed_through THEN
    UPDATE log_state SET counted_through = closed_through WHERE counted_through < closed_through;
    RETURN false;
  END IF;
  INSERT INTO usage_hour SELECT * FROM usage_of_rows(v_from, v_to);
  UPDATE log_state SET counted_through = v_to;
  RETURN v_to < v_state.closed_through;
END $$;

-- Counts marked hours anew; gives their number. A mark comes with its row: whoever sees one sees the other.
CREATE FUNCTION usage_mend() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_hours timestamptz[];
BEGIN
  WITH taken AS (
    DELETE FROM usage_late l USING log_state s WHERE l.hour < s.counted_through RETURNING l.hour, l.hour >= s.horizon AS kept
  )
  SELECT array_agg(DISTINCT hour) FILTER (WHERE kept) INTO v_hours FROM taken;
  IF v_hours IS NULL THEN
    RETURN 0;
  END IF;
  DELETE FROM usage_hour WHERE hour = ANY (v_hours);
  INSERT INTO usage_hour
  SELECT r.* FROM unnest(v_hours) AS h (hour) CROSS JOIN LATERAL usage_of_rows(h.hour, h.hour + interval '1 hour') AS r;
  RETURN cardinality(v_hours);
END $$;

-- Drops all rows that started before a moment, which is the beginning of a month; gives whether it could: everything before
-- it must be counted. The caller bounds the wait for locks.
CREATE FUNCTION request_log_expire(p_horizon timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_name text;
  v_horizon timestamptz;
BEGIN
  IF EXISTS (SELECT FROM log_state WHERE counted_through < p_horizon OR horizon >= p_horizon) THEN
    RETURN false;
  END IF;
  FOR v_name IN SELECT name FROM log_partitions('request_log') WHERE ends_at <= p_horizon LOOP
    EXECUTE format('ALTER TABLE request_log DETACH PARTITION %I', v_name);
    EXECUTE format('DROP TABLE %I', v_name);
  END LOOP;
  -- Behind the locks of the above: nobody is writing to those months.
  LOCK TABLE request_log_default IN SHARE ROW EXCLUSIVE MODE;
  SELECT horizon INTO v_horizon FROM log_state;
  IF EXISTS (SELECT FROM usage_late WHERE hour >= v_horizon AND hour < p_horizon) THEN
    RAISE EXCEPTION 'hours of the expired months are still to be counted' USING ERRCODE = 'lock_not_available';
  END IF;
  DELETE FROM request_log_default WHERE started_at >= v_horizon AND started_at < p_horizon;
  UPDATE log_state SET horizon = p_horizon;
  RETURN true;
END $$;

-- Moves the usage of expired hours to their days, and rows that came after their month had expired into that usage.
CREATE FUNCTION usage_fold() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_horizon timestamptz;
  v_day timestamptz;
  v_hours usage_hour[];
BEGIN
  SELECT horizon INTO v_horizon FROM log_state;
  LOCK TABLE request_log_default IN SHARE ROW EXCLUSIVE MODE;
  IF EXISTS (SELECT FROM request_log_default WHERE started_at < v_horizon) THEN
    SELECT array_agg(r) INTO v_hours FROM usage_of_rows('-infinity', v_horizon) AS r;
    PERFORM usage_add(v_hours);
    DELETE FROM request_log_default WHERE started_at < v_horizon;
  END IF;
  FOR v_day IN
    SELECT DISTINCT usage_day_of(hour) FROM usage_hour WHERE hour < v_horizon AND hour <> usage_day_of(hour)
  LOOP
    WITH taken AS (DELETE FROM usage_hour WHERE hour > v_day AND hour < v_day + interval '24 hours' RETURNING *)
    SELECT array_agg(t) INTO v_hours FROM (
      SELECT v_day, organization_id, project_id, key_id, model_id, provider_id,
        finish_reason, sum(requests)::bigint, sum(input_uncached)::bigint, sum(input_cache_read)::bigint,
        sum(input_cache_write_5m)::bigint, sum(input_cache_write_1h)::bigint, sum(input_audio)::bigint,
        sum(output_text)::bigint, sum(output_reasoning)::bigint, sum(output_audio)::bigint, sum(web_searches)::bigint,
        sum(input_image)::bigint, sum(output_image)::bigint,
        sum(customer_cost), sum(provider_cost)
      FROM taken GROUP BY 1, 2, 3, 4, 5, 6, 7
    ) AS t;
    PERFORM usage_add(v_hours);
  END LOOP;
END $$;

-- Sums of counted hours per day, without key and ending: what reports of months are read from.
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

-- Days whose hours are not in `usage_day`, or are there as they were before: whatever changes an hour opens its day.
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

-- Sums up open days all of whose hours are counted, a month at most; gives whether some are left.
CREATE FUNCTION usage_sum_days() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_days timestamptz[];
BEGIN
  WITH closed AS (
    DELETE FROM usage_open WHERE day IN (
      SELECT o.day FROM usage_open o, log_state s
      WHERE o.day + interval '24 hours' <= s.counted_through ORDER BY o.day LIMIT 31)
    RETURNING day
  )
  SELECT COALESCE(array_agg(day), '{}') INTO v_days FROM closed;
  DELETE FROM usage_day WHERE day = ANY (v_days);
  INSERT INTO usage_day
  SELECT d.day, organization_id, project_id, model_id, provider_id, sum(requests)::bigint, sum(input_uncached)::bigint,
    sum(input_cache_read)::bigint, sum(input_cache_write_5m)::bigint, sum(input_cache_write_1h)::bigint,
    sum(input_audio)::bigint, sum(output_text)::bigint, sum(output_reasoning)::bigint, sum(output_audio)::bigint,
    sum(web_searches)::bigint, sum(input_image)::bigint, sum(output_image)::bigint,
    sum(customer_cost), sum(provider_cost)
  FROM unnest(v_days) AS d (day) JOIN usage_hour u ON u.hour >= d.day AND u.hour < d.day + interval '24 hours'
  GROUP BY 1, 2, 3, 4, 5;
  RETURN cardinality(v_days) = 31;
END $$;

-- When a request was made, as far as its id tells: `req_` and eight digits of milliseconds, to the base of 62.
CREATE FUNCTION request_log_time(p_id text) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN p_id ~ '^req_[0-9A-Za-z]{30}$' THEN to_timestamp((
    SELECT sum((strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', substr(p_id, 4 + n, 1)) - 1) * 62::numeric ^ (8 - n))
    FROM generate_series(1, 8) AS n)::double precision / 1000) END;
$$;

-- Log rows as JSON, in the shape of the type LogRow. Text is cut to a bound (what is indexed, so that an entry of an index
-- holds it), a missing count is 0.
CREATE FUNCTION request_log_decode(p_rows jsonb) RETURNS SETOF request_log LANGUAGE sql STABLE AS $$
  SELECT
    r."requestId", r."organizationId", r."projectId", r."keyId", to_timestamp(round(r."startedAt") / 1000),
    left(r.endpoint, 200), left(r.format, 50), COALESCE(r.stream, false), left(COALESCE(r."requestedModel", ''), 500),
    left(r."modelId", 500), left(r."providerId", 500), left(r."externalId", 500),
    r."finishReason", r.status, left(r."errorCode", 200), left(r."errorMessage", 4000),
    COALESCE(r.cached, false), COALESCE(r.estimated, false),
    COALESCE((r.usage ->> 'inputUncached')::bigint, 0), COALESCE((r.usage ->> 'inputCacheRead')::bigint, 0),
    COALESCE((r.usage ->> 'inputCacheWrite5m')::bigint, 0), COALESCE((r.usage ->> 'inputCacheWrite1h')::bigint, 0),
    COALESCE((r.usage ->> 'inputAudio')::bigint, 0), COALESCE((r.usage ->> 'outputText')::bigint, 0),
    COALESCE((r.usage ->> 'outputReasoning')::bigint, 0), COALESCE((r.usage ->> 'outputAudio')::bigint, 0),
    COALESCE((r.usage ->> 'webSearches')::bigint, 0),
    COALESCE(r."customer", 0), COALESCE(r."provider", 0), left(r."priceVersion", 200),
    COALESCE(r.attempts, '[]'), r."firstEventMs", COALESCE(r."durationMs", 0),
    left(r."clientRequestId", 500), left(r."userAgent", 500), left(r."sessionId", 120), left(r."agentId", 500),
    left(r."upstreamId", 500), now(), left(r."sessionTokenId", 120), left(r."memberId", 120),
    left(r."endUserId", 200), CASE WHEN r.credential IN ('own', 'gateway') THEN r.credential END,
    COALESCE((r.usage ->> 'inputImage')::bigint, 0), COALESCE((r.usage ->> 'outputImage')::bigint, 0), r.units
  FROM jsonb_to_recordset(p_rows) AS r (
    "requestId" text, "organizationId" text, "projectId" text, "keyId" text, "startedAt" double precision,
    endpoint text, format text, stream boolean, "requestedModel" text,
    "modelId" text, "providerId" text, "externalId" text,
    "finishReason" text, status integer, "errorCode" text, "errorMessage" text,
    cached boolean, estimated boolean, usage jsonb, "customer" numeric, "provider" numeric, "priceVersion" text,
    attempts jsonb, "firstEventMs" double precision, "durationMs" double precision,
    "clientRequestId" text, "userAgent" text, "sessionId" text, "agentId" text, "upstreamId" text,
    "sessionTokenId" text, "memberId" text, "endUserId" text, credential text, units jsonb);
$$;

-- Stores rows; the first row of a request stays (a second is rare, and ON CONFLICT dear on partitions). A row that cannot be
-- stored becomes its bare outline, so that neither its neighbours nor the transaction around it are lost.
CREATE OR REPLACE FUNCTION request_log_store(p_rows jsonb) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_first timestamptz;
BEGIN
  BEGIN
    WITH written AS (
      INSERT INTO request_log SELECT * FROM request_log_decode(p_rows) RETURNING started_at
    )
    SELECT min(started_at) INTO v_first FROM written;
  EXCEPTION WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded THEN
    PERFORM request_log_store_each(p_rows);
    v_first := '-infinity';
  END;
  -- A statement of its own: it must look after this transaction has written (see usage_close).
  IF v_first < (SELECT closed_through FROM log_state WHERE id) THEN
    INSERT INTO usage_late
    SELECT DISTINCT usage_hour_of(l.started_at) FROM request_log l, log_state s
    WHERE s.id AND l.request_id IN (SELECT e.value ->> 'requestId' FROM jsonb_array_elements(p_rows) AS e (value))
      AND l.started_at < s.closed_through;
  END IF;
END $$;

CREATE FUNCTION request_log_store_each(p_rows jsonb) RETURNS void LANGUAGE plpgsql
SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_row jsonb;
BEGIN
  FOR v_row IN SELECT value FROM jsonb_array_elements(p_rows) AS e (value) LOOP
    BEGIN
      INSERT INTO request_log SELECT * FROM request_log_decode(jsonb_build_array(v_row))
      ON CONFLICT (request_id, started_at) DO NOTHING;
    EXCEPTION WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded THEN
      INSERT INTO request_log SELECT * FROM request_log_decode(jsonb_build_array(request_log_outline(v_row)))
      ON CONFLICT (request_id, started_at) DO NOTHING;
    END;
  END LOOP;
END $$;

-- What is certain of a row that cannot be stored as it is: whose it is, when it began and what it cost. The same row has the
-- same outline, so that it is stored once.
CREATE OR REPLACE FUNCTION request_log_outline(p_row jsonb) RETURNS jsonb LANGUAGE sql VOLATILE AS $$
  SELECT jsonb_build_object(
    'requestId', p_row ->> 'requestId',
    'organizationId', COALESCE(p_row ->> 'organizationId', ''), 'projectId', COALESCE(p_row ->> 'projectId', ''),
    'keyId', COALESCE(p_row ->> 'keyId', ''),
    'startedAt', COALESCE(
      CASE WHEN jsonb_typeof(p_row -> 'startedAt') = 'number' AND (p_row -> 'startedAt')::numeric BETWEEN 0 AND 1e14
        THEN (p_row -> 'startedAt')::numeric END,
      extract(epoch FROM request_log_time(p_row ->> 'requestId')) * 1000,
      extract(epoch FROM clock_timestamp()) * 1000),
    'endpoint', COALESCE(p_row ->> 'endpoint', ''), 'format', COALESCE(p_row ->> 'format', ''),
    'finishReason', 'gateway_error', 'status', 500, 'errorCode', 'internal_error',
    'errorMessage', 'the full row could not be stored',
    'customer', p_row ->> 'customer', 'provider', p_row ->> 'provider', 'estimated', p_row -> 'estimated');
$$;

-- The row of a request whose estimate was corrected. Where its month has expired, the correction goes to the usage alone.
CREATE OR REPLACE FUNCTION request_log_replace(p_row jsonb) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_id text := p_row ->> 'requestId';
  v_outline request_log;
BEGIN
  DELETE FROM request_log WHERE request_id = v_id;
  IF NOT FOUND THEN
    SELECT * INTO v_outline FROM request_log_decode(jsonb_build_array(request_log_outline(p_row)));
    IF v_outline.started_at < (SELECT horizon FROM log_state WHERE id) THEN
      PERFORM usage_add(ARRAY[(
        usage_day_of(v_outline.started_at), v_outline.organization_id, v_outline.project_id, v_outline.key_id,
        COALESCE(left(p_row ->> 'modelId', 500), ''), COALESCE(left(p_row ->> 'providerId', 500), ''),
        COALESCE(left(p_row ->> 'finishReason', 50), ''), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, e.customer, e.provider)::usage_hour])
      FROM ledger_entry e WHERE e.request_id = v_id AND e.kind = 'adjust';
      RETURN;
    END IF;
  END IF;
  PERFORM request_log_store(jsonb_build_array(p_row));
END $$;

-- What of log and usage must agree and does not: expired requests with the usage that is left of them, and counted hours with
-- their rows.
CREATE FUNCTION request_log_check() RETURNS TABLE (what text, subject text, expected text, actual text)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_state log_state;
BEGIN
  SELECT * INTO v_state FROM log_state;
  IF isfinite(v_state.horizon) THEN
    RETURN QUERY WITH gone AS (
      SELECT COALESCE(sum(e.customer), 0) AS customer, COALESCE(sum(e.provider), 0) AS provider
      FROM ledger_entry e
      WHERE e.kind IN ('usage', 'estimate', 'adjust')
        AND (e.created_at < v_state.horizon OR request_log_time(e.request_id) < v_state.horizon)
        AND NOT EXISTS (SELECT FROM request_log l WHERE l.request_id = e.request_id)
    ), counted AS (
      SELECT COALESCE(sum(u.customer_cost), 0) AS customer, COALESCE(sum(u.provider_cost), 0) AS provider
      FROM usage_hour u WHERE u.hour < v_state.horizon
    )
    SELECT 'expired usage', 'before ' || v_state.horizon::text, g.customer || ' / ' || g.provider, c.customer || ' / ' || c.provider
    FROM gone g, counted c WHERE (g.customer, g.provider) <> (c.customer, c.provider);
  END IF;
  RETURN QUERY WITH counted AS (
    SELECT u.hour, sum(u.requests) AS requests, sum(u.customer_cost) AS customer, sum(u.provider_cost) AS provider,
      sum(u.input_uncached + u.input_cache_read + u.input_cache_write_5m + u.input_cache_write_1h + u.input_audio + u.input_image) AS input,
      sum(u.output_text + u.output_reasoning + u.output_audio + u.output_image) AS output
    FROM usage_hour u WHERE u.hour >= v_state.horizon AND u.hour < v_state.counted_through GROUP BY 1
  ), logged AS (
    SELECT usage_hour_of(l.started_at) AS hour, count(*)::numeric AS requests, sum(l.customer_cost) AS customer,
      sum(l.provider_cost) AS provider,
      sum(l.input_uncached + l.input_cache_read + l.input_cache_write_5m + l.input_cache_write_1h + l.input_audio + l.input_image) AS input,
      sum(l.output_text + l.output_reasoning + l.output_audio + l.output_image) AS output
    FROM request_log l WHERE l.started_at >= v_state.horizon AND l.started_at < v_state.counted_through GROUP BY 1
  )
  SELECT 'usage', hour::text, concat_ws(' / ', l.requests, l.customer, l.provider, l.input, l.output),
    concat_ws(' / ', c.requests, c.customer, c.provider, c.input, c.output)
  FROM counted c FULL JOIN logged l USING (hour)
  WHERE (l.requests, l.customer, l.provider, l.input, l.output) IS DISTINCT FROM (c.requests, c.customer, c.provider, c.input, c.output)
    AND NOT EXISTS (SELECT FROM usage_late u WHERE u.hour = COALESCE(c.hour, l.hour));
  RETURN QUERY WITH hours AS (
    SELECT usage_day_of(u.hour) AS day, sum(u.requests) AS requests, sum(u.customer_cost) AS customer,
      sum(u.provider_cost) AS provider FROM usage_hour u GROUP BY 1
  ), days AS (
    SELECT u.day, sum(u.requests) AS requests, sum(u.customer_cost) AS customer, sum(u.provider_cost) AS provider
    FROM usage_day u GROUP BY 1
  )
  SELECT 'usage of a day', day::text, concat_ws(' / ', h.requests, h.customer, h.provider),
    concat_ws(' / ', d.requests, d.customer, d.provider)
  FROM hours h FULL JOIN days d USING (day)
  WHERE (h.requests, h.customer, h.provider) IS DISTINCT FROM (d.requests, d.customer, d.provider)
    AND NOT EXISTS (SELECT FROM usage_open o WHERE o.day = COALESCE(h.day, d.day));
END $$;

-- The check of the books learns that rows expire: a request without a row is no difference where its month has. Whatever the
-- check looks at by now besides stays as it is.
DO $do$
DECLARE
  v_check text := pg_get_functiondef('ledger_check()'::regprocedure);
  v_entries text := 'AS closings';
  v_rows text := 'WHERE (l.customer_cost, l.provider_cost) IS DISTINCT FROM (r.customer, r.provider)';
BEGIN
  IF strpos(v_check, v_entries) = 0 OR strpos(v_check, v_rows) = 0 THEN
    RAISE EXCEPTION 'ledger_check() is not what this migration knows';
  END IF;
  v_check := overlay(v_check PLACING v_entries || ', min(e.created_at) AS created_at'
    FROM strpos(v_check, v_entries) FOR length(v_entries));
  EXECUTE replace(v_check, v_rows, v_rows || '
    AND (l.request_id IS NOT NULL OR (r.created_at >= (SELECT s.horizon FROM log_state s)
      AND request_log_time(r.request_id) < (SELECT s.horizon FROM log_state s) IS NOT TRUE))
  UNION ALL
  SELECT * FROM request_log_check()');
END $do$;
