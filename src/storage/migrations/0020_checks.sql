-- The check of the books: each function returns what must agree and does not. All run on one snapshot, in parallel. Each reads
-- a table once, in the order it lies in: what depends on the meters of a request is decided once for all requests with the same
-- meters, and details are read only where something differs.

-- Meters: their sums, their limits and periods, and the subjects they belong to.
CREATE OR REPLACE FUNCTION ledger_check() RETURNS TABLE (what text, subject text, expected text, actual text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY WITH sums AS MATERIALIZED (
    SELECT e.kind, e.meter_ids, sum(e.customer) AS customer FROM ledger_entry e GROUP BY 1, 2
  ), charged AS (
    SELECT u.id, sum(s.customer) AS customer FROM sums s, unnest(s.meter_ids) AS u (id) WHERE s.kind <> 'grant' GROUP BY u.id
  ), granted AS (
    SELECT u.id, sum(s.customer) AS customer FROM sums s, unnest(s.meter_ids) AS u (id) WHERE s.kind = 'grant' GROUP BY u.id
  ), open AS (
    SELECT u.id, sum(h.amount) AS amount, count(*) AS count FROM hold h, unnest(h.meter_ids) AS u (id) GROUP BY u.id
  ), lists AS (
    SELECT s.meter_ids FROM sums s WHERE s.kind IN ('usage', 'estimate')
    UNION
    SELECT h.meter_ids FROM hold h
  ), list_kinds AS MATERIALIZED (
    SELECT l.meter_ids, count(*) FILTER (WHERE m.kind = 'key') AS keys,
      count(*) FILTER (WHERE m.kind IN ('credits', 'plan')) AS balances, count(*) FILTER (WHERE m.id IS NULL) AS lost,
      count(*) FILTER (WHERE m.kind = 'member') AS members, count(*) FILTER (WHERE m.kind = 'session') AS sessions,
      max(m.subject_id) FILTER (WHERE m.kind = 'key') AS key_id,
      max(m.subject_id) FILTER (WHERE m.kind = 'member') AS member_id,
      max(m.subject_id) FILTER (WHERE m.kind = 'session') AS session_id,
      count(*) FILTER (WHERE m.kind LIKE 'project%') AS projects, count(DISTINCT m.kind) FILTER (WHERE m.kind LIKE 'project%')
        AS project_kinds, array_agg(DISTINCT m.subject_id) FILTER (WHERE m.kind LIKE 'project%') AS project_ids
    FROM lists l CROSS JOIN LATERAL unnest(l.meter_ids) AS u (id) LEFT JOIN meter m ON m.id = u.id GROUP BY l.meter_ids
  ), wrong AS MATERIALIZED (
    SELECT 'meters' AS what, p.meter_ids, '1 key, 1 balance, 0 lost' AS expected,
      p.keys || ' key, ' || p.balances || ' balance, ' || p.lost || ' lost' AS actual
    FROM list_kinds p WHERE (p.keys, p.balances, p.lost) <> (1, 1, 0)
    UNION ALL
    SELECT 'member meter', p.meter_ids, COALESCE('member ' || k.member_id, 'none'),
      p.members || ' of members, last ' || COALESCE(p.member_id, 'none')
    FROM list_kinds p JOIN api_key k ON k.id = p.key_id WHERE p.members > 1 OR p.member_id IS DISTINCT FROM k.member_id
    UNION ALL
    SELECT 'session meter', p.meter_ids, 'at most 1, of key ' || p.key_id,
      p.sessions || ', last ' || COALESCE(p.session_id, 'none') || ' of key ' || COALESCE(t.key_id, 'none')
    FROM list_kinds p LEFT JOIN session_token t ON t.id = p.session_id
    WHERE p.sessions > 1 OR (p.session_id IS NOT NULL AND t.key_id IS DISTINCT FROM p.key_id)
    UNION ALL
    SELECT 'project meter', p.meter_ids, 'at most 1 of a kind, of project ' || k.project_id,
      p.projects || ' of ' || p.project_kinds || ' kinds, of ' || array_to_string(p.project_ids, ', ')
    FROM list_kinds p JOIN api_key k ON k.id = p.key_id
    WHERE p.projects > p.project_kinds OR p.project_ids <> ARRAY[k.project_id]
  ), named AS (
    SELECT m.*, m.kind || ' ' || m.subject_id || CASE WHEN m.starts_at IS NULL THEN '' ELSE
      to_char(m.starts_at AT TIME ZONE 'UTC', ' YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') END AS name,
      CASE WHEN m.kind <> 'plan' THEN lag(m.ends_at) OVER (PARTITION BY m.kind, m.subject_id ORDER BY m.starts_at)
      END AS ended_before
    FROM meter m
  )
  SELECT 'used', m.name, (m.used_before + COALESCE(c.customer, 0))::text, m.used::text
  FROM named m LEFT JOIN charged c ON c.id = m.id WHERE m.used <> m.used_before + COALESCE(c.customer, 0)
  UNION ALL
  SELECT 'used by all keys', m.name, k.used::text, m.used::text
  FROM named m CROSS JOIN LATERAL project_used(m.subject_id) AS k (used)
  WHERE m.kind = 'project' AND m.lim IS NOT NULL AND m.used <> k.used
  UNION ALL
  SELECT 'held', m.name, COALESCE(o.amount, 0)::text, m.held::text
  FROM named m LEFT JOIN open o ON o.id = m.id WHERE m.held <> COALESCE(o.amount, 0)
  UNION ALL
  SELECT 'limit', m.name, (m.used_before_grants + COALESCE(g.customer, 0))::text, COALESCE(m.lim::text, 'none')
  FROM named m LEFT JOIN granted g ON g.id = m.id
  WHERE m.kind = 'credits' AND (m.lim IS NOT NULL OR g.id IS NOT NULL)
    AND m.lim IS DISTINCT FROM m.used_before_grants + COALESCE(g.customer, 0)
  UNION ALL
  SELECT 'window without a use', m.name, 'at least 1, open ' || COALESCE(o.count, 0)::text, m.uses::text
  FROM named m LEFT JOIN open o ON o.id = m.id
  WHERE (m.kind = 'premium' OR m.kind LIKE '%recurring') AND m.uses < GREATEST(1, COALESCE(o.count, 0))
  UNION ALL
  SELECT 'window within another', m.name, 'after ' || m.ended_before::text, m.starts_at::text
  FROM named m WHERE m.starts_at <= m.ended_before
  UNION ALL
  SELECT w.what, e.request_id, w.expected, w.actual
  FROM wrong w JOIN ledger_entry e ON e.meter_ids = w.meter_ids WHERE e.kind IN ('usage', 'estimate')
  UNION ALL
  SELECT w.what, h.request_id, w.expected, w.actual FROM wrong w JOIN hold h ON h.meter_ids = w.meter_ids
  UNION ALL
  SELECT 'lock row', m.name, s.lock_row, COALESCE(g.kind || ' ' || g.subject_id, 'none')
  FROM named m JOIN (
    SELECT 'member' AS kind, b.id, 'credits ' || b.organization_id AS lock_row FROM member b
    UNION ALL
    SELECT 'member_recurring', b.id, 'credits ' || b.organization_id FROM member b
    UNION ALL
    SELECT 'session', t.id, 'key ' || t.key_id FROM session_token t
    UNION ALL
    SELECT k.kind, p.id, 'credits ' || p.organization_id FROM project p, unnest(ARRAY['project', 'project_recurring']) AS k (kind)
    UNION ALL
    SELECT 'organization_recurring', o.id, 'credits ' || o.id FROM organization o
  ) AS s ON s.kind = m.kind AND s.id = m.subject_id
  LEFT JOIN meter g ON g.id = m.lock_row_id
  WHERE s.lock_row IS DISTINCT FROM g.kind || ' ' || g.subject_id
  UNION ALL
  SELECT 'closings', a.request_id, '1', '0' FROM ledger_entry a
  WHERE a.kind = 'adjust' AND EXISTS (SELECT FROM sums s WHERE s.kind = 'adjust')
    AND NOT EXISTS (SELECT FROM ledger_entry c WHERE c.request_id = a.request_id AND c.kind IN ('usage', 'estimate'))
  UNION ALL
  SELECT 'open after its end', h.request_id, 'no hold', h.amount::text FROM hold h
  WHERE EXISTS (SELECT FROM ledger_entry e WHERE e.request_id = h.request_id AND e.kind IN ('usage', 'estimate', 'adjust'));
END $$;

-- The entries of a request beside its log row.
CREATE OR REPLACE FUNCTION ledger_check_entries() RETURNS TABLE (what text, subject text, expected text, actual text)
LANGUAGE plpgsql STABLE SET enable_hashjoin = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_cutoff timestamptz := (SELECT retention_cutoff FROM log_state);
BEGIN
  RETURN QUERY WITH differing AS MATERIALIZED (
    SELECT e.request_id AS id, l.request_id AS row_id, l.customer_cost, l.provider_cost
    FROM (SELECT * FROM ledger_entry WHERE kind IN ('usage', 'estimate')) AS e
    FULL JOIN request_log l ON l.request_id = e.request_id
    WHERE (l.customer_cost, l.provider_cost) IS DISTINCT FROM (e.customer, e.provider)
      AND (e.request_id IS NOT NULL OR l.customer_cost <> 0)
    UNION
    SELECT j.request_id, l.request_id, l.customer_cost, l.provider_cost
    FROM ledger_entry j LEFT JOIN request_log l ON l.request_id = j.request_id WHERE j.kind = 'adjust'
  )
  SELECT 'row', d.id, s.customer::text || ' / ' || s.provider::text,
    COALESCE(d.customer_cost::text || ' / ' || d.provider_cost::text, 'none')
  FROM differing d CROSS JOIN LATERAL (
    SELECT sum(e.customer) AS customer, sum(e.provider) AS provider, min(e.created_at) AS created_at FROM ledger_entry e
    WHERE e.request_id = d.id AND e.kind IN ('usage', 'estimate', 'adjust')
  ) AS s
  WHERE d.id IS NOT NULL AND (d.customer_cost, d.provider_cost) IS DISTINCT FROM (s.customer, s.provider)
    AND (d.row_id IS NOT NULL OR (s.created_at >= v_cutoff AND request_log_time(d.id) < v_cutoff IS NOT TRUE))
  UNION ALL
  SELECT 'unpaid row', d.row_id, '0', d.customer_cost::text FROM differing d WHERE d.id IS NULL;
END $$;

-- A request has one final entry and one log row. The primary key of neither table proves it: both have a second column.
CREATE OR REPLACE FUNCTION ledger_check_rows() RETURNS TABLE (what text, subject text, expected text, actual text)
LANGUAGE sql STABLE SET enable_hashagg = off AS $$
  SELECT 'rows', request_id, '1', count(*)::text FROM request_log GROUP BY request_id HAVING count(*) > 1
  UNION ALL
  SELECT 'closings', request_id, '1', count(*)::text FROM ledger_entry WHERE kind IN ('usage', 'estimate')
  GROUP BY request_id HAVING count(*) > 1;
$$;

-- Jobs: a running job has a hold, one that has ended has none. What was made with an organization's own provider key is billed
-- by the provider, so it costs 0 here.
CREATE OR REPLACE FUNCTION ledger_check_jobs() RETURNS TABLE (what text, subject text, expected text, actual text)
LANGUAGE sql STABLE AS $$
  SELECT 'hold of a job', h.request_id, 'an open job', COALESCE(j.status, 'no job')
  FROM hold h LEFT JOIN video_job j ON j.request_id = h.request_id
  WHERE h.owner_epoch = 0 AND (j.id IS NULL OR j.status NOT IN ('queued', 'in_progress'))
  UNION ALL
  SELECT 'job', j.id, 'a hold', 'none' FROM video_job j
  WHERE j.status IN ('queued', 'in_progress') AND NOT EXISTS (SELECT FROM hold h WHERE h.request_id = j.request_id)
  UNION ALL
  SELECT 'bill of a job', b.id, b.bill::text, COALESCE(b.paid::text, 'none')
  FROM (
    SELECT j.id, CASE WHEN j.status = 'completed' AND j.row::jsonb ->> 'credential' IS DISTINCT FROM 'own'
        THEN j.cost ELSE 0 END AS bill,
      (SELECT sum(e.customer) FROM ledger_entry e WHERE e.request_id = j.request_id) AS paid
    FROM video_job j WHERE j.status NOT IN ('queued', 'in_progress')
  ) AS b
  WHERE b.paid IS DISTINCT FROM b.bill;
$$;

-- Usage beside the log: dropped requests and the usage that is left of them, counted hours and their rows, days and their hours.
CREATE OR REPLACE FUNCTION request_log_check() RETURNS TABLE (what text, subject text, expected text, actual text)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  v_state log_state;
BEGIN
  SELECT * INTO v_state FROM log_state;
  IF isfinite(v_state.retention_cutoff) THEN
    RETURN QUERY WITH gone AS (
      SELECT COALESCE(sum(e.customer), 0) AS customer, COALESCE(sum(e.provider), 0) AS provider
      FROM ledger_entry e
      WHERE e.kind IN ('usage', 'estimate', 'adjust')
        AND (e.created_at < v_state.retention_cutoff OR request_log_time(e.request_id) < v_state.retention_cutoff)
        AND NOT EXISTS (SELECT FROM request_log l WHERE l.request_id = e.request_id)
    ), counted AS (
      SELECT COALESCE(sum(u.customer_cost), 0) AS customer, COALESCE(sum(u.provider_cost), 0) AS provider
      FROM usage_hour u WHERE u.hour < v_state.retention_cutoff
    )
    SELECT 'expired usage', 'before ' || v_state.retention_cutoff::text, g.customer || ' / ' || g.provider,
      c.customer || ' / ' || c.provider
    FROM gone g, counted c WHERE (g.customer, g.provider) <> (c.customer, c.provider);
  END IF;
  RETURN QUERY WITH counted AS (
    SELECT u.hour, sum(u.requests) AS requests, sum(u.customer_cost) AS customer, sum(u.provider_cost) AS provider,
      sum(u.input_uncached + u.input_cache_read + u.input_cache_write_5m + u.input_cache_write_1h
        + u.input_audio + u.input_image) AS input,
      sum(u.output_text + u.output_reasoning + u.output_audio + u.output_image) AS output
    FROM usage_hour u WHERE u.hour >= v_state.retention_cutoff AND u.hour < v_state.counted_through GROUP BY 1
  ), logged AS (
    SELECT usage_hour_of(l.started_at) AS hour, count(*)::numeric AS requests, sum(l.customer_cost) AS customer,
      sum(l.provider_cost) AS provider,
      sum(l.input_uncached + l.input_cache_read + l.input_cache_write_5m + l.input_cache_write_1h
        + l.input_audio + l.input_image) AS input,
      sum(l.output_text + l.output_reasoning + l.output_audio + l.output_image) AS output
    FROM request_log l WHERE l.started_at >= v_state.retention_cutoff AND l.started_at < v_state.counted_through GROUP BY 1
  )
  SELECT 'usage', hour::text, concat_ws(' / ', l.requests, l.customer, l.provider, l.input, l.output),
    concat_ws(' / ', c.requests, c.customer, c.provider, c.input, c.output)
  FROM counted c FULL JOIN logged l USING (hour)
  WHERE (l.requests, l.customer, l.provider, l.input, l.output)
      IS DISTINCT FROM (c.requests, c.customer, c.provider, c.input, c.output)
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
    UNION ALL SELECT 'usage by agent and tag', day, requests, customer_cost, provider_cost FROM usage_day_tag_agent
    UNION ALL SELECT 'usage by parent agent and tag', day, requests, customer_cost, provider_cost FROM usage_day_tag_parent
    UNION ALL SELECT 'usage by end user and tag', day, requests, customer_cost, provider_cost FROM usage_day_tag_user
    UNION ALL SELECT 'usage by session token and tag', day, requests, customer_cost, provider_cost FROM usage_day_tag_token
    UNION ALL SELECT 'usage without names', usage_day_of(hour), requests, customer_cost, provider_cost FROM usage_hour_unnamed
    UNION ALL SELECT 'usage per hour by client', hour, requests, customer_cost, provider_cost FROM usage_hour_client
    UNION ALL SELECT 'usage per hour by tag', hour, requests, customer_cost, provider_cost FROM usage_hour_tag
  ), sums AS (
    SELECT what, moment, sum(requests) AS requests, sum(customer_cost) AS customer, sum(provider_cost) AS provider
    FROM found GROUP BY 1, 2
  ), wanted AS (
    SELECT t.what, d.* FROM days d, unnest(ARRAY[
      'usage by client', 'usage by tag', 'usage by session', 'usage by agent', 'usage by agent alone', 'usage by run',
      'usage by agent and tag', 'usage by parent agent and tag', 'usage by end user and tag',
      'usage by session token and tag', 'usage without names']) AS t (what)
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
