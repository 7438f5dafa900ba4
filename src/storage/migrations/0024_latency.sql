-- How long answers took, as exact counts in buckets, from which percentiles of any period are interpolated: per hour beside
-- `usage_hour` and per day beside `usage_day`, each written in the transaction that writes those, and dropped with the rows. Of
-- answers that came to their end; replays from the response cache are not counted.

-- Buckets grow by an eighth of an octave: bucket n > 0 begins at 2 ^ ((n - 1) / 8) ms, bucket 0 at 0 ms. The last begins after 42 days.
CREATE OR REPLACE FUNCTION latency_bucket(p_ms double precision) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT (CASE WHEN p_ms < 1 THEN 0 WHEN p_ms >= 1 THEN LEAST(255, 1 + floor(8 * ln(p_ms) / ln(2::double precision))) END)::integer;
$$;

-- One row per group, with the count of each bucket that is not empty: of whole answers, and 256 higher of first tokens. A model,
-- provider or member that is not known is ''.
CREATE TABLE latency_hour (
  hour timestamptz NOT NULL,
  organization_id text NOT NULL,
  project_id text NOT NULL,
  member_id text NOT NULL,
  model_id text NOT NULL,
  provider_id text NOT NULL,
  buckets integer[] NOT NULL,
  counts bigint[] NOT NULL
);
CREATE INDEX latency_hour_hour ON latency_hour (hour);
CREATE INDEX latency_hour_organization ON latency_hour (organization_id, hour);

-- Two sets of sums per day, because one with all names would have a row for nearly every request.
CREATE TABLE latency_day (
  day timestamptz NOT NULL,
  organization_id text NOT NULL,
  project_id text NOT NULL,
  member_id text NOT NULL,
  buckets integer[] NOT NULL,
  counts bigint[] NOT NULL
);
CREATE INDEX latency_day_day ON latency_day (day);

CREATE TABLE latency_day_model (
  day timestamptz NOT NULL,
  organization_id text NOT NULL,
  model_id text NOT NULL,
  provider_id text NOT NULL,
  buckets integer[] NOT NULL,
  counts bigint[] NOT NULL
);
CREATE INDEX latency_day_model_day ON latency_day_model (day);

-- Hours before this moment were counted without times.
ALTER TABLE log_state ADD COLUMN timed_from timestamptz NOT NULL DEFAULT '-infinity';
UPDATE log_state SET timed_from = counted_through;

-- The counts of rows that started in a span. Requests that count tokens have the model they count for, and no answer: they are
-- not among its times.
CREATE OR REPLACE FUNCTION latency_of_rows(p_from timestamptz, p_to timestamptz) RETURNS TABLE (
  hour timestamptz, organization_id text, project_id text, member_id text, model_id text, provider_id text, bucket integer, count bigint)
LANGUAGE sql STABLE AS $$
  SELECT usage_hour_of(l.started_at), l.organization_id, l.project_id, COALESCE(l.member_id, ''), COALESCE(l.model_id, ''),
    COALESCE(l.provider_id, ''), t.bucket, count(*)
  FROM request_log l CROSS JOIN LATERAL (
    VALUES (latency_bucket(l.duration_ms)), (256 + latency_bucket(l.first_event_ms))
  ) AS t (bucket)
  WHERE l.started_at >= p_from AND l.started_at < p_to AND NOT l.cached AND t.bucket IS NOT NULL
    AND l.finish_reason IN ('completed', 'length', 'tool_calls', 'content_filter')
    AND l.endpoint NOT IN ('/v1/messages/count_tokens', '/v1/responses/input_tokens', '/v1beta/models/{model}:countTokens')
  GROUP BY 1, 2, 3, 4, 5, 6, 7;
$$;

CREATE OR REPLACE FUNCTION latency_count_hours() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_hours timestamptz[] := ARRAY(SELECT DISTINCT c.hour FROM changed c, log_state s WHERE c.hour >= s.retention_cutoff);
BEGIN
  DELETE FROM latency_hour WHERE hour = ANY (v_hours);
  INSERT INTO latency_hour
  SELECT r.hour, organization_id, project_id, member_id, model_id, provider_id, array_agg(bucket), array_agg(count)
  FROM unnest(v_hours) AS h (hour) CROSS JOIN LATERAL latency_of_rows(h.hour, h.hour + interval '1 hour') AS r
  GROUP BY 1, 2, 3, 4, 5, 6;
  RETURN NULL;
END $$;
CREATE TRIGGER usage_hour_timed AFTER INSERT ON usage_hour
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION latency_count_hours();

-- Counts of dropped rows are deleted, since no report reads them.
CREATE OR REPLACE FUNCTION latency_sum_days() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_days timestamptz[] := ARRAY(SELECT DISTINCT day FROM changed);
  v_cutoff timestamptz := (SELECT retention_cutoff FROM log_state);
BEGIN
  DELETE FROM latency_hour WHERE hour < v_cutoff;
  DELETE FROM latency_day WHERE day < v_cutoff OR day = ANY (v_days);
  INSERT INTO latency_day
  SELECT day, organization_id, project_id, member_id, array_agg(bucket), array_agg(count) FROM (
    SELECT d.day, organization_id, project_id, member_id, u.bucket, sum(u.count)::bigint AS count
    FROM unnest(v_days) AS d (day) JOIN latency_hour l ON l.hour >= d.day AND l.hour < d.day + interval '24 hours'
    CROSS JOIN LATERAL unnest(l.buckets, l.counts) AS u (bucket, count) GROUP BY 1, 2, 3, 4, 5
  ) AS s GROUP BY 1, 2, 3, 4;
  DELETE FROM latency_day_model WHERE day < v_cutoff OR day = ANY (v_days);
  INSERT INTO latency_day_model
  SELECT day, organization_id, model_id, provider_id, array_agg(bucket), array_agg(count) FROM (
    SELECT d.day, organization_id, model_id, provider_id, u.bucket, sum(u.count)::bigint AS count
    FROM unnest(v_days) AS d (day) JOIN latency_hour l ON l.hour >= d.day AND l.hour < d.day + interval '24 hours'
    CROSS JOIN LATERAL unnest(l.buckets, l.counts) AS u (bucket, count) GROUP BY 1, 2, 3, 4, 5
  ) AS s GROUP BY 1, 2, 3, 4;
  RETURN NULL;
END $$;
CREATE TRIGGER usage_day_timed AFTER INSERT ON usage_day
  REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION latency_sum_days();
