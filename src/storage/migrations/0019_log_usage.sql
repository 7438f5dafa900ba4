-- Counting usage and dropping old rows: by one process at a time, which holds an advisory lock.

CREATE OR REPLACE FUNCTION usage_hour_of(p_moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT date_bin('1 hour', p_moment, 'epoch'::timestamptz);
$$;

CREATE OR REPLACE FUNCTION usage_day_of(p_moment timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT date_bin('1 day', p_moment, 'epoch'::timestamptz);
$$;

-- The sums of rows that started in a span.
CREATE OR REPLACE FUNCTION usage_of_rows(p_from timestamptz, p_to timestamptz) RETURNS SETOF usage_hour LANGUAGE sql STABLE AS $$
  SELECT usage_hour_of(started_at), organization_id, project_id, key_id, COALESCE(model_id, ''), COALESCE(provider_id, ''),
    finish_reason, count(*), sum(input_uncached)::bigint, sum(input_cache_read)::bigint, sum(input_cache_write_5m)::bigint,
    sum(input_cache_write_1h)::bigint, sum(input_audio)::bigint, sum(output_text)::bigint, sum(output_reasoning)::bigint,
    sum(output_audio)::bigint, sum(web_searches)::bigint, sum(input_image)::bigint, sum(output_image)::bigint,
    sum(customer_cost), sum(provider_cost)
  FROM request_log WHERE started_at >= p_from AND started_at < p_to GROUP BY 1, 2, 3, 4, 5, 6, 7;
$$;

-- Adds sums to those that exist.
CREATE OR REPLACE FUNCTION usage_add(p_usage usage_hour[]) RETURNS void LANGUAGE sql AS $$
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
CREATE OR REPLACE FUNCTION usage_detail_count(p_from timestamptz, p_to timestamptz) RETURNS void LANGUAGE sql AS $$
  DELETE FROM usage_detail WHERE hour >= p_from AND hour < p_to;
  INSERT INTO usage_detail
  SELECT usage_hour_of(started_at), organization_id, project_id, key_id, COALESCE(model_id, ''), COALESCE(provider_id, ''),
    finish_reason, COALESCE(member_id, ''), COALESCE(client_name, ''), COALESCE(session_id, ''), COALESCE(agent_id, ''),
    COALESCE(end_user_id, ''), count(*), sum(input_uncached)::bigint, sum(input_cache_read)::bigint,
    sum(input_cache_write_5m)::bigint, sum(input_cache_write_1h)::bigint, sum(input_audio)::bigint, sum(output_text)::bigint,
    sum(output_reasoning)::bigint, sum(output_audio)::bigint, sum(web_searches)::bigint, sum(input_image)::bigint,
    sum(output_image)::bigint, sum(customer_cost), sum(provider_cost), min(started_at), max(started_at),
    COALESCE(session_token_id, ''), COALESCE(client_version, ''), COALESCE(parent_agent_id, ''), COALESCE(run_id, ''),
    COALESCE(turn_id, ''), COALESCE(miss_reason, ''), COALESCE(tags, '{}')
  FROM request_log WHERE started_at >= p_from AND started_at < p_to
  GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 29, 30, 31, 32, 33, 34, 35;
  DELETE FROM usage_hour_tag WHERE hour >= p_from AND hour < p_to;
  SELECT usage_sum_up('usage_detail', 'usage_hour_tag', p_from, p_to);
  DELETE FROM usage_hour_client WHERE hour >= p_from AND hour < p_to;
  SELECT usage_sum_up('usage_hour_tag', 'usage_hour_client', p_from, p_to);
$$;

-- Closes the hours that ended before a moment; returns a transaction id. Once every transaction up to it has ended, no row can
-- appear in those hours without its mark: earlier writers have ended, later ones see the close.
CREATE OR REPLACE FUNCTION usage_close(p_before timestamptz) RETURNS xid8 LANGUAGE sql AS $$
  UPDATE log_state SET closed_through = usage_hour_of(p_before) WHERE closed_through < usage_hour_of(p_before);
  SELECT pg_current_xact_id();
$$;

-- Counts the next closed hours that have rows, a day at most; returns whether more are left.
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
  PERFORM usage_detail_count(v_from, v_to);
  PERFORM usage_sum_up('usage_hour_client', 'usage_hour', v_from, v_to);
  UPDATE log_state SET counted_through = v_to;
  RETURN v_to < v_state.closed_through;
END $$;

-- Counts the details of the latest day that was counted without them; returns whether more are left.
CREATE OR REPLACE FUNCTION usage_count_back() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_state log_state;
  v_from timestamptz;
BEGIN
  SELECT * INTO v_state FROM log_state;
  IF v_state.detailed_from = '-infinity' THEN
    RETURN false;
  END IF;
  SELECT usage_day_of(max(hour)) INTO v_from FROM usage_hour
  WHERE hour >= v_state.retention_cutoff AND hour < v_state.detailed_from;
  IF v_from IS NULL THEN
    UPDATE log_state SET detailed_from = '-infinity';
    RETURN false;
  END IF;
  PERFORM usage_detail_count(v_from, LEAST(v_from + interval '24 hours', v_state.detailed_from));
  INSERT INTO usage_open VALUES (usage_day_of(v_from)) ON CONFLICT DO NOTHING;
  UPDATE log_state SET detailed_from = v_from;
  RETURN true;
END $$;

-- Counts marked hours again; returns their number. A mark and its row are written in one transaction, so both are visible or
-- neither.
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

-- Sums up the latest open day all of whose hours are counted; returns whether there was one. A day at a time: a month of a busy
-- installation, as after an upgrade that opens all days, takes longer than a statement may.
CREATE OR REPLACE FUNCTION usage_sum_days() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_day timestamptz;
BEGIN
  DELETE FROM usage_open WHERE day = (
    SELECT max(o.day) FROM usage_open o, log_state s WHERE o.day + interval '24 hours' <= s.counted_through)
  RETURNING day INTO v_day;
  IF v_day IS NULL THEN
    RETURN false;
  END IF;
  DELETE FROM usage_day WHERE day = v_day;
  INSERT INTO usage_day
  SELECT v_day, organization_id, project_id, model_id, provider_id, sum(requests)::bigint, sum(input_uncached)::bigint,
    sum(input_cache_read)::bigint, sum(input_cache_write_5m)::bigint, sum(input_cache_write_1h)::bigint,
    sum(input_audio)::bigint, sum(output_text)::bigint, sum(output_reasoning)::bigint, sum(output_audio)::bigint,
    sum(web_searches)::bigint, sum(input_image)::bigint, sum(output_image)::bigint,
    sum(customer_cost), sum(provider_cost)
  FROM usage_hour WHERE hour >= v_day AND hour < v_day + interval '24 hours'
  GROUP BY organization_id, project_id, model_id, provider_id;
  PERFORM usage_sum_details(ARRAY[v_day]);
  RETURN true;
END $$;

-- Adds the sums of a table's lines in a span to a table that has some of its names, per hour or per day.
CREATE OR REPLACE FUNCTION usage_sum_up(p_from regclass, p_into regclass, p_since timestamptz, p_until timestamptz)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_moment text := (SELECT attname FROM pg_attribute WHERE attrelid = p_from AND attnum = 1);
  v_span text := (SELECT attname FROM pg_attribute WHERE attrelid = p_into AND attnum = 1);
  v_names text;
  v_counts text;
  v_sums text;
BEGIN
  SELECT string_agg(name, ', ' ORDER BY place) FILTER (WHERE type IN ('text', 'jsonb')),
    string_agg(name, ', ' ORDER BY place) FILTER (WHERE type IN ('bigint', 'numeric')),
    string_agg('sum(' || name || ')::' || type, ', ' ORDER BY place) FILTER (WHERE type IN ('bigint', 'numeric'))
  INTO v_names, v_counts, v_sums
  FROM (
    SELECT quote_ident(attname) AS name, atttypid::regtype::text AS type, attnum AS place
    FROM pg_attribute WHERE attrelid = p_into AND attnum > 0 AND NOT attisdropped
  ) AS columns;
  EXECUTE format('INSERT INTO %s (%I, %s, %s) SELECT %s, %s, %s FROM %s WHERE %I >= $1 AND %I < $2 GROUP BY 1, %s',
    p_into, v_span, v_names, v_counts,
    CASE v_span WHEN v_moment THEN quote_ident(v_moment) ELSE 'usage_day_of(' || quote_ident(v_moment) || ')' END,
    v_names, v_sums, p_from, v_moment, v_moment, v_names)
  USING p_since, p_until;
END $$;

-- Sums up the names of these days. Those of dropped rows are deleted, since no report reads them.
CREATE OR REPLACE FUNCTION usage_sum_details(p_days timestamptz[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  v_cutoff timestamptz := (SELECT retention_cutoff FROM log_state);
  v_table record;
  v_day timestamptz;
BEGIN
  IF cardinality(p_days) = 0 THEN
    RETURN;
  END IF;
  DELETE FROM usage_hour_tag WHERE hour < v_cutoff;
  DELETE FROM usage_hour_client WHERE hour < v_cutoff;
  FOR v_table IN SELECT * FROM (VALUES
    ('usage_hour_tag', 'usage_day_tag'), ('usage_day_tag', 'usage_day_client'), ('usage_detail', 'usage_day_run'),
    ('usage_detail', 'usage_day_agent'), ('usage_day_agent', 'usage_day_agent_name'), ('usage_day_agent', 'usage_day_session'),
    ('usage_detail', 'usage_day_tag_agent'), ('usage_day_tag_agent', 'usage_day_tag_parent'),
    ('usage_detail', 'usage_day_tag_user'), ('usage_day_tag_user', 'usage_day_tag_token')
  ) AS t (from_name, name)
  LOOP
    EXECUTE format('DELETE FROM %I WHERE day < $1 OR day = ANY ($2)', v_table.name) USING v_cutoff, p_days;
    FOREACH v_day IN ARRAY p_days LOOP
      PERFORM usage_sum_up(v_table.from_name, v_table.name, v_day, v_day + interval '24 hours');
    END LOOP;
  END LOOP;
  DELETE FROM usage_day_rank WHERE day < v_cutoff OR day = ANY (p_days);
  DELETE FROM usage_hour_unnamed WHERE hour < v_cutoff OR usage_day_of(hour) = ANY (p_days);
  FOREACH v_day IN ARRAY p_days LOOP
    PERFORM usage_rank_names(v_day);
    PERFORM usage_list_repeated(v_day);
    PERFORM usage_sum_up('usage_detail_unnamed', 'usage_hour_unnamed', v_day, v_day + interval '24 hours');
  END LOOP;
END $$;

-- Lists the agents of a day with more than one line; one of another organization counts, too. Each is looked up by its index: with
-- the statistics of a new table, PostgreSQL reads all lines for each.
CREATE OR REPLACE FUNCTION usage_list_repeated(p_day timestamptz) RETURNS void LANGUAGE sql
SET enable_seqscan = off SET enable_bitmapscan = off AS $$
  INSERT INTO usage_repeated_agent
  SELECT DISTINCT organization_id, agent_id FROM usage_day_agent_name AS line
  WHERE day = p_day AND agent_id <> '' AND (
    SELECT count(*) FROM (
      SELECT FROM usage_day_agent_name AS other WHERE other.agent_id = line.agent_id LIMIT 2) AS found) > 1
  ON CONFLICT DO NOTHING;
$$;

-- Writes what ranks the names of a day.
CREATE OR REPLACE FUNCTION usage_rank_names(p_day timestamptz) RETURNS void LANGUAGE sql
SET work_mem = '64MB' AS $$
  INSERT INTO usage_day_rank
  SELECT p_day, organization_id, kind, name, max(agent_cost), max(parent_cost)
  FROM (
    SELECT organization_id,
      CASE 0 WHEN GROUPING(session_id) THEN 'session' WHEN GROUPING(run_id) THEN 'run' ELSE 'turn' END AS kind,
      COALESCE(session_id, run_id, turn_id) AS name,
      CASE GROUPING(agent_id) WHEN 0 THEN sum(ranked_cost) END AS agent_cost,
      CASE GROUPING(parent_agent_id) WHEN 0 THEN sum(ranked_cost) END AS parent_cost
    FROM usage_detail WHERE hour >= p_day AND hour < p_day + interval '24 hours'
    GROUP BY organization_id, GROUPING SETS (session_id, run_id, turn_id), GROUPING SETS (agent_id, parent_agent_id)
  ) AS costs
  GROUP BY 2, 3, 4;
  INSERT INTO usage_day_rank
  SELECT p_day, organization_id, CASE GROUPING(end_user_id) WHEN 0 THEN 'user' ELSE 'token' END,
    COALESCE(end_user_id, session_token_id), COALESCE(sum(ranked_cost) FILTER (WHERE agent_id = ''), 0),
    COALESCE(sum(ranked_cost) FILTER (WHERE parent_agent_id = ''), 0)
  FROM usage_day_agent WHERE day = p_day
  GROUP BY organization_id, GROUPING SETS (end_user_id, session_token_id);
$$;

-- Drops all rows that started before a moment, which is the start of a month; returns whether it could: everything before it
-- must be counted. The caller bounds the wait for locks. They stop every request, so whatever takes longer with more rows is left
-- to `usage_roll_up`, which takes no lock on the log.
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
  IF FOUND THEN
    DELETE FROM usage_repeated_agent AS agent WHERE NOT EXISTS (
      SELECT FROM usage_day_agent_name AS line
      WHERE line.agent_id = agent.agent_id AND line.organization_id = agent.organization_id AND line.day >= v_cutoff);
  END IF;
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

-- Drops one month of payloads. The caller bounds the wait for locks.
CREATE OR REPLACE FUNCTION request_payload_drop(p_name text) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('ALTER TABLE request_payload DETACH PARTITION %I', p_name);
  EXECUTE format('DROP TABLE %I', p_name);
  RETURN true;
END $$;
