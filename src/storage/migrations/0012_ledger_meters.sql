-- Which meters a request draws on.
--
-- Functions of the ledger on the path of a request set `enable_seqscan = off` and `plan_cache_mode = force_generic_plan`: plans
-- that are made on empty tables stay good, and no call is planned anew.

-- The current time: milliseconds since the epoch where a test gives them, else the database's clock.
CREATE FUNCTION ledger_now(p_now double precision) RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
  SELECT date_trunc('milliseconds', COALESCE(to_timestamp(p_now / 1000), clock_timestamp()));
$$;

-- The billing cycle that contains a moment: months from the start, each clamped to the last day of its month.
CREATE FUNCTION plan_cycle(p_started timestamptz, p_now timestamptz, OUT starts_at timestamptz, OUT ends_at timestamptz)
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
CREATE FUNCTION recurring_end(p_period text, p_starts_at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE p_period
    WHEN 'hour' THEN p_starts_at + interval '1 hour'
    WHEN 'day' THEN p_starts_at + interval '24 hours'
    WHEN 'week' THEN p_starts_at + interval '168 hours'
    ELSE (p_starts_at AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC'
  END;
$$;

-- Adds to each request the meters it draws on, `m`, and `x` where credits may pay instead of the plan. Periods that do not exist
-- yet are created; `opened` are those to delete again unless a request is admitted to them. The caller holds the lock rows.
CREATE FUNCTION ledger_assign(p_requests jsonb, p_now timestamptz, OUT requests jsonb, OUT opened bigint[]) LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO meter (kind, subject_id, lim, starts_at, ends_at, lock_row_id)
  SELECT DISTINCT 'plan', s.organization_id, s.credits, c.starts_at, c.ends_at, g.id
  FROM jsonb_to_recordset(p_requests) AS r (o text)
  JOIN subscription s ON s.organization_id = r.o
  JOIN meter g ON g.kind = 'credits' AND g.subject_id = s.organization_id
  CROSS JOIN LATERAL plan_cycle(s.started_at, p_now) AS c
  WHERE NOT EXISTS (
    SELECT FROM meter m WHERE m.kind = 'plan' AND m.subject_id = s.organization_id AND m.starts_at = c.starts_at);

  WITH window_opened AS (
    INSERT INTO meter (kind, subject_id, lim, starts_at, ends_at, lock_row_id)
    SELECT DISTINCT 'premium', s.organization_id, s.premium, p_now, p_now + interval '168 hours', g.id
    FROM jsonb_to_recordset(p_requests) AS r (o text, q boolean)
    JOIN subscription s ON s.organization_id = r.o
    JOIN meter g ON g.kind = 'credits' AND g.subject_id = s.organization_id
    WHERE r.q AND NOT EXISTS (
      SELECT FROM meter m WHERE m.kind = 'premium' AND m.subject_id = s.organization_id AND m.ends_at >= p_now)
    UNION ALL
    SELECT DISTINCT 'recurring', l.key_id, l.lim, p_now, recurring_end(l.period, p_now), g.id
    FROM jsonb_to_recordset(p_requests) AS r (k text, a numeric)
    JOIN recurring_limit l ON l.key_id = r.k
    JOIN meter g ON g.kind = 'key' AND g.subject_id = l.key_id
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
  JOIN meter k ON k.kind = 'key' AND k.subject_id = e.value ->> 'k'
  JOIN meter c ON c.kind = 'credits' AND c.subject_id = e.value ->> 'o'
  LEFT JOIN subscription s ON s.organization_id = e.value ->> 'o'
  LEFT JOIN LATERAL plan_cycle(s.started_at, p_now) AS y ON s.organization_id IS NOT NULL
  LEFT JOIN meter p ON p.kind = 'plan' AND p.subject_id = s.organization_id AND p.starts_at = y.starts_at
  LEFT JOIN LATERAL (
    SELECT m.id FROM meter m
    WHERE (e.value ->> 'q')::boolean AND m.kind = 'premium' AND m.subject_id = s.organization_id AND m.ends_at >= p_now
    ORDER BY m.starts_at DESC LIMIT 1
  ) AS w ON true
  LEFT JOIN recurring_limit l ON l.key_id = e.value ->> 'k' AND (e.value ->> 'a')::numeric > 0
  LEFT JOIN LATERAL (
    SELECT m.id FROM meter m WHERE m.kind = 'recurring' AND m.subject_id = l.key_id AND m.ends_at >= p_now
    ORDER BY m.starts_at DESC LIMIT 1
  ) AS t ON true;
END $$;

-- Adds to `m` and `x` the meters of the member `u` and the session token `t` of each request. The caller holds the lock rows.
CREATE FUNCTION ledger_assign_identity(p_requests jsonb, p_now timestamptz, OUT requests jsonb, OUT opened bigint[])
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  WITH window_opened AS (
    INSERT INTO meter (kind, subject_id, lim, starts_at, ends_at, lock_row_id)
    SELECT DISTINCT 'member_recurring', b.id, b.recurring_lim, p_now, recurring_end(b.recurring_period, p_now), g.lock_row_id
    FROM jsonb_to_recordset(p_requests) AS r (u text, a numeric)
    JOIN member b ON b.id = r.u AND b.recurring_lim IS NOT NULL
    JOIN meter g ON g.kind = 'member' AND g.subject_id = b.id
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
  LEFT JOIN meter c ON c.kind = 'credits' AND c.subject_id = e.value ->> 'o'
  LEFT JOIN meter k ON k.kind = 'key' AND k.subject_id = e.value ->> 'k'
  LEFT JOIN meter u ON u.kind = 'member' AND u.subject_id = e.value ->> 'u' AND u.lock_row_id = c.id
  LEFT JOIN meter t ON t.kind = 'session' AND t.subject_id = e.value ->> 't' AND t.lock_row_id = k.id
  LEFT JOIN member b ON b.id = u.subject_id AND b.recurring_lim IS NOT NULL AND (e.value ->> 'a')::numeric > 0
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
