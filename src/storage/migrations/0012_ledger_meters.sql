-- Which meters a request draws on.
--
-- Functions of the ledger on the path of a request set `enable_seqscan = off` and `plan_cache_mode = force_generic_plan`: plans
-- that are made on empty tables stay good, and no call is planned anew.
--
-- PostgreSQL expects ten leases in a report and a hundred requests in a batch, whatever there are, and would rather read all of a
-- table that its statistics call small. So no function of the ledger joins two lists that grow with a report, and each row is looked
-- up by `id = ANY (ARRAY[x])`, which is `id = x` as a lookup in the index only. Whether an id is new is a subquery: a `NOT EXISTS`
-- could become a join, a subquery never does.

-- The current time: milliseconds since the epoch where a test gives them, else the database's clock.
CREATE OR REPLACE FUNCTION ledger_now(p_now double precision) RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
  SELECT date_trunc('milliseconds', COALESCE(to_timestamp(p_now / 1000), clock_timestamp()));
$$;

-- The billing cycle that contains a moment: months from the start, each clamped to the last day of its month.
CREATE OR REPLACE FUNCTION plan_cycle(p_started timestamptz, p_now timestamptz, OUT starts_at timestamptz, OUT ends_at timestamptz)
LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  v_start timestamp := p_started AT TIME ZONE 'UTC';
  v_now timestamp := p_now AT TIME ZONE 'UTC';
  v_months integer := GREATEST(0, (extract(year FROM v_now) - extract(year FROM v_start)) * 12
    + extract(month FROM v_now) - extract(month FROM v_start));
BEGIN
  IF v_months > 0 AND v_start + make_interval(months => v_months) > v_now THEN
    v_months := v_months - 1;
  END IF;
  starts_at := (v_start + make_interval(months => v_months)) AT TIME ZONE 'UTC';
  ends_at := (v_start + make_interval(months => v_months + 1)) AT TIME ZONE 'UTC';
END $$;

-- In hours, because days of a time zone differ in length.
CREATE OR REPLACE FUNCTION recurring_end(p_period text, p_starts_at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE p_period
    WHEN 'hour' THEN p_starts_at + interval '1 hour'
    WHEN 'day' THEN p_starts_at + interval '24 hours'
    WHEN 'week' THEN p_starts_at + interval '168 hours'
    ELSE (p_starts_at AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC'
  END;
$$;

-- Adds to each request the meters it draws on, `m`, and `x` where credits may pay instead of the plan. Periods that do not exist
-- yet are created; `opened` are those to delete again unless a request is admitted to them. The caller holds the lock rows.
CREATE OR REPLACE FUNCTION ledger_assign(p_requests jsonb, p_now timestamptz, OUT requests jsonb, OUT opened bigint[]) LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO meter (kind, subject_id, lim, starts_at, ends_at, lock_row_id)
  SELECT DISTINCT 'plan', s.organization_id, s.credits, c.starts_at, c.ends_at, g.id
  FROM jsonb_to_recordset(p_requests) AS r (o text)
  CROSS JOIN LATERAL (SELECT * FROM subscription WHERE organization_id = r.o LIMIT 1) AS s
  CROSS JOIN LATERAL (SELECT m.id FROM meter m WHERE m.kind = 'credits' AND m.subject_id = r.o LIMIT 1) AS g
  CROSS JOIN LATERAL plan_cycle(s.started_at, p_now) AS c
  WHERE NOT EXISTS (
    SELECT FROM meter m WHERE m.kind = 'plan' AND m.subject_id = s.organization_id AND m.starts_at = c.starts_at);

  WITH window_opened AS (
    INSERT INTO meter (kind, subject_id, lim, starts_at, ends_at, lock_row_id)
    SELECT DISTINCT 'premium', s.organization_id, s.premium, p_now, p_now + interval '168 hours', g.id
    FROM jsonb_to_recordset(p_requests) AS r (o text, q boolean)
    CROSS JOIN LATERAL (SELECT * FROM subscription WHERE organization_id = r.o LIMIT 1) AS s
    CROSS JOIN LATERAL (SELECT m.id FROM meter m WHERE m.kind = 'credits' AND m.subject_id = r.o LIMIT 1) AS g
    WHERE r.q AND NOT EXISTS (
      SELECT FROM meter m WHERE m.kind = 'premium' AND m.subject_id = s.organization_id AND m.ends_at >= p_now)
    UNION ALL
    SELECT DISTINCT 'recurring', l.key_id, l.lim, p_now, recurring_end(l.period, p_now), g.id
    FROM jsonb_to_recordset(p_requests) AS r (k text, a numeric)
    CROSS JOIN LATERAL (SELECT * FROM recurring_limit WHERE key_id = r.k LIMIT 1) AS l
    CROSS JOIN LATERAL (SELECT m.id FROM meter m WHERE m.kind = 'key' AND m.subject_id = r.k LIMIT 1) AS g
    WHERE r.a > 0 AND NOT EXISTS (
      SELECT FROM meter m WHERE m.kind = 'recurring' AND m.subject_id = l.key_id AND m.ends_at >= p_now)
    RETURNING id
  )
  SELECT array_agg(id) INTO opened FROM window_opened;

  SELECT jsonb_agg(e.value || jsonb_build_object(
    'm', array_remove(ARRAY[k.id, t.id, COALESCE(p.id, c.id), w.id], NULL),
    'x', CASE WHEN s.overflow AND c.lim IS NOT NULL THEN to_jsonb(array_remove(ARRAY[k.id, t.id, c.id], NULL)) END
  ) ORDER BY e.n) INTO requests
  FROM jsonb_array_elements(p_requests) WITH ORDINALITY AS e (value, n)
  CROSS JOIN LATERAL (SELECT m.id FROM meter m WHERE m.kind = 'key' AND m.subject_id = e.value ->> 'k' LIMIT 1) AS k
  CROSS JOIN LATERAL (SELECT m.id, m.lim FROM meter m WHERE m.kind = 'credits' AND m.subject_id = e.value ->> 'o' LIMIT 1) AS c
  LEFT JOIN LATERAL (SELECT * FROM subscription WHERE organization_id = e.value ->> 'o' LIMIT 1) AS s ON true
  LEFT JOIN LATERAL plan_cycle(s.started_at, p_now) AS y ON s.organization_id IS NOT NULL
  LEFT JOIN LATERAL (
    SELECT m.id FROM meter m WHERE m.kind = 'plan' AND m.subject_id = s.organization_id AND m.starts_at = y.starts_at LIMIT 1
  ) AS p ON true
  LEFT JOIN LATERAL (
    SELECT m.id FROM meter m
    WHERE (e.value ->> 'q')::boolean AND m.kind = 'premium' AND m.subject_id = s.organization_id AND m.ends_at >= p_now
    ORDER BY m.starts_at DESC LIMIT 1
  ) AS w ON true
  LEFT JOIN LATERAL (
    SELECT key_id FROM recurring_limit WHERE key_id = e.value ->> 'k' AND (e.value ->> 'a')::numeric > 0 LIMIT 1
  ) AS l ON true
  LEFT JOIN LATERAL (
    SELECT m.id FROM meter m WHERE m.kind = 'recurring' AND m.subject_id = l.key_id AND m.ends_at >= p_now
    ORDER BY m.starts_at DESC LIMIT 1
  ) AS t ON true;
END $$;

-- Adds to `m` and `x` the meters of the member `u` and the session token `t` of each request. The caller holds the lock rows.
CREATE OR REPLACE FUNCTION ledger_assign_identity(p_requests jsonb, p_now timestamptz, OUT requests jsonb, OUT opened bigint[])
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  WITH window_opened AS (
    INSERT INTO meter (kind, subject_id, lim, starts_at, ends_at, lock_row_id)
    SELECT DISTINCT 'member_recurring', b.id, b.recurring_lim, p_now, recurring_end(b.recurring_period, p_now), g.lock_row_id
    FROM jsonb_to_recordset(p_requests) AS r (u text, a numeric)
    CROSS JOIN LATERAL (SELECT * FROM member WHERE id = r.u AND recurring_lim IS NOT NULL LIMIT 1) AS b
    CROSS JOIN LATERAL (SELECT m.lock_row_id FROM meter m WHERE m.kind = 'member' AND m.subject_id = r.u LIMIT 1) AS g
    WHERE r.a > 0 AND NOT EXISTS (
      SELECT FROM meter m WHERE m.kind = 'member_recurring' AND m.subject_id = b.id AND m.ends_at >= p_now)
    RETURNING id
  )
  SELECT array_agg(id) INTO opened FROM window_opened;

  SELECT jsonb_agg(CASE WHEN i.ids = '[]' THEN e.value ELSE e.value || jsonb_build_object(
    'm', (e.value -> 'm') || i.ids,
    'x', CASE WHEN jsonb_typeof(e.value -> 'x') = 'array' THEN (e.value -> 'x') || i.ids END
  ) END ORDER BY e.n) INTO requests
  FROM jsonb_array_elements(p_requests) WITH ORDINALITY AS e (value, n)
  LEFT JOIN LATERAL (SELECT m.id FROM meter m WHERE m.kind = 'credits' AND m.subject_id = e.value ->> 'o' LIMIT 1) AS c ON true
  LEFT JOIN LATERAL (SELECT m.id FROM meter m WHERE m.kind = 'key' AND m.subject_id = e.value ->> 'k' LIMIT 1) AS k ON true
  LEFT JOIN LATERAL (
    SELECT m.id, m.subject_id FROM meter m
    WHERE m.kind = 'member' AND m.subject_id = e.value ->> 'u' AND m.lock_row_id = c.id LIMIT 1
  ) AS u ON true
  LEFT JOIN LATERAL (
    SELECT m.id FROM meter m WHERE m.kind = 'session' AND m.subject_id = e.value ->> 't' AND m.lock_row_id = k.id LIMIT 1
  ) AS t ON true
  LEFT JOIN LATERAL (
    SELECT id FROM member WHERE id = u.subject_id AND recurring_lim IS NOT NULL AND (e.value ->> 'a')::numeric > 0 LIMIT 1
  ) AS b ON true
  LEFT JOIN LATERAL (
    SELECT m.id FROM meter m WHERE m.kind = 'member_recurring' AND m.subject_id = b.id AND m.ends_at >= p_now
    ORDER BY m.starts_at DESC LIMIT 1
  ) AS w ON true
  CROSS JOIN LATERAL (SELECT to_jsonb(array_remove(ARRAY[u.id, w.id, t.id], NULL)) AS ids) AS i
  -- A meter of another subject's lock row is not found: only its lock row permits a charge.
  WHERE (e.value ->> 'u' IS NULL OR u.id IS NOT NULL) AND (e.value ->> 't' IS NULL OR t.id IS NOT NULL);
  IF COALESCE(jsonb_array_length(requests), 0) <> jsonb_array_length(p_requests) THEN
    RAISE EXCEPTION 'a request names a member or a session token without a meter';
  END IF;
END $$;
