-- Rows of a month are dropped under a lock that stops every request, so whatever takes longer with more rows is done without it:
-- details are deleted by `usage_roll_up`, which takes no lock on the log.

-- Drops all rows that started before a moment, which is the start of a month; returns whether it could: everything before it
-- must be counted. The caller bounds the wait for locks.
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
  UPDATE log_state SET retention_cutoff = p_cutoff;
  RETURN true;
END $$;

-- Deletes details of dropped rows, which no report reads, counts rows that were written after their month was dropped, and moves
-- usage of dropped hours to the first hour of their day. What is counted is what was deleted, so that no writer has to wait.
CREATE OR REPLACE FUNCTION usage_roll_up() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_cutoff timestamptz := (SELECT retention_cutoff FROM log_state);
  v_day timestamptz;
  v_hours usage_hour[];
BEGIN
  DELETE FROM usage_detail WHERE hour < v_cutoff;
  WITH taken AS (DELETE FROM request_log_default WHERE started_at < v_cutoff RETURNING *)
  SELECT array_agg(t) INTO v_hours FROM (
    SELECT usage_day_of(started_at), organization_id, project_id, key_id, COALESCE(model_id, ''), COALESCE(provider_id, ''),
      finish_reason, count(*), sum(input_uncached)::bigint, sum(input_cache_read)::bigint, sum(input_cache_write_5m)::bigint,
      sum(input_cache_write_1h)::bigint, sum(input_audio)::bigint, sum(output_text)::bigint, sum(output_reasoning)::bigint,
      sum(output_audio)::bigint, sum(web_searches)::bigint, sum(input_image)::bigint, sum(output_image)::bigint,
      sum(customer_cost), sum(provider_cost)
    FROM taken GROUP BY 1, 2, 3, 4, 5, 6, 7
  ) AS t;
  IF v_hours IS NOT NULL THEN
    PERFORM usage_add(v_hours);
  END IF;
  FOR v_day IN
    SELECT DISTINCT usage_day_of(hour) FROM usage_hour WHERE hour < v_cutoff AND hour <> usage_day_of(hour)
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

-- Details beside the hours they belong to. Those of dropped rows are no difference, whether or not they are deleted yet.
CREATE OR REPLACE FUNCTION usage_detail_check() RETURNS TABLE (what text, subject text, expected text, actual text)
LANGUAGE sql STABLE AS $$
  WITH hours AS (
    SELECT u.hour, sum(u.requests) AS requests, sum(u.customer_cost) AS customer, sum(u.provider_cost) AS provider
    FROM usage_hour u, log_state s WHERE u.hour >= s.retention_cutoff AND u.hour >= s.detailed_from GROUP BY 1
  ), details AS (
    SELECT u.hour, sum(u.requests) AS requests, sum(u.customer_cost) AS customer, sum(u.provider_cost) AS provider
    FROM usage_detail u, log_state s WHERE u.hour >= s.retention_cutoff AND u.hour >= s.detailed_from GROUP BY 1
  )
  SELECT 'details of usage', hour::text, concat_ws(' / ', h.requests, h.customer, h.provider),
    concat_ws(' / ', d.requests, d.customer, d.provider)
  FROM hours h FULL JOIN details d USING (hour)
  WHERE (h.requests, h.customer, h.provider) IS DISTINCT FROM (d.requests, d.customer, d.provider)
    AND NOT EXISTS (SELECT FROM usage_late l WHERE l.hour = COALESCE(h.hour, d.hour));
$$;
