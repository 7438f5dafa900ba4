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

-- Days that were summed up before these tables existed.
INSERT INTO usage_open SELECT DISTINCT usage_day_of(hour) FROM usage_detail ON CONFLICT DO NOTHING;

-- As before, with the sums by names. Those of dropped rows are dropped here, since no report reads them.
CREATE OR REPLACE FUNCTION usage_sum_days() RETURNS boolean LANGUAGE plpgsql AS $$
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
  PERFORM usage_sum_details(v_days);
  RETURN cardinality(v_days) = 31;
END $$;

CREATE FUNCTION usage_sum_details(p_days timestamptz[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_cutoff timestamptz := (SELECT retention_cutoff FROM log_state);
BEGIN
  DELETE FROM usage_day_client WHERE day < v_cutoff OR day = ANY (p_days);
  INSERT INTO usage_day_client
  SELECT d.day, organization_id, project_id, key_id, model_id, provider_id, finish_reason, member_id, client_name,
    sum(requests)::bigint, sum(input_uncached)::bigint, sum(input_cache_read)::bigint, sum(input_cache_write_5m)::bigint,
    sum(input_cache_write_1h)::bigint, sum(input_audio)::bigint, sum(output_text)::bigint, sum(output_reasoning)::bigint,
    sum(output_audio)::bigint, sum(web_searches)::bigint, sum(input_image)::bigint, sum(output_image)::bigint,
    sum(customer_cost), sum(provider_cost)
  FROM unnest(p_days) AS d (day) JOIN usage_detail u ON u.hour >= d.day AND u.hour < d.day + interval '24 hours'
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9;
  DELETE FROM usage_day_session WHERE day < v_cutoff OR day = ANY (p_days);
  INSERT INTO usage_day_session
  SELECT d.day, organization_id, project_id, key_id, model_id, provider_id, member_id, client_name, session_id, end_user_id,
    sum(requests)::bigint, sum(input_uncached)::bigint, sum(input_cache_read)::bigint, sum(input_cache_write_5m)::bigint,
    sum(input_cache_write_1h)::bigint, sum(input_audio)::bigint, sum(output_text)::bigint, sum(output_reasoning)::bigint,
    sum(output_audio)::bigint, sum(web_searches)::bigint, sum(input_image)::bigint, sum(output_image)::bigint,
    sum(customer_cost), sum(provider_cost)
  FROM unnest(p_days) AS d (day) JOIN usage_detail u ON u.hour >= d.day AND u.hour < d.day + interval '24 hours'
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10;
END $$;

-- Sums of names per day beside the hours they are made of.
CREATE FUNCTION usage_day_check() RETURNS TABLE (what text, subject text, expected text, actual text)
LANGUAGE sql STABLE AS $$
  WITH hours AS (
    SELECT usage_day_of(u.hour) AS day, sum(u.requests) AS requests, sum(u.customer_cost) AS customer,
      sum(u.provider_cost) AS provider
    FROM usage_detail u, log_state s WHERE u.hour >= s.detailed_from AND u.hour >= s.retention_cutoff GROUP BY 1
  ), days AS (
    SELECT 'usage by client' AS what, u.day, sum(u.requests) AS requests, sum(u.customer_cost) AS customer,
      sum(u.provider_cost) AS provider
    FROM usage_day_client u GROUP BY 2
    UNION ALL
    SELECT 'usage by session', u.day, sum(u.requests), sum(u.customer_cost), sum(u.provider_cost)
    FROM usage_day_session u GROUP BY 2
  ), pairs AS (
    SELECT t.what, h.day, h.requests, h.customer, h.provider
    FROM hours h, (VALUES ('usage by client'), ('usage by session')) AS t (what)
  )
  SELECT what, day::text, concat_ws(' / ', p.requests, p.customer, p.provider),
    concat_ws(' / ', d.requests, d.customer, d.provider)
  FROM pairs p FULL JOIN days d USING (what, day), log_state s
  WHERE (p.requests, p.customer, p.provider) IS DISTINCT FROM (d.requests, d.customer, d.provider)
    AND day >= s.detailed_from AND day >= s.retention_cutoff
    AND NOT EXISTS (SELECT FROM usage_open o WHERE o.day = COALESCE(p.day, d.day));
$$;
