-- Many keys at once. PostgreSQL estimates ten leases in a report and a hundred requests in a batch, whatever there are: it would join
-- the leases with each other one by one, and read the meters of all keys for a single request. So these functions join no two lists
-- that grow with a report, and look meters up by their subjects one by one.

-- The meters that requests draw on at a moment, as `ledger_assign` and `ledger_assign_identity` find them, for each lease;
-- `p_premium` are the leases of premium requests. No row where a period has not begun: its first requests take holds of their
-- own. Where credits pay instead of an exhausted plan there is no lease, because the plan has nothing left for one.
CREATE OR REPLACE FUNCTION ledger_lease_meters(p_leases ledger_lease[], p_premium text[], p_now timestamptz)
RETURNS TABLE (id text, meter_ids bigint[]) LANGUAGE sql STABLE AS $$
  SELECT l.id, array_remove(ARRAY[k.id, r.id, COALESCE(p.id, c.id), w.id, u.id, v.id, t.id], NULL)
  FROM unnest(p_leases) AS l
  CROSS JOIN LATERAL (
    SELECT m.id, m.renews FROM meter m WHERE m.kind = 'key' AND m.subject_id = l.k LIMIT 1
  ) AS k
  CROSS JOIN LATERAL (
    SELECT m.id, m.renews FROM meter m WHERE m.kind = 'credits' AND m.subject_id = l.o LIMIT 1
  ) AS c
  LEFT JOIN recurring_limit q ON k.renews AND q.key_id = l.k
  LEFT JOIN LATERAL (
    SELECT m.id FROM meter m WHERE m.kind = 'recurring' AND m.subject_id = q.key_id AND m.ends_at > p_now AND m.used > 0
    ORDER BY m.starts_at DESC LIMIT 1
  ) AS r ON true
  LEFT JOIN subscription s ON c.renews AND s.organization_id = l.o
  LEFT JOIN LATERAL plan_cycle(s.started_at, p_now) AS y ON s.organization_id IS NOT NULL
  LEFT JOIN meter p ON p.kind = 'plan' AND p.subject_id = s.organization_id AND p.starts_at = y.starts_at
  LEFT JOIN LATERAL (
    SELECT m.id FROM meter m
    WHERE l.id = ANY (p_premium) AND m.kind = 'premium' AND m.subject_id = s.organization_id AND m.ends_at > p_now AND m.used > 0
    ORDER BY m.starts_at DESC LIMIT 1
  ) AS w ON true
  LEFT JOIN meter u ON u.kind = 'member' AND u.subject_id = l.u AND u.lock_row_id = c.id
  LEFT JOIN member b ON b.id = u.subject_id AND b.recurring_lim IS NOT NULL
  LEFT JOIN LATERAL (
    SELECT m.id FROM meter m WHERE m.kind = 'member_recurring' AND m.subject_id = b.id AND m.ends_at > p_now AND m.used > 0
    ORDER BY m.starts_at DESC LIMIT 1
  ) AS v ON true
  LEFT JOIN meter t ON t.kind = 'session' AND t.subject_id = l.t AND t.lock_row_id = k.id
  WHERE (q.key_id IS NULL OR r.id IS NOT NULL) AND (s.organization_id IS NULL OR p.id IS NOT NULL)
    AND (s.organization_id IS NULL OR l.id = ANY (p_premium) IS NOT TRUE OR w.id IS NOT NULL)
    AND (l.u IS NULL OR u.id IS NOT NULL) AND (b.id IS NULL OR v.id IS NOT NULL) AND (l.t IS NULL OR t.id IS NOT NULL);
$$;

-- Creates the leases that are new, with nothing in them. Each is a use of its periods. A lease whose rest was booked as lost is not
-- opened again: its id could not be booked twice.
CREATE OR REPLACE FUNCTION ledger_open_leases(
  p_owner bigint, p_leases ledger_lease[], p_premium text[], p_now timestamptz
) RETURNS void LANGUAGE plpgsql SET enable_seqscan = off SET jit = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_new ledger_lease[] := ARRAY(
    SELECT l FROM unnest(p_leases) AS l
    WHERE l.want > 0 AND l.keep = 0 AND NOT EXISTS (SELECT FROM hold h WHERE h.request_id = l.id)
      AND NOT EXISTS (SELECT FROM ledger_entry e WHERE e.request_id = l.id));
BEGIN
  WITH opened AS (
    INSERT INTO hold (request_id, owner_epoch, meter_ids, amount, row, lease)
    SELECT a.id, p_owner, a.meter_ids, 0, '', true FROM ledger_lease_meters(v_new, p_premium, p_now) AS a
    WHERE p_premium IS NOT NULL
      OR NOT EXISTS (SELECT FROM meter m WHERE m.id = ANY (a.meter_ids) AND m.ends_at IS NOT NULL)
    RETURNING meter_ids
  )
  UPDATE meter m SET uses = m.uses + s.count
  FROM (SELECT u.id, count(*) AS count FROM opened o, unnest(o.meter_ids) AS u (id) GROUP BY u.id) AS s
  WHERE m.id = s.id AND m.ends_at IS NOT NULL;
END $$;

-- Adds what is wanted to leases, at most a fair share of what is free: a quarter, divided by the living processes and by the leases
-- that ask together. Less than `least` is not worth a lease, and a lease of which a period has ended gets nothing. The caller holds
-- the lock rows.
CREATE OR REPLACE FUNCTION ledger_enlarge_leases(p_owner bigint, p_leases ledger_lease[], p_now timestamptz) RETURNS void
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  WITH wanting AS MATERIALIZED (
    SELECT l.id, l.want, l.least, h.meter_ids
    FROM unnest(p_leases) AS l JOIN hold h ON h.request_id = l.id AND h.lease AND h.owner_epoch = p_owner
    WHERE l.want > 0 AND (cardinality(h.meter_ids) = 2
      OR NOT EXISTS (SELECT FROM meter m WHERE m.id = ANY (h.meter_ids) AND m.ends_at <= p_now))
  ), asked AS (
    SELECT w.*, u.id AS meter_id, count(*) OVER (PARTITION BY u.id) * 4 * GREATEST(1, (
      SELECT count(*) FROM owner WHERE heartbeat_at > clock_timestamp() - interval '30 seconds')) AS parts
    FROM wanting w, unnest(w.meter_ids) AS u (id)
  ), granted AS MATERIALIZED (
    SELECT a.id, a.meter_ids, LEAST(a.want, min(floor((m.lim - m.used - m.held) / a.parts))) AS amount
    FROM asked a JOIN meter m ON m.id = a.meter_id
    GROUP BY a.id, a.meter_ids, a.want, a.least
    HAVING LEAST(a.want, min(floor((m.lim - m.used - m.held) / a.parts))) >= GREATEST(a.least, 1)
  ), held AS (
    UPDATE meter m SET held = m.held + s.amount
    FROM (SELECT u.id, sum(g.amount) AS amount FROM granted g, unnest(g.meter_ids) AS u (id) GROUP BY u.id) AS s
    WHERE m.id = s.id
  )
  UPDATE hold h SET amount = h.amount + g.amount FROM granted g WHERE h.request_id = g.id;
END $$;

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

-- Takes requests `[{id, k: key, o: organization, u: member, t: session token, a: amount, l: least amount, h: share,
-- f: final try, q: premium, row}]`, returns outcomes in the same order: `{s: ok, a}`; `{s: refused}` or, where only open holds are
-- in the way, `{s: blocked}`, with the meter's id `i`, kind `m`, `lim`, `used`, `held` and end of period `z` in milliseconds;
-- `{s: closed}` for an id that was settled before. A request with a share whose amount does not fit leaves a part of the rest to
-- others: it takes half of what is left, and at least its share.
--
-- Three ways, fastest first: all requests together on `key` and `credits` alone; all together on their assigned meters; one
-- by one where not all of them fit.
CREATE OR REPLACE FUNCTION ledger_reserve(p_owner bigint, p_requests jsonb, p_now double precision DEFAULT NULL) RETURNS jsonb
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_ids text[];
  v_meters bigint[];
  v_plain boolean;
  v_identity boolean; -- whether a member or a session token is among them
  v_opened_identity bigint[];
  v_requests jsonb := p_requests;
  v_now timestamptz;
  v_opened bigint[];
  v_outcomes jsonb := '[]';
  v_waiting bigint[] := '{}';
  v_outcome jsonb;
  v_request record;
BEGIN
  SELECT array_agg(r.id), array_agg((SELECT id FROM meter WHERE kind = 'key' AND subject_id = r.k))
    || array_agg((SELECT id FROM meter WHERE kind = 'credits' AND subject_id = r.o)), bool_or(r.u IS NOT NULL OR r.t IS NOT NULL)
  INTO v_ids, v_meters, v_identity
  FROM jsonb_to_recordset(p_requests) AS r (id text, k text, o text, u text, t text);
  IF array_position(v_meters, NULL) IS NOT NULL THEN
    RAISE EXCEPTION 'a request names a key or an organization without a meter';
  END IF;
  PERFORM 1 FROM meter WHERE id = ANY (v_meters) ORDER BY id FOR NO KEY UPDATE;

  SELECT NOT v_identity AND NOT EXISTS (SELECT FROM hold WHERE request_id = ANY (v_ids))
    AND NOT EXISTS (SELECT FROM ledger_entry WHERE request_id = ANY (v_ids))
    AND NOT EXISTS (
      SELECT FROM (
        SELECT t.id, sum(r.a) AS total
        FROM jsonb_to_recordset(p_requests) AS r (k text, o text, a numeric)
        CROSS JOIN LATERAL (VALUES ('key', r.k), ('credits', r.o)) AS s (kind, subject_id)
        JOIN meter t ON t.kind = s.kind AND t.subject_id = s.subject_id
        GROUP BY t.id
      ) AS need
      JOIN meter m ON m.id = need.id
      WHERE m.renews OR (need.total > 0 AND m.used + m.held + need.total > m.lim)
    ) INTO v_plain;

  IF v_plain THEN
    WITH request AS MATERIALIZED (
      SELECT r.id, r.a, r."row", ARRAY[
        (SELECT m.id FROM meter m WHERE m.kind = 'key' AND m.subject_id = r.k),
        (SELECT m.id FROM meter m WHERE m.kind = 'credits' AND m.subject_id = r.o)] AS meter_ids
      FROM jsonb_to_recordset(p_requests) AS r (id text, k text, o text, a numeric, "row" text)
    ), held AS (
      UPDATE meter m SET held = m.held + need.total
      FROM (SELECT u.id, sum(request.a) AS total FROM request, unnest(request.meter_ids) AS u (id) GROUP BY u.id) AS need
      WHERE m.id = need.id
    )
    INSERT INTO hold (request_id, owner_epoch, meter_ids, amount, row)
    SELECT id, p_owner, meter_ids, a, "row" FROM request;
    SELECT jsonb_agg(jsonb_build_object('s', 'ok', 'a', e.value ->> 'a') ORDER BY e.n) INTO v_outcomes
    FROM jsonb_array_elements(p_requests) WITH ORDINALITY AS e (value, n);
    RETURN v_outcomes;
  END IF;

  IF v_identity OR EXISTS (SELECT FROM meter WHERE id = ANY (v_meters) AND renews) THEN
    -- Read under the locks: the transaction that gets them next has a later time.
    v_now := ledger_now(p_now);
    SELECT a.requests, a.opened INTO v_requests, v_opened FROM ledger_assign(p_requests, v_now) AS a;
    IF v_identity THEN
      SELECT a.requests, a.opened INTO v_requests, v_opened_identity FROM ledger_assign_identity(v_requests, v_now) AS a;
      v_opened := v_opened || v_opened_identity;
    END IF;
    IF ledger_hold_all(p_owner, v_requests, v_ids) THEN
      SELECT jsonb_agg(jsonb_build_object('s', 'ok', 'a', e.value ->> 'a') ORDER BY e.n) INTO v_outcomes
      FROM jsonb_array_elements(p_requests) WITH ORDINALITY AS e (value, n);
      RETURN v_outcomes;
    END IF;
  END IF;

  FOR v_request IN
    SELECT r.value ->> 'id' AS id, (r.value ->> 'a')::numeric AS amount, (r.value ->> 'l')::numeric AS least,
      (r.value ->> 'h')::numeric AS share,
      COALESCE((r.value ->> 'f')::boolean, false) AS final, r.value ->> 'row' AS row,
      COALESCE(
        (SELECT array_agg(m.value::bigint) FROM jsonb_array_elements_text(NULLIF(r.value -> 'm', 'null')) AS m (value)),
        ARRAY[
          (SELECT m.id FROM meter m WHERE m.kind = 'key' AND m.subject_id = r.value ->> 'k'),
          (SELECT m.id FROM meter m WHERE m.kind = 'credits' AND m.subject_id = r.value ->> 'o')]) AS meter_ids,
      (SELECT array_agg(x.value::bigint) FROM jsonb_array_elements_text(NULLIF(r.value -> 'x', 'null')) AS x (value))
        AS overflow_ids
    FROM jsonb_array_elements(v_requests) WITH ORDINALITY AS r (value, n) ORDER BY r.n
  LOOP
    v_outcome := ledger_reserve_one(p_owner, v_request, v_waiting);
    IF v_outcome ->> 's' = 'blocked' THEN
      v_waiting := v_waiting || (v_outcome ->> 'i')::bigint;
    END IF;
    v_outcomes := v_outcomes || v_outcome;
  END LOOP;
  IF v_opened IS NOT NULL THEN
    DELETE FROM meter WHERE id = ANY (v_opened) AND uses = 0;
  END IF;
  RETURN v_outcomes;
END $$;

-- Takes settlements `[{id, k: key, o: organization, u: member, t: session token, q: premium was held, c: customer cost,
-- p: provider cost, e: estimated, n: no provider was reached, s: no premium model answered, row}]`; each takes effect once.
CREATE OR REPLACE FUNCTION ledger_settle(p_settlements jsonb, p_now double precision DEFAULT NULL) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_ids text[];
  v_meters bigint[];
  v_resolved text[];
  v_settlement jsonb;
BEGIN
  -- All lock rows at once, including those of late settlements: locking again later would break the lock order.
  SELECT array_agg(r.id), array_agg((SELECT id FROM meter WHERE kind = 'key' AND subject_id = r.k))
    || array_agg((SELECT id FROM meter WHERE kind = 'credits' AND subject_id = r.o))
  INTO v_ids, v_meters FROM jsonb_to_recordset(p_settlements) AS r (id text, k text, o text);
  PERFORM 1 FROM meter WHERE id = ANY (v_meters) ORDER BY id FOR NO KEY UPDATE;

  v_resolved := ledger_resolve(p_settlements, v_ids, false);
  IF cardinality(v_resolved) < cardinality(v_ids) THEN
    FOR v_settlement IN SELECT value FROM jsonb_array_elements(p_settlements) AS e (value) LOOP
      IF NOT v_settlement ->> 'id' = ANY (v_resolved) THEN
        PERFORM ledger_settle_late(v_settlement, ledger_now(p_now));
      END IF;
    END LOOP;
  END IF;
END $$;

-- Deletes the holds that still exist, changes their meters and writes their entries; returns the ids it resolved. The caller holds
-- the lock rows.
CREATE OR REPLACE FUNCTION ledger_close(p_bills ledger_bill[], p_swept boolean) RETURNS text[]
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_resolved text[];
  v_unused bigint[];
BEGIN
  WITH bill AS MATERIALIZED (
    SELECT DISTINCT ON (b.id) b.* FROM unnest(p_bills) AS b
  ), settled AS (
    DELETE FROM hold h USING bill b WHERE h.request_id = b.id
    RETURNING b.id, h.meter_ids, h.amount, b.c, b.p, b.e,
      CASE WHEN cardinality(h.meter_ids) > 2 AND (b.c = 0 OR b.n OR b.s)
        THEN ledger_unused(h.meter_ids, b.c = 0, COALESCE(b.n, false) OR COALESCE(b.s, false)) END AS unused
  ), changed AS (
    UPDATE meter m SET held = m.held - s.amount, used = m.used + s.customer, uses = m.uses - s.unused
    FROM (
      SELECT u.id, sum(settled.amount) AS amount, count(*) FILTER (WHERE u.id = ANY (settled.unused)) AS unused,
        COALESCE(sum(settled.c) FILTER (WHERE settled.unused IS NULL OR u.id <> ALL (settled.unused)), 0) AS customer
      FROM settled, unnest(settled.meter_ids) AS u (id) GROUP BY u.id
    ) AS s
    WHERE m.id = s.id
  ), entered AS (
    INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider, swept, skipped_meter_ids)
    SELECT id, CASE WHEN e THEN 'estimate' ELSE 'usage' END,
      CASE WHEN unused IS NULL THEN meter_ids
        ELSE ARRAY(SELECT u.id FROM unnest(meter_ids) AS u (id) WHERE u.id <> ALL (unused)) END,
      c, p, p_swept, CASE WHEN p_swept THEN unused END
    FROM settled
  )
  SELECT COALESCE(array_agg(id), '{}'), (SELECT array_agg(u.id) FROM settled s, unnest(s.unused) AS u (id))
  INTO v_resolved, v_unused FROM settled;

  IF v_unused IS NOT NULL THEN
    DELETE FROM meter WHERE id = ANY (v_unused) AND uses = 0;
  END IF;
  RETURN v_resolved;
END $$;
