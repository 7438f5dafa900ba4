-- Sums per day by agent alone, and by run and turn, without the names of sessions: what has no such name is then few lines, and
-- a run or a turn of many hours, models and agents is a few.

CREATE TABLE usage_day_agent_name (
  LIKE usage_day_client INCLUDING DEFAULTS INCLUDING GENERATED,
  agent_id text NOT NULL DEFAULT '',
  parent_agent_id text NOT NULL DEFAULT ''
);
ALTER TABLE usage_day_agent_name DROP COLUMN finish_reason, DROP COLUMN miss_reason;
CREATE TABLE usage_day_run (
  LIKE usage_day_client INCLUDING DEFAULTS INCLUDING GENERATED,
  run_id text NOT NULL DEFAULT '',
  turn_id text NOT NULL DEFAULT ''
);
ALTER TABLE usage_day_run DROP COLUMN finish_reason, DROP COLUMN miss_reason;

CREATE INDEX usage_day_agent_name_day ON usage_day_agent_name (organization_id, day);
CREATE INDEX usage_day_agent_name_agent ON usage_day_agent_name (agent_id) INCLUDE (organization_id, day, requests, ranked_cost);
CREATE INDEX usage_day_run_day ON usage_day_run (organization_id, day);
CREATE INDEX usage_day_run_run ON usage_day_run (run_id) INCLUDE (organization_id, day, requests, ranked_cost);
CREATE INDEX usage_day_run_turn ON usage_day_run (turn_id) INCLUDE (organization_id, day, requests, ranked_cost);

-- Their days are summed up again in the background; reports read hours until then.
INSERT INTO usage_open SELECT DISTINCT day FROM usage_day ON CONFLICT DO NOTHING;

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
    ('usage_detail', 'usage_day_agent'), ('usage_day_agent', 'usage_day_agent_name'), ('usage_day_agent', 'usage_day_session')
  ) AS t (from_name, name)
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
    UNION ALL SELECT 'usage by agent alone', day, requests, customer_cost, provider_cost FROM usage_day_agent_name
    UNION ALL SELECT 'usage by run', day, requests, customer_cost, provider_cost FROM usage_day_run
    UNION ALL SELECT 'usage per hour by client', hour, requests, customer_cost, provider_cost FROM usage_hour_client
    UNION ALL SELECT 'usage per hour by tag', hour, requests, customer_cost, provider_cost FROM usage_hour_tag
  ), sums AS (
    SELECT what, moment, sum(requests) AS requests, sum(customer_cost) AS customer, sum(provider_cost) AS provider
    FROM found GROUP BY 1, 2
  ), wanted AS (
    SELECT t.what, d.* FROM days d, unnest(ARRAY[
      'usage by client', 'usage by tag', 'usage by session', 'usage by agent', 'usage by agent alone', 'usage by run']) AS t (what)
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
