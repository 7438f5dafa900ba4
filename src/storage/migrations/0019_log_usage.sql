-- Counting usage and dropping old rows: by one process at a time, which holds an advisory lock.

CREATE FUNCTION usage_hour_of(p_moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT date_bin('1 hour', p_moment, 'epoch'::timestamptz);
$$;

CREATE FUNCTION usage_day_of(p_moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT date_bin('1 day', p_moment, 'epoch'::timestamptz);
$$;

-- The sums of rows that started in a span.
CREATE FUNCTION usage_of_rows(p_from timestamptz, p_to timestamptz) RETURNS SETOF usage_hour LANGUAGE sql STABLE AS $$
  SELECT usage_hour_of(started_at), organization_id, project_id, key_id, COALESCE(model_id, ''), COALESCE(provider_id, ''),
    finish_reason, count(*), sum(input_uncached)::bigint, sum(input_cache_read)::bigint, sum(input_cache_write_5m)::bigint,
    sum(input_cache_write_1h)::bigint, sum(input_audio)::bigint, sum(output_text)::bigint, sum(output_reasoning)::bigint,
    sum(output_audio)::bigint, sum(web_searches)::bigint, sum(input_image)::bigint, sum(output_image)::bigint,
    sum(customer_cost), sum(provider_cost)
  FROM request_log WHERE started_at >= p_from AND started_at < p_to GROUP BY 1, 2, 3, 4, 5, 6, 7;
$$;

-- Adds sums to those that exist.
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

-- Closes the hours that ended before a moment; returns a transaction id. Once every transaction up to it has ended, no row can
-- appear in those hours without its mark: earlier writers have ended, later ones see the close.
CREATE FUNCTION usage_close(p_before timestamptz) RETURNS xid8 LANGUAGE sql AS $$
  UPDATE log_state SET closed_through = usage_hour_of(p_before) WHERE closed_through < usage_hour_of(p_before);
  SELECT pg_current_xact_id();
$$;

-- Counts the next closed hours that have rows, a day at most; returns whether more are left.
CREATE FUNCTION usage_count() RETURNS boolean LANGUAGE plpgsql AS $$
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

-- Counts marked hours again; returns their number. A mark and its row are written in one transaction, so both are visible or
-- neither.
CREATE FUNCTION usage_recount() RETURNS integer LANGUAGE plpgsql AS $$
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

-- Sums up days all of whose hours are counted, a month at most; returns whether more are left.
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
  PERFORM usage_sum_details(v_days);
  RETURN cardinality(v_days) = 31;
END $$;

-- Sums up the names of these days. Those of dropped rows are deleted, since no report reads them.
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

-- Drops all rows that started before a moment, which is the start of a month; returns whether it could: everything before it
-- must be counted. The caller bounds the wait for locks.
CREATE FUNCTION request_log_expire(p_cutoff timestamptz) RETURNS boolean LANGUAGE plpgsql AS $$
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

-- Moves usage of dropped hours to the first hour of their day, and counts rows that were written after their month was
-- dropped.
CREATE FUNCTION usage_roll_up() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_cutoff timestamptz;
  v_day timestamptz;
  v_hours usage_hour[];
BEGIN
  SELECT retention_cutoff INTO v_cutoff FROM log_state;
  LOCK TABLE request_log_default IN SHARE ROW EXCLUSIVE MODE;
  IF EXISTS (SELECT FROM request_log_default WHERE started_at < v_cutoff) THEN
    SELECT array_agg(r) INTO v_hours FROM usage_of_rows('-infinity', v_cutoff) AS r;
    PERFORM usage_add(v_hours);
    DELETE FROM request_log_default WHERE started_at < v_cutoff;
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

-- Drops one month of payloads. The caller bounds the wait for locks.
CREATE FUNCTION request_payload_drop(p_name text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE request_payload DETACH PARTITION %I', p_name);
  EXECUTE format('DROP TABLE %I', p_name);
  RETURN true;
END $$;
