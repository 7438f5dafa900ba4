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

-- Adds the sums of a table's lines in a span to a table that has some of its names, per hour or per day.
CREATE FUNCTION usage_sum_up(p_from regclass, p_into regclass, p_since timestamptz, p_until timestamptz)
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
CREATE FUNCTION usage_count_back() RETURNS boolean LANGUAGE plpgsql AS $$
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
    ('usage_hour_tag', 'usage_day_tag'), ('usage_day_tag', 'usage_day_client'), ('usage_detail', 'usage_day_agent'),
    ('usage_day_agent', 'usage_day_session')) AS t (from_name, name)
  LOOP
    EXECUTE format('DELETE FROM %I WHERE day < $1 OR day = ANY ($2)', v_table.name) USING v_cutoff, p_days;
    FOREACH v_day IN ARRAY p_days LOOP
      PERFORM usage_sum_up(v_table.from_name, v_table.name, v_day, v_day + interval '24 hours');
    END LOOP;
  END LOOP;
END $$;

-- Sums of names beside those of the hours they are made of.
CREATE OR REPLACE FUNCTION usage_day_check() RETURNS TABLE (what text, subject text, expected text, actual text)
LANGUAGE sql STABLE AS $$
  WITH hours AS MATERIALIZED (
    SELECT u.hour, sum(u.requests) AS requests, sum(u.customer_cost) AS customer, sum(u.provider_cost) AS provider
    FROM usage_detail u, log_state s WHERE u.hour >= s.detailed_from AND u.hour >= s.retention_cutoff GROUP BY 1
  ), days AS (
    SELECT usage_day_of(hour) AS moment, sum(requests) AS requests, sum(customer) AS customer, sum(provider) AS provider
    FROM hours GROUP BY 1
  ), found AS (
    SELECT 'usage by client' AS what, day AS moment, requests, customer_cost, provider_cost FROM usage_day_client
    UNION ALL SELECT 'usage by tag', day, requests, customer_cost, provider_cost FROM usage_day_tag
    UNION ALL SELECT 'usage by session', day, requests, customer_cost, provider_cost FROM usage_day_session
    UNION ALL SELECT 'usage by agent', day, requests, customer_cost, provider_cost FROM usage_day_agent
    UNION ALL SELECT 'usage per hour by client', hour, requests, customer_cost, provider_cost FROM usage_hour_client
    UNION ALL SELECT 'usage per hour by tag', hour, requests, customer_cost, provider_cost FROM usage_hour_tag
  ), sums AS (
    SELECT what, moment, sum(requests) AS requests, sum(customer_cost) AS customer, sum(provider_cost) AS provider
    FROM found GROUP BY 1, 2
  ), wanted AS (
    SELECT t.what, d.* FROM days d, unnest(ARRAY['usage by client', 'usage by tag', 'usage by session', 'usage by agent']) AS t (what)
    UNION ALL
    SELECT t.what, h.* FROM hours h, unnest(ARRAY['usage per hour by client', 'usage per hour by tag']) AS t (what)
  )
  SELECT what, moment::text, concat_ws(' / ', w.requests, w.customer, w.provider),
    concat_ws(' / ', f.requests, f.customer, f.provider)
  FROM wanted w FULL JOIN sums f USING (what, moment), log_state s
  WHERE (w.requests, w.customer, w.provider) IS DISTINCT FROM (f.requests, f.customer, f.provider)
    AND moment >= s.detailed_from AND moment >= s.retention_cutoff
    AND (what LIKE 'usage per hour%' OR NOT EXISTS (SELECT FROM usage_open o WHERE o.day = moment));
$$;
