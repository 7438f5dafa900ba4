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

-- Hours before this moment are only in their rows: they were counted before the table existed.
ALTER TABLE log_state ADD COLUMN detailed_from timestamptz NOT NULL DEFAULT '-infinity';
UPDATE log_state SET detailed_from = counted_through;

-- Replaces the sums of a span by those of its rows.
CREATE FUNCTION usage_detail_count(p_from timestamptz, p_to timestamptz) RETURNS void LANGUAGE sql AS $$
  DELETE FROM usage_detail WHERE hour >= p_from AND hour < p_to;
  INSERT INTO usage_detail
  SELECT usage_hour_of(started_at), organization_id, project_id, key_id, COALESCE(model_id, ''), COALESCE(provider_id, ''),
    finish_reason, COALESCE(member_id, ''), COALESCE(client_name, ''), COALESCE(session_id, ''), COALESCE(agent_id, ''),
    COALESCE(end_user_id, ''), count(*), sum(input_uncached)::bigint, sum(input_cache_read)::bigint,
    sum(input_cache_write_5m)::bigint, sum(input_cache_write_1h)::bigint, sum(input_audio)::bigint, sum(output_text)::bigint,
    sum(output_reasoning)::bigint, sum(output_audio)::bigint, sum(web_searches)::bigint, sum(input_image)::bigint,
    sum(output_image)::bigint, sum(customer_cost), sum(provider_cost), min(started_at), max(started_at)
  FROM request_log WHERE started_at >= p_from AND started_at < p_to GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12;
$$;

-- As before, with the details.
CREATE OR REPLACE FUNCTION usage_count() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_state log_state;
  v_from timestamptz;
  v_to timestamptz;
BEGIN
  SELECT * INTO v_state FROM log_state;
  SELECT usage_hour_of(min(started_at)) INTO v_from FROM request_log
  WHERE started_at >= GREATEST(v_state.counted_through, v_state.retention_cutoff);
  v_to := LEAST(v_from + interval '24 hours', v_state.closed_through);
  IF v_from IS NULL OR v_from >= v_state.closed_through THEN
    UPDATE log_state SET counted_through = closed_through WHERE counted_through < closed_through;
    RETURN false;
  END IF;
  INSERT INTO usage_hour SELECT * FROM usage_of_rows(v_from, v_to);
  PERFORM usage_detail_count(v_from, v_to);
  UPDATE log_state SET counted_through = v_to;
  RETURN v_to < v_state.closed_through;
END $$;

-- As before, with the details.
CREATE OR REPLACE FUNCTION usage_recount() RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  v_hours timestamptz[];
BEGIN
  WITH taken AS (
    DELETE FROM usage_late l USING log_state s WHERE l.hour < s.counted_through
    RETURNING l.hour, l.hour >= s.retention_cutoff AS kept
  )
  SELECT array_agg(DISTINCT hour) FILTER (WHERE kept) INTO v_hours FROM taken;
  IF v_hours IS NULL THEN
    RETURN 0;
  END IF;
  DELETE FROM usage_hour WHERE hour = ANY (v_hours);
  INSERT INTO usage_hour
  SELECT r.* FROM unnest(v_hours) AS h (hour) CROSS JOIN LATERAL usage_of_rows(h.hour, h.hour + interval '1 hour') AS r;
  PERFORM usage_detail_count(h.hour, h.hour + interval '1 hour') FROM unnest(v_hours) AS h (hour);
  RETURN cardinality(v_hours);
END $$;

-- As before, with the details.
CREATE OR REPLACE FUNCTION request_log_expire(p_cutoff timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_name text;
  v_cutoff timestamptz;
BEGIN
  IF EXISTS (SELECT FROM log_state WHERE counted_through < p_cutoff OR retention_cutoff >= p_cutoff) THEN
    RETURN false;
  END IF;
  FOR v_name IN SELECT name FROM log_partitions('request_log') WHERE ends_at <= p_cutoff LOOP
    EXECUTE format('ALTER TABLE request_log DETACH PARTITION %I', v_name);
    EXECUTE format('DROP TABLE %I', v_name);
  END LOOP;
  -- Under the locks of the above: no other transaction is writing to those months.
  LOCK TABLE request_log_default IN SHARE ROW EXCLUSIVE MODE;
  SELECT retention_cutoff INTO v_cutoff FROM log_state;
  IF EXISTS (SELECT FROM usage_late WHERE hour >= v_cutoff AND hour < p_cutoff) THEN
    RAISE EXCEPTION 'hours of the expired months are still to be counted' USING ERRCODE = 'lock_not_available';
  END IF;
  DELETE FROM request_log_default WHERE started_at >= v_cutoff AND started_at < p_cutoff;
  DELETE FROM usage_detail WHERE hour < p_cutoff;
  UPDATE log_state SET retention_cutoff = p_cutoff;
  RETURN true;
END $$;

-- Details beside the hours they belong to.
CREATE FUNCTION usage_detail_check() RETURNS TABLE (what text, subject text, expected text, actual text)
LANGUAGE sql STABLE AS $$
  WITH hours AS (
    SELECT u.hour, sum(u.requests) AS requests, sum(u.customer_cost) AS customer, sum(u.provider_cost) AS provider
    FROM usage_hour u, log_state s WHERE u.hour >= s.retention_cutoff AND u.hour >= s.detailed_from GROUP BY 1
  ), details AS (
    SELECT u.hour, sum(u.requests) AS requests, sum(u.customer_cost) AS customer, sum(u.provider_cost) AS provider
    FROM usage_detail u, log_state s WHERE u.hour >= s.detailed_from GROUP BY 1
  )
  SELECT 'details of usage', hour::text, concat_ws(' / ', h.requests, h.customer, h.provider),
    concat_ws(' / ', d.requests, d.customer, d.provider)
  FROM hours h FULL JOIN details d USING (hour)
  WHERE (h.requests, h.customer, h.provider) IS DISTINCT FROM (d.requests, d.customer, d.provider)
    AND NOT EXISTS (SELECT FROM usage_late l WHERE l.hour = COALESCE(h.hour, d.hour));
$$;
