-- Plans, their billing cycles and premium weeks, and the limits of keys that renew.
--
-- A meter that renews has one row per period, so that a request is charged to the period it was admitted in. Such a row is
-- only changed by who holds the lock of its guard, the meter `key` or `credits` of its subject: locks are still taken by id,
-- on guards alone.

ALTER TABLE meter DROP CONSTRAINT meter_kind_check;
ALTER TABLE meter DROP CONSTRAINT meter_kind_subject_id_key;
ALTER TABLE meter
  -- Of a guard: whether its subject has meters that renew.
  ADD COLUMN renews boolean NOT NULL DEFAULT false,
  ADD COLUMN guard_id bigint,
  ADD COLUMN starts_at timestamptz,
  -- A cycle ends before this moment, a window that a request opened ends with it.
  ADD COLUMN ends_at timestamptz,
  -- Open holds and charged requests of a period; a window that comes to nothing is removed.
  ADD COLUMN uses bigint NOT NULL DEFAULT 0,
  ADD CONSTRAINT meter_kind_check CHECK (kind IN ('key', 'credits', 'recurring', 'plan', 'premium')),
  ADD CONSTRAINT meter_period_check CHECK (
    (kind IN ('key', 'credits')) = (guard_id IS NULL) AND (guard_id IS NULL) = (starts_at IS NULL)
    AND (guard_id IS NULL) = (ends_at IS NULL)),
  ADD CONSTRAINT meter_kind_subject_id_starts_at_key UNIQUE NULLS NOT DISTINCT (kind, subject_id, starts_at);

-- What an organization subscribed to, at the terms of that day.
CREATE TABLE subscription (
  organization_id text PRIMARY KEY REFERENCES organization (id),
  plan text NOT NULL CHECK (plan IN ('lite', 'pro', 'max')),
  price numeric(38, 0) NOT NULL CHECK (price >= 0),
  credits numeric(38, 0) NOT NULL CHECK (credits >= 0),
  premium numeric(38, 0) NOT NULL CHECK (premium >= 0),
  overflow boolean NOT NULL,
  started_at timestamptz NOT NULL
);

CREATE TABLE recurring_limit (
  key_id text PRIMARY KEY REFERENCES api_key (id),
  lim numeric(38, 0) NOT NULL CHECK (lim >= 0),
  period text NOT NULL CHECK (period IN ('hour', 'day', 'week', 'month'))
);

-- The moment that counts: milliseconds since the epoch where a test gives them, else the database's clock.
CREATE FUNCTION ledger_now(p_now double precision) RETURNS timestamptz LANGUAGE sql VOLATILE AS $$
  SELECT date_trunc('milliseconds', COALESCE(to_timestamp(p_now / 1000), clock_timestamp()));
$$;

-- The billing cycle a moment is in: months from the start, each clamped to the last day.
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

-- Hours, because a day of a time zone may be longer than another.
CREATE FUNCTION recurring_end(p_period text, p_starts_at timestamptz) RETURNS timestamptz LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE p_period
    WHEN 'hour' THEN p_starts_at + interval '1 hour'
    WHEN 'day' THEN p_starts_at + interval '24 hours'
    WHEN 'week' THEN p_starts_at + interval '168 hours'
    ELSE (p_starts_at AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC'
  END;
$$;

-- Requests with the meters they draw on: `m`, and `x` where credits may pay instead of the plan. Periods that have no row yet
-- get one; `opened` are windows that are to be removed again unless a request is admitted to them. The guards are locked.
CREATE FUNCTION ledger_assign(p_requests jsonb, p_now timestamptz, OUT requests jsonb, OUT opened bigint[]) LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO meter (kind, subject_id, lim, starts_at, ends_at, guard_id)
  SELECT DISTINCT 'plan', s.organization_id, s.credits, c.starts_at, c.ends_at, g.id
  FROM jsonb_to_recordset(p_requests) AS r (o text)
  JOIN subscription s ON s.organization_id = r.o
  JOIN meter g ON g.kind = 'credits' AND g.subject_id = s.organization_id
  CROSS JOIN LATERAL plan_cycle(s.started_at, p_now) AS c
  WHERE NOT EXISTS (
    SELECT FROM meter m WHERE m.kind = 'plan' AND m.subject_id = s.organization_id AND m.starts_at = c.starts_at);

  WITH window_opened AS (
    INSERT INTO meter (kind, subject_id, lim, starts_at, ends_at, guard_id)
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

-- The last argument of the functions below is `ledger_now`'s; a process of the version before does not send it.
DROP FUNCTION ledger_step(bigint, jsonb, jsonb);
DROP FUNCTION ledger_settle(jsonb);
DROP FUNCTION ledger_settle_late(jsonb);
DROP FUNCTION ledger_reserve(bigint, jsonb);

-- Requests `[{id, k: key, o: organization, a: amount, l: least amount, f: final try, q: premium, row}]` in, outcomes in the
-- same order out: `{s: ok, a}`, `{s: refused}` and `{s: blocked}` (open holds alone are in the way) with the meter's figures,
-- or `{s: closed}` for an id that was settled before.
CREATE FUNCTION ledger_reserve(p_owner bigint, p_requests jsonb, p_now double precision DEFAULT NULL) RETURNS jsonb
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_ids text[];
  v_meters bigint[];
  v_plain boolean;
  v_requests jsonb := p_requests;
  v_opened bigint[];
  v_outcomes jsonb := '[]';
  v_waiting bigint[] := '{}';
  v_outcome jsonb;
  v_request record;
BEGIN
  SELECT array_agg(r.id), array_agg(k.id) || array_agg(c.id) INTO v_ids, v_meters
  FROM jsonb_to_recordset(p_requests) AS r (id text, k text, o text)
  LEFT JOIN meter k ON k.kind = 'key' AND k.subject_id = r.k
  LEFT JOIN meter c ON c.kind = 'credits' AND c.subject_id = r.o;
  IF array_position(v_meters, NULL) IS NOT NULL THEN
    RAISE EXCEPTION 'a request names a key or an organization without a meter';
  END IF;
  PERFORM 1 FROM meter WHERE id = ANY (v_meters) ORDER BY id FOR NO KEY UPDATE;

  SELECT NOT EXISTS (SELECT FROM hold WHERE request_id = ANY (v_ids))
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
      SELECT r.id, r.a, r."row", ARRAY[k.id, c.id] AS meter_ids
      FROM jsonb_to_recordset(p_requests) AS r (id text, k text, o text, a numeric, "row" text)
      JOIN meter k ON k.kind = 'key' AND k.subject_id = r.k
      JOIN meter c ON c.kind = 'credits' AND c.subject_id = r.o
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

  IF EXISTS (SELECT FROM meter WHERE id = ANY (v_meters) AND renews) THEN
    -- Read behind the locks: whoever comes later through them has a later moment.
    SELECT a.requests, a.opened INTO v_requests, v_opened FROM ledger_assign(p_requests, ledger_now(p_now)) AS a;
    IF ledger_hold_all(p_owner, v_requests, v_ids) THEN
      SELECT jsonb_agg(jsonb_build_object('s', 'ok', 'a', e.value ->> 'a') ORDER BY e.n) INTO v_outcomes
      FROM jsonb_array_elements(p_requests) WITH ORDINALITY AS e (value, n);
      RETURN v_outcomes;
    END IF;
  END IF;

  FOR v_request IN
    SELECT r.value ->> 'id' AS id, (r.value ->> 'a')::numeric AS amount, (r.value ->> 'l')::numeric AS least,
      COALESCE((r.value ->> 'f')::boolean, false) AS final, r.value ->> 'row' AS row,
      COALESCE(
        (SELECT array_agg(m.value::bigint) FROM jsonb_array_elements_text(NULLIF(r.value -> 'm', 'null')) AS m (value)),
        ARRAY[k.id, c.id]) AS meter_ids,
      (SELECT array_agg(x.value::bigint) FROM jsonb_array_elements_text(NULLIF(r.value -> 'x', 'null')) AS x (value))
        AS overflow_ids
    FROM jsonb_array_elements(v_requests) WITH ORDINALITY AS r (value, n)
    JOIN meter k ON k.kind = 'key' AND k.subject_id = r.value ->> 'k'
    JOIN meter c ON c.kind = 'credits' AND c.subject_id = r.value ->> 'o'
    ORDER BY r.n
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

-- Holds all requests that were assigned to their meters where all of them fit; else none.
CREATE FUNCTION ledger_hold_all(p_owner bigint, p_requests jsonb, p_ids text[]) RETURNS boolean LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  IF EXISTS (SELECT FROM hold WHERE request_id = ANY (p_ids))
    OR EXISTS (SELECT FROM ledger_entry WHERE request_id = ANY (p_ids))
    OR EXISTS (
      SELECT FROM (
        SELECT u.id, sum(r.a) AS total
        FROM jsonb_to_recordset(p_requests) AS r (a numeric, m bigint[]), unnest(r.m) AS u (id) GROUP BY u.id
      ) AS need
      JOIN meter m ON m.id = need.id
      WHERE need.total > 0 AND m.used + m.held + need.total > m.lim
    )
  THEN
    RETURN false;
  END IF;
  WITH request AS MATERIALIZED (
    SELECT r.id, r.a, r."row", r.m FROM jsonb_to_recordset(p_requests) AS r (id text, a numeric, "row" text, m bigint[])
  ), held AS (
    UPDATE meter m SET held = m.held + need.total, uses = m.uses + CASE WHEN m.guard_id IS NULL THEN 0 ELSE need.count END
    FROM (SELECT u.id, sum(request.a) AS total, count(*) AS count FROM request, unnest(request.m) AS u (id) GROUP BY u.id) AS need
    WHERE m.id = need.id
  )
  INSERT INTO hold (request_id, owner_epoch, meter_ids, amount, row)
  SELECT id, p_owner, m, a, "row" FROM request;
  RETURN true;
END $$;

-- One request against its meters, whose guards are locked. `p_waiting`: meters an earlier request waits for, so that nobody
-- overtakes it.
CREATE OR REPLACE FUNCTION ledger_reserve_one(p_owner bigint, p_request record, p_waiting bigint[]) RETURNS jsonb
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_amount numeric;
  v_ceiling numeric; -- what would be free if every open hold came back
  v_room numeric;    -- what is free now
  v_need numeric := LEAST(p_request.amount, p_request.least);
  v_ids bigint[] := p_request.meter_ids;
  v_instead numeric;
  v_short boolean;
  v_meter meter;
BEGIN
  SELECT amount INTO v_amount FROM hold WHERE request_id = p_request.id;
  IF FOUND THEN
    RETURN jsonb_build_object('s', 'ok', 'a', v_amount::text);
  END IF;
  IF EXISTS (SELECT FROM ledger_entry WHERE request_id = p_request.id) THEN
    RETURN jsonb_build_object('s', 'closed');
  END IF;

  SELECT min(lim - used), min(lim - used - held) INTO v_ceiling, v_room FROM meter WHERE id = ANY (v_ids);
  IF p_request.overflow_ids IS NOT NULL AND p_request.amount > v_ceiling THEN
    SELECT min(lim - used) INTO v_instead FROM meter WHERE id = ANY (p_request.overflow_ids);
    IF v_instead > v_ceiling THEN
      v_ids := p_request.overflow_ids;
      SELECT min(lim - used), min(lim - used - held) INTO v_ceiling, v_room FROM meter WHERE id = ANY (v_ids);
    END IF;
  END IF;
  v_short := p_request.amount > v_ceiling;
  v_amount := p_request.amount;
  IF v_amount > v_room AND (v_short OR p_request.final) AND v_need <= v_room THEN
    v_amount := v_room;
  END IF;
  -- What costs nothing needs no money, even of a purse that is overdrawn.
  IF v_amount = 0 OR ((v_room IS NULL OR v_amount <= v_room) AND (p_request.final OR NOT v_ids && p_waiting)) THEN
    UPDATE meter SET held = held + v_amount, uses = uses + CASE WHEN guard_id IS NULL THEN 0 ELSE 1 END
    WHERE id = ANY (v_ids);
    INSERT INTO hold (request_id, owner_epoch, meter_ids, amount, row)
    VALUES (p_request.id, p_owner, v_ids, v_amount, p_request.row);
    RETURN jsonb_build_object('s', 'ok', 'a', v_amount::text);
  END IF;

  -- Named is the meter that refuses for good where one does, else the one a waiting request or open holds occupy.
  SELECT * INTO v_meter FROM meter WHERE id = ANY (v_ids)
  ORDER BY lim - used < v_need DESC NULLS LAST, id = ANY (p_waiting) DESC, lim - used - held NULLS LAST, id LIMIT 1;
  RETURN jsonb_build_object(
    's', CASE WHEN v_need > v_ceiling THEN 'refused' ELSE 'blocked' END, 'i', v_meter.id,
    'm', v_meter.kind, 'lim', v_meter.lim::text, 'used', v_meter.used::text, 'held', v_meter.held::text,
    -- A window that this very request would open resets nothing.
    'z', CASE WHEN v_meter.kind = 'plan' OR v_meter.uses > 0 THEN round(extract(epoch FROM v_meter.ends_at) * 1000) END);
END $$;

-- Settlements `[{id, k: key, o: organization, q: premium was held, c: customer, p: provider, e: estimated, n: no provider was
-- reached, s: no premium model answered, row}]`, each effective once.
CREATE FUNCTION ledger_settle(p_settlements jsonb, p_now double precision DEFAULT NULL) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_ids text[];
  v_meters bigint[];
  v_resolved text[];
  v_settlement jsonb;
BEGIN
  -- All guards at once, also those of settlements that will turn out to be late: a second round would break the lock order.
  SELECT array_agg(r.id), array_agg(k.id) || array_agg(c.id) INTO v_ids, v_meters
  FROM jsonb_to_recordset(p_settlements) AS r (id text, k text, o text)
  LEFT JOIN meter k ON k.kind = 'key' AND k.subject_id = r.k
  LEFT JOIN meter c ON c.kind = 'credits' AND c.subject_id = r.o;
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

-- Of the meters of a hold those that its request did not use after all: a recurring limit opens with what is billed, a
-- premium week with what a premium model is asked.
CREATE FUNCTION ledger_unused(p_meters bigint[], p_unbilled boolean, p_not_premium boolean) RETURNS bigint[]
LANGUAGE sql STABLE AS $$
  SELECT array_agg(id) FROM meter
  WHERE id = ANY (p_meters) AND ((kind = 'recurring' AND p_unbilled) OR (kind = 'premium' AND p_not_premium));
$$;

-- Deletes the holds that are still there and writes what they came to; gives the ids it resolved. Their guards are locked.
CREATE OR REPLACE FUNCTION ledger_resolve(p_settlements jsonb, p_ids text[], p_swept boolean) RETURNS text[]
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_resolved text[];
  v_unused bigint[];
BEGIN
  WITH closed AS (
    DELETE FROM hold WHERE request_id = ANY (p_ids) RETURNING request_id, meter_ids, amount
  ), settled AS MATERIALIZED (
    SELECT DISTINCT ON (r.id) r.id, closed.meter_ids, closed.amount, r.c, r.p, r.e,
      CASE WHEN cardinality(closed.meter_ids) > 2 AND (r.c = 0 OR r.n OR r.s)
        THEN ledger_unused(closed.meter_ids, r.c = 0, COALESCE(r.n, false) OR COALESCE(r.s, false)) END AS unused
    FROM closed JOIN jsonb_to_recordset(p_settlements) AS r (id text, c numeric, p numeric, e boolean, n boolean, s boolean)
      ON r.id = closed.request_id
  ), changed AS (
    UPDATE meter m SET held = m.held - s.amount, used = m.used + s.customer, uses = m.uses - s.unused
    FROM (
      SELECT u.id, sum(settled.amount) AS amount, count(*) FILTER (WHERE u.id = ANY (settled.unused)) AS unused,
        COALESCE(sum(settled.c) FILTER (WHERE settled.unused IS NULL OR u.id <> ALL (settled.unused)), 0) AS customer
      FROM settled, unnest(settled.meter_ids) AS u (id) GROUP BY u.id
    ) AS s
    WHERE m.id = s.id
  ), entered AS (
    INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider, swept)
    SELECT id, CASE WHEN e THEN 'estimate' ELSE 'usage' END,
      CASE WHEN unused IS NULL THEN meter_ids ELSE ARRAY(SELECT u.id FROM unnest(meter_ids) AS u (id) WHERE u.id <> ALL (unused)) END,
      c, p, p_swept
    FROM settled
  )
  SELECT COALESCE(array_agg(id), '{}'), (SELECT array_agg(u.id) FROM settled s, unnest(s.unused) AS u (id))
  INTO v_resolved, v_unused FROM settled;

  IF v_unused IS NOT NULL THEN
    DELETE FROM meter WHERE id = ANY (v_unused) AND uses = 0;
  END IF;
  PERFORM request_log_store(
    (SELECT jsonb_agg(ledger_row(e.value)) FROM jsonb_array_elements(p_settlements) AS e (value) WHERE e.value ->> 'id' = ANY (v_resolved)));
  RETURN v_resolved;
END $$;

-- A settlement whose hold is gone: settled before (nothing to do), swept (one adjustment), or never stored. Its guards are
-- locked.
CREATE FUNCTION ledger_settle_late(p_settlement jsonb, p_now timestamptz) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_id text := p_settlement ->> 'id';
  v_customer numeric := (p_settlement ->> 'c')::numeric;
  v_provider numeric := (p_settlement ->> 'p')::numeric;
  v_is_premium boolean := (p_settlement ->> 'q')::boolean AND p_settlement -> 'n' IS NULL AND p_settlement -> 's' IS NULL;
  v_entry ledger_entry;
  v_meters bigint[];
BEGIN
  SELECT * INTO v_entry FROM ledger_entry WHERE request_id = v_id AND kind IN ('usage', 'estimate');

  IF NOT FOUND THEN
    SELECT array_agg(m.value::bigint) INTO v_meters
    FROM ledger_assign(jsonb_build_array(jsonb_build_object(
      'k', p_settlement -> 'k', 'o', p_settlement -> 'o', 'a', v_customer, 'q', COALESCE(v_is_premium, false))), p_now) AS a,
      jsonb_array_elements_text(a.requests -> 0 -> 'm') AS m (value);
    INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider)
    VALUES (v_id, CASE WHEN (p_settlement ->> 'e')::boolean THEN 'estimate' ELSE 'usage' END, v_meters, v_customer, v_provider);
    UPDATE meter SET used = used + v_customer, uses = uses + CASE WHEN guard_id IS NULL THEN 0 ELSE 1 END
    WHERE id = ANY (v_meters);
    PERFORM request_log_store(jsonb_build_array(ledger_row(p_settlement)));
  ELSIF v_entry.swept AND NOT EXISTS (SELECT FROM ledger_entry WHERE request_id = v_id AND kind = 'adjust') THEN
    INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider)
    VALUES (v_id, 'adjust', v_entry.meter_ids, v_customer - v_entry.customer, v_provider - v_entry.provider);
    UPDATE meter SET used = used + v_customer - v_entry.customer WHERE id = ANY (v_entry.meter_ids);
    PERFORM request_log_replace(ledger_row(p_settlement));
  END IF;
END $$;

-- Settlements and requests of one moment in one transaction: money that comes back is there for those who ask. All guards
-- are locked at once, before either part locks its own again.
CREATE FUNCTION ledger_step(p_owner bigint, p_settlements jsonb, p_requests jsonb, p_now double precision DEFAULT NULL)
RETURNS jsonb LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  IF p_settlements IS NULL THEN
    RETURN ledger_reserve(p_owner, p_requests, p_now);
  END IF;
  IF p_requests IS NOT NULL THEN
    PERFORM 1 FROM meter WHERE id IN (
      SELECT m.id
      FROM jsonb_to_recordset(p_settlements || p_requests) AS r (k text, o text)
      CROSS JOIN LATERAL (VALUES ('key', r.k), ('credits', r.o)) AS s (kind, subject_id)
      JOIN meter m ON m.kind = s.kind AND m.subject_id = s.subject_id)
    ORDER BY id FOR NO KEY UPDATE;
  END IF;
  PERFORM ledger_settle(p_settlements, p_now);
  RETURN CASE WHEN p_requests IS NULL THEN '[]' ELSE ledger_reserve(p_owner, p_requests, p_now) END;
END $$;

-- Locks the guards of these holds' meters.
CREATE FUNCTION ledger_lock_holds(p_ids text[]) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_guards bigint[];
BEGIN
  SELECT array_agg(COALESCE(m.guard_id, m.id)) INTO v_guards
  FROM hold h CROSS JOIN unnest(h.meter_ids) AS u (id) JOIN meter m ON m.id = u.id WHERE h.request_id = ANY (p_ids);
  PERFORM 1 FROM meter WHERE id = ANY (v_guards) ORDER BY id FOR NO KEY UPDATE;
END $$;

-- Gives back holds nothing was sent for: their reserve failed before its answer arrived.
CREATE OR REPLACE FUNCTION ledger_release(p_owner bigint, p_ids text[]) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_meters bigint[];
BEGIN
  PERFORM ledger_lock_holds(p_ids);
  WITH released AS (
    DELETE FROM hold WHERE request_id = ANY (p_ids) AND owner_epoch = p_owner RETURNING meter_ids, amount
  ), changed AS (
    UPDATE meter m SET held = m.held - s.amount, uses = m.uses - CASE WHEN m.guard_id IS NULL THEN 0 ELSE s.count END
    FROM (
      SELECT u.id, sum(released.amount) AS amount, count(*) AS count
      FROM released, unnest(released.meter_ids) AS u (id) GROUP BY u.id
    ) AS s
    WHERE m.id = s.id
  )
  SELECT array_agg(u.id) INTO v_meters FROM released, unnest(released.meter_ids) AS u (id);
  DELETE FROM meter WHERE id = ANY (v_meters) AND uses = 0 AND kind IN ('premium', 'recurring');
END $$;

-- Closes holds whose owner is gone, as estimates from their last progress; gives their number. An owner is gone when its
-- heartbeat is older than `p_stale`, or when this process is the only one (`p_exclusive`). Never by the age of a hold.
CREATE OR REPLACE FUNCTION ledger_sweep(p_owner bigint, p_exclusive boolean, p_stale interval) RETURNS integer
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  v_settlements jsonb;
  v_ids text[];
BEGIN
  SELECT array_agg(o.request_id), jsonb_agg(jsonb_build_object(
    'id', o.request_id, 'c', COALESCE(o.progress ->> 'c', '0'), 'p', COALESCE(o.progress ->> 'p', '0'), 'e', true,
    'row', COALESCE(o.progress -> 'row', o.row::jsonb)))
  INTO v_ids, v_settlements
  FROM (
    SELECT h.request_id, h.row, h.progress FROM hold h
    WHERE h.owner_epoch <> p_owner AND (p_exclusive OR NOT EXISTS (
      SELECT FROM owner o WHERE o.epoch = h.owner_epoch AND o.heartbeat_at > clock_timestamp() - p_stale))
    LIMIT 500
  ) AS o;
  DELETE FROM owner o WHERE o.epoch <> p_owner AND o.heartbeat_at < clock_timestamp() - interval '1 day'
    AND NOT EXISTS (SELECT FROM hold h WHERE h.owner_epoch = o.epoch);
  IF v_ids IS NULL THEN
    RETURN 0;
  END IF;
  PERFORM ledger_lock_holds(v_ids);
  RETURN cardinality(ledger_resolve(v_settlements, v_ids, true));
END $$;

-- Subscribes an organization, changes its plan (what was used stays, limits are replaced) or ends it (`none`); gives whether
-- the organization exists. With its first plan an organization is metered: beyond the plan it has the credits it is given.
CREATE FUNCTION plan_set(
  p_organization text, p_plan text, p_price numeric, p_credits numeric, p_premium numeric, p_overflow boolean,
  p_now double precision DEFAULT NULL
) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_now timestamptz;
  v_started timestamptz;
BEGIN
  PERFORM FROM meter WHERE kind = 'credits' AND subject_id = p_organization FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  v_now := ledger_now(p_now);
  IF p_plan = 'none' THEN
    DELETE FROM subscription WHERE organization_id = p_organization RETURNING started_at INTO v_started;
    UPDATE meter SET renews = false WHERE kind = 'credits' AND subject_id = p_organization;
    UPDATE meter SET ends_at = GREATEST(starts_at, v_now)
    WHERE kind = 'plan' AND subject_id = p_organization AND starts_at = (plan_cycle(v_started, v_now)).starts_at;
    RETURN true;
  END IF;
  INSERT INTO subscription AS s (organization_id, plan, price, credits, premium, overflow, started_at)
  VALUES (p_organization, p_plan, p_price, p_credits, p_premium, COALESCE(p_overflow, false), v_now)
  ON CONFLICT (organization_id) DO UPDATE SET plan = p_plan, price = p_price, credits = p_credits, premium = p_premium,
    overflow = COALESCE(p_overflow, s.overflow)
  RETURNING started_at INTO v_started;
  UPDATE meter SET renews = true, lim = COALESCE(lim, used),
    used_before_grants = CASE WHEN lim IS NULL THEN used ELSE used_before_grants END
  WHERE kind = 'credits' AND subject_id = p_organization;
  UPDATE meter m SET lim = p_credits, ends_at = c.ends_at FROM plan_cycle(v_started, v_now) AS c
  WHERE m.kind = 'plan' AND m.subject_id = p_organization AND m.starts_at = c.starts_at;
  UPDATE meter SET lim = p_premium WHERE kind = 'premium' AND subject_id = p_organization AND ends_at >= v_now;
  RETURN true;
END $$;

-- Gives a key a limit that renews, or takes it away; gives whether the key exists. What was used in the running window stays
-- where its period stays.
CREATE FUNCTION recurring_limit_set(p_key text, p_lim numeric, p_period text, p_now double precision DEFAULT NULL)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM meter WHERE kind = 'key' AND subject_id = p_key FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  UPDATE meter SET renews = p_lim IS NOT NULL WHERE kind = 'key' AND subject_id = p_key;
  DELETE FROM recurring_limit WHERE key_id = p_key;
  IF p_lim IS NOT NULL THEN
    INSERT INTO recurring_limit (key_id, lim, period) VALUES (p_key, p_lim, p_period);
    UPDATE meter SET lim = p_lim, ends_at = recurring_end(p_period, starts_at)
    WHERE kind = 'recurring' AND subject_id = p_key AND ends_at >= ledger_now(p_now);
  END IF;
  RETURN true;
END $$;

-- Every figure that must agree and does not. One statement, so one moment.
CREATE OR REPLACE FUNCTION ledger_check() RETURNS TABLE (what text, subject text, expected text, actual text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY WITH charged AS (
    SELECT u.id, sum(e.customer) AS customer FROM ledger_entry e, unnest(e.meter_ids) AS u (id)
    WHERE e.kind <> 'grant' GROUP BY u.id
  ), granted AS (
    SELECT u.id, sum(e.customer) AS customer FROM ledger_entry e, unnest(e.meter_ids) AS u (id)
    WHERE e.kind = 'grant' GROUP BY u.id
  ), open AS (
    SELECT u.id, sum(h.amount) AS amount, count(*) AS count FROM hold h, unnest(h.meter_ids) AS u (id) GROUP BY u.id
  ), request AS (
    SELECT e.request_id, sum(e.customer) AS customer, sum(e.provider) AS provider,
      count(*) FILTER (WHERE e.kind IN ('usage', 'estimate')) AS closings
    FROM ledger_entry e WHERE e.kind IN ('usage', 'estimate', 'adjust') GROUP BY e.request_id
  ), purse AS (
    SELECT p.request_id, count(*) FILTER (WHERE m.kind = 'key') AS keys,
      count(*) FILTER (WHERE m.kind IN ('credits', 'plan')) AS purses, count(*) FILTER (WHERE m.id IS NULL) AS lost
    FROM (
      SELECT h.request_id, u.id FROM hold h, unnest(h.meter_ids) AS u (id)
      UNION ALL
      SELECT e.request_id, u.id FROM ledger_entry e, unnest(e.meter_ids) AS u (id) WHERE e.kind IN ('usage', 'estimate')
    ) AS p LEFT JOIN meter m ON m.id = p.id GROUP BY p.request_id
  ), named AS (
    SELECT m.*, m.kind || ' ' || m.subject_id || CASE WHEN m.starts_at IS NULL THEN '' ELSE
      to_char(m.starts_at AT TIME ZONE 'UTC', ' YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') END AS name,
      CASE WHEN m.kind <> 'plan' THEN lag(m.ends_at) OVER (PARTITION BY m.kind, m.subject_id ORDER BY m.starts_at) END AS ended_before
    FROM meter m
  )
  SELECT 'used', m.name, COALESCE(c.customer, 0)::text, m.used::text
  FROM named m LEFT JOIN charged c ON c.id = m.id WHERE m.used <> COALESCE(c.customer, 0)
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
  WHERE m.kind IN ('premium', 'recurring') AND m.uses < GREATEST(1, COALESCE(o.count, 0))
  UNION ALL
  SELECT 'window within another', m.name, 'after ' || m.ended_before::text, m.starts_at::text
  FROM named m WHERE m.starts_at <= m.ended_before
  UNION ALL
  SELECT 'meters', p.request_id, '1 key, 1 purse, 0 lost', p.keys || ' key, ' || p.purses || ' purse, ' || p.lost || ' lost'
  FROM purse p WHERE (p.keys, p.purses, p.lost) <> (1, 1, 0)
  UNION ALL
  SELECT 'closings', r.request_id, '1', r.closings::text FROM request r WHERE r.closings <> 1
  UNION ALL
  SELECT 'row', r.request_id, r.customer::text || ' / ' || r.provider::text,
    COALESCE(l.customer_cost::text || ' / ' || l.provider_cost::text, 'none')
  FROM request r LEFT JOIN request_log l ON l.request_id = r.request_id
  WHERE (l.customer_cost, l.provider_cost) IS DISTINCT FROM (r.customer, r.provider)
  UNION ALL
  SELECT 'unpaid row', l.request_id, '0', l.customer_cost::text FROM request_log l
  WHERE l.customer_cost <> 0 AND NOT EXISTS (SELECT FROM request r WHERE r.request_id = l.request_id)
  UNION ALL
  SELECT 'open after its end', h.request_id, 'no hold', h.amount::text
  FROM hold h JOIN request r ON r.request_id = h.request_id;
END $$;
