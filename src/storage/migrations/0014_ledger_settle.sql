-- Settlements: the hold is deleted, its entry and log row are written and its meters changed, in one transaction.

-- The settlements and the requests of one moment in one transaction: released money is available to these requests. All lock
-- rows are locked at once, before either part locks its own again.
CREATE OR REPLACE FUNCTION ledger_step(p_owner bigint, p_settlements jsonb, p_requests jsonb, p_now double precision DEFAULT NULL)
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

-- Takes settlements `[{id, k: key, o: organization, u: member, t: session token, q: premium was held, c: customer cost,
-- d: what it cost beyond its hold, p: provider cost, e: estimated, n: no provider was reached, s: no premium model answered,
-- m: meters of its lease, l: its lease, row}]`; each takes effect once. Without its hold, and beyond it, a request is only charged
-- what no limit refuses: the rest is the operator's.
CREATE OR REPLACE FUNCTION ledger_settle(p_settlements jsonb, p_now double precision DEFAULT NULL) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_ids text[];
  v_meters bigint[];
  v_resolved text[];
BEGIN
  -- All lock rows at once, including those of late settlements: locking again later would break the lock order.
  SELECT array_agg(r.id), array_agg((SELECT id FROM meter WHERE kind = 'key' AND subject_id = r.k))
    || array_agg((SELECT id FROM meter WHERE kind = 'credits' AND subject_id = r.o))
  INTO v_ids, v_meters FROM jsonb_to_recordset(p_settlements) AS r (id text, k text, o text);
  PERFORM 1 FROM meter WHERE id = ANY (v_meters) ORDER BY id FOR NO KEY UPDATE;

  IF p_settlements @? '$[*].d' THEN
    p_settlements := ledger_cover(p_settlements);
  END IF;
  v_resolved := ledger_resolve(p_settlements, v_ids, false);
  IF cardinality(v_resolved) < cardinality(v_ids) THEN
    PERFORM ledger_settle_unheld(
      (SELECT jsonb_agg(e.value ORDER BY e.n) FROM jsonb_array_elements(p_settlements) WITH ORDINALITY AS e (value, n)
        WHERE e.value ->> 'id' <> ALL (v_resolved)),
      ledger_now(p_now));
  END IF;
END $$;

-- Adds to the holds of settlements what these cost beyond them, as far as the limits go, and to the settlements what is charged of
-- it. The caller holds the lock rows.
CREATE OR REPLACE FUNCTION ledger_cover(p_settlements jsonb) RETURNS jsonb LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_covered jsonb := '[]';
  v_settlement jsonb;
  v_beyond numeric;
  v_meters bigint[];
BEGIN
  FOR v_settlement IN SELECT value FROM jsonb_array_elements(p_settlements) AS e (value) LOOP
    v_beyond := COALESCE((v_settlement ->> 'd')::numeric, 0);
    SELECT h.meter_ids INTO v_meters FROM hold h WHERE h.request_id = v_settlement ->> 'id';
    IF v_beyond > 0 AND FOUND THEN
      v_beyond := LEAST(v_beyond, ledger_room(v_meters));
      UPDATE hold SET amount = amount + v_beyond WHERE request_id = v_settlement ->> 'id';
      UPDATE meter SET held = held + v_beyond WHERE id = ANY (v_meters);
    END IF;
    v_covered := v_covered || ledger_charge(v_settlement, (v_settlement ->> 'c')::numeric + v_beyond);
  END LOOP;
  RETURN v_covered;
END $$;

-- What all limits of these meters leave, at least 0; NULL if none has a limit.
CREATE OR REPLACE FUNCTION ledger_room(p_meters bigint[]) RETURNS numeric LANGUAGE sql STABLE SET enable_seqscan = off AS $$
  SELECT min(GREATEST(m.lim - m.used - m.held, 0)) FROM meter m WHERE m.id = ANY (p_meters) AND m.lim IS NOT NULL;
$$;

-- A settlement with another amount that is charged.
CREATE OR REPLACE FUNCTION ledger_charge(p_settlement jsonb, p_customer numeric) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT p_settlement || jsonb_build_object('c', p_customer::text);
$$;

-- Deletes the holds that still exist and writes their entries and log rows; returns the ids it resolved. The caller holds the
-- lock rows.
CREATE OR REPLACE FUNCTION ledger_resolve(p_settlements jsonb, p_ids text[], p_swept boolean) RETURNS text[]
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_resolved text[] := ledger_close(
    ARRAY(SELECT jsonb_populate_record(NULL::ledger_bill, e.value - 'row') FROM jsonb_array_elements(p_settlements) AS e (value)),
    p_swept);
BEGIN
  PERFORM request_log_store(
    (SELECT jsonb_agg(ledger_row(e.value)) FROM jsonb_array_elements(p_settlements) AS e (value)
      WHERE e.value ->> 'id' = ANY (v_resolved)));
  RETURN v_resolved;
END $$;

-- What a request costs: its id, customer and provider cost, whether it is estimated, whether no provider was reached, whether no
-- premium model answered.
CREATE TYPE ledger_bill AS (id text, c numeric, p numeric, e boolean, n boolean, s boolean);

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
    DELETE FROM hold h USING bill b WHERE h.request_id = ANY (ARRAY[b.id])
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
    WHERE m.id = ANY (ARRAY[s.id])
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

-- `ledger_step` for settlements whose holds all exist and whose rows can all be stored, as PostgreSQL's own text, which costs half
-- of JSON. Else it fails as a whole, and the caller sends the same to `ledger_step`. `p_keys` and `p_organizations` are those of
-- settlements and requests.
CREATE OR REPLACE FUNCTION ledger_ship(
  p_owner bigint, p_keys text[], p_organizations text[], p_bills ledger_bill[], p_rows request_log[], p_requests jsonb,
  p_now double precision DEFAULT NULL
) RETURNS jsonb LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  PERFORM 1 FROM meter
  WHERE (kind = 'key' AND subject_id = ANY (p_keys)) OR (kind = 'credits' AND subject_id = ANY (p_organizations))
  ORDER BY id FOR NO KEY UPDATE;
  IF cardinality(ledger_close(p_bills, false)) <> cardinality(p_bills) THEN
    RAISE EXCEPTION 'a settlement is without its hold';
  END IF;
  PERFORM request_log_append(p_rows);
  RETURN CASE WHEN p_requests IS NULL THEN '[]' ELSE ledger_reserve(p_owner, p_requests, p_now) END;
END $$;

-- The meters of a hold that its request did not use after all: a recurring period opens with the first request that is billed,
-- a premium week with the first that reaches a premium model.
CREATE OR REPLACE FUNCTION ledger_unused(p_meters bigint[], p_unbilled boolean, p_not_premium boolean) RETURNS bigint[]
LANGUAGE sql STABLE AS $$
  SELECT array_agg(id) FROM meter
  WHERE id = ANY (p_meters)
    AND ((kind LIKE '%recurring' AND p_unbilled) OR (kind = 'premium' AND p_not_premium));
$$;

-- The log row of a settlement, with the amounts of its entry.
CREATE OR REPLACE FUNCTION ledger_row(p_settlement jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT (p_settlement -> 'row') || jsonb_build_object(
    'requestId', p_settlement -> 'id', 'customer', p_settlement ->> 'c', 'provider', p_settlement ->> 'p',
    'estimated', p_settlement -> 'e');
$$;

-- Settlements without a hold: settled before (nothing to do), swept (see `ledger_settle_late`), or never stored. The caller holds the
-- lock rows.
CREATE OR REPLACE FUNCTION ledger_settle_unheld(p_settlements jsonb, p_now timestamptz) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_new jsonb;
  v_swept jsonb;
  v_settlement jsonb;
BEGIN
  SELECT jsonb_agg(l.value ORDER BY l.n) FILTER (WHERE l.swept IS NULL), jsonb_agg(l.value ORDER BY l.n) FILTER (WHERE l.swept)
  INTO v_new, v_swept
  FROM (
    SELECT DISTINCT ON (e.value ->> 'id') e.value, e.n,
      (SELECT swept FROM ledger_entry WHERE request_id = e.value ->> 'id' AND kind IN ('usage', 'estimate')) AS swept
    FROM jsonb_array_elements(p_settlements) WITH ORDINALITY AS e (value, n) ORDER BY e.value ->> 'id', e.n
  ) AS l;
  IF v_new IS NOT NULL THEN
    PERFORM ledger_settle_new(v_new, p_now);
  END IF;
  FOR v_settlement IN SELECT value FROM jsonb_array_elements(v_swept) AS e (value) LOOP
    PERFORM ledger_settle_late(v_settlement, p_now);
  END LOOP;
END $$;

-- Settlements that were never stored, each with an id of its own. A request that was admitted on a lease, `m` are its meters, is
-- charged to its periods, also where nothing of it was reported before they ended, and paid with what its lease holds. Each meter is
-- changed once for all of them.
CREATE OR REPLACE FUNCTION ledger_settle_new(p_settlements jsonb, p_now timestamptz) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_assigned jsonb;
  v_meters jsonb;
BEGIN
  SELECT a.requests INTO v_assigned FROM ledger_assign_all(
    (SELECT jsonb_agg(value) FROM jsonb_array_elements(p_settlements) AS e (value) WHERE NOT value ? 'm'), true, p_now) AS a;
  SELECT jsonb_object_agg(l.id, l.meters) INTO v_meters
  FROM (
    SELECT value ->> 'id' AS id, value -> 'm' AS meters FROM jsonb_array_elements(v_assigned) AS e (value)
    UNION ALL
    SELECT value ->> 'id', to_jsonb(ledger_leased_meters(value, p_now)) FROM jsonb_array_elements(p_settlements) AS e (value)
    WHERE value ? 'm'
  ) AS l;
  p_settlements := ledger_limit(p_settlements, v_meters);

  WITH bill AS MATERIALIZED (
    SELECT id, (value ->> 'e')::boolean AS estimated, (value ->> 'c')::numeric AS customer, (value ->> 'p')::numeric AS provider,
      CASE WHEN v_meters ? id THEN ARRAY(SELECT m::bigint FROM jsonb_array_elements_text(v_meters -> id) AS u (m)) END AS meters
    FROM (SELECT value ->> 'id' AS id, value FROM jsonb_array_elements(p_settlements) AS e (value)) AS s
  ), entered AS (
    INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider)
    SELECT id, CASE WHEN estimated THEN 'estimate' ELSE 'usage' END, meters, customer, provider FROM bill
  )
  UPDATE meter m
  SET used = m.used + s.customer, uses = m.uses + CASE WHEN m.lock_row_id IS NULL THEN 0 ELSE s.count END
  FROM (
    SELECT u.id, sum(bill.customer) AS customer, count(*) AS count FROM bill, unnest(bill.meters) AS u (id) GROUP BY u.id
  ) AS s
  WHERE m.id = ANY (ARRAY[s.id]);

  PERFORM request_log_store((SELECT jsonb_agg(ledger_row(value)) FROM jsonb_array_elements(p_settlements) AS e (value)));
END $$;

-- Settlements with what is charged of each: what its lease, `l`, holds for it, and beyond that what the limits of its meters,
-- `{id: [meter]}`, leave after those before it.
CREATE OR REPLACE FUNCTION ledger_limit(p_settlements jsonb, p_meters jsonb) RETURNS jsonb LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_room jsonb;
  v_paid jsonb := '{}';
  v_settlement jsonb;
  v_own numeric;
  v_meters jsonb;
  v_customer numeric;
  v_limited jsonb := '[]';
BEGIN
  SELECT jsonb_object_agg(m.id, GREATEST(m.lim - m.used - m.held, 0)) INTO v_room FROM meter m
  WHERE m.lim IS NOT NULL AND m.id IN (
    SELECT u.id::bigint FROM jsonb_each(p_meters) AS s (id, meters), jsonb_array_elements_text(s.meters) AS u (id));
  IF p_settlements @? '$[*].l' THEN
    SELECT ledger_pay_from_leases(array_agg(e.value ->> 'l'), array_agg((e.value ->> 'c')::numeric), array_agg(e.value ->> 'id'))
    INTO v_paid FROM jsonb_array_elements(p_settlements) AS e (value) WHERE e.value ? 'l';
  END IF;
  IF NOT EXISTS (
    SELECT FROM jsonb_array_elements(p_settlements) AS e (value), jsonb_array_elements_text(p_meters -> (e.value ->> 'id')) AS u (id)
    WHERE v_room ? u.id GROUP BY u.id
    HAVING sum((e.value ->> 'c')::numeric - COALESCE((v_paid -> (e.value ->> 'id'))::numeric, 0)) > (v_room -> u.id)::numeric)
  THEN
    RETURN p_settlements;
  END IF;
  FOR v_settlement IN SELECT value FROM jsonb_array_elements(p_settlements) AS e (value) LOOP
    v_own := COALESCE((v_paid -> (v_settlement ->> 'id'))::numeric, 0);
    v_meters := p_meters -> (v_settlement ->> 'id');
    v_customer := LEAST((v_settlement ->> 'c')::numeric, v_own + (
      SELECT min((v_room -> u.id)::numeric) FROM jsonb_array_elements_text(v_meters) AS u (id)));
    SELECT v_room || COALESCE(jsonb_object_agg(u.id, (v_room -> u.id)::numeric - (v_customer - v_own)), '{}') INTO v_room
    FROM jsonb_array_elements_text(v_meters) AS u (id) WHERE v_room ? u.id;
    v_limited := v_limited || ledger_charge(v_settlement, v_customer);
  END LOOP;
  RETURN v_limited;
END $$;

-- The meters that a settlement admitted on a lease is charged to.
CREATE OR REPLACE FUNCTION ledger_leased_meters(p_settlement jsonb, p_now timestamptz) RETURNS bigint[] LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_meters bigint[] := ledger_find_skipped(
    ARRAY(SELECT u.id::bigint FROM jsonb_array_elements_text(p_settlement -> 'm') AS u (id)), p_settlement, p_now);
  v_unused bigint[] := ledger_unused(
    v_meters, (p_settlement ->> 'c')::numeric = 0, p_settlement -> 'n' IS NOT NULL OR p_settlement -> 's' IS NOT NULL);
BEGIN
  RETURN ledger_with_project(
    ARRAY(SELECT u.id FROM unnest(v_meters) AS u (id) WHERE u.id = ANY (v_unused) IS NOT TRUE), p_settlement ->> 'k');
END $$;

-- The settlement of a request whose hold was swept: one adjustment, as far as the limits go, and a refund of what a premium week was
-- charged in error. The caller holds the lock rows.
CREATE OR REPLACE FUNCTION ledger_settle_late(p_settlement jsonb, p_now timestamptz) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_id text := p_settlement ->> 'id';
  v_customer numeric := (p_settlement ->> 'c')::numeric;
  v_provider numeric := (p_settlement ->> 'p')::numeric;
  v_not_premium boolean := p_settlement -> 'n' IS NOT NULL OR p_settlement -> 's' IS NOT NULL;
  v_entry ledger_entry;
  v_meters bigint[];
  v_skipped bigint[] := '{}';
  v_unused bigint[];
BEGIN
  IF EXISTS (SELECT FROM ledger_entry WHERE request_id = v_id AND kind = 'adjust') THEN
    RETURN;
  END IF;
  SELECT * INTO v_entry FROM ledger_entry WHERE request_id = v_id AND kind IN ('usage', 'estimate');
  v_unused := ledger_unused(v_entry.meter_ids, false, v_not_premium);
  IF v_unused IS NOT NULL THEN
    INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider)
    VALUES (v_id, 'refund', v_unused, -v_entry.customer, 0);
    UPDATE meter SET used = used - v_entry.customer WHERE id = ANY (v_unused);
  END IF;
  IF v_entry.skipped_meter_ids IS NOT NULL AND v_customer > 0 THEN
    v_skipped := ledger_find_skipped(v_entry.skipped_meter_ids, p_settlement, p_now);
  END IF;
  v_meters := ledger_with_project(
    ARRAY(SELECT u.id FROM unnest(v_entry.meter_ids || v_skipped) AS u (id) WHERE u.id = ANY (v_unused) IS NOT TRUE),
    p_settlement ->> 'k');
  IF v_customer > v_entry.customer THEN
    v_customer := LEAST(v_customer, v_entry.customer + ledger_room(v_meters));
    p_settlement := ledger_charge(p_settlement, v_customer);
  END IF;
  INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider)
  VALUES (v_id, 'adjust', v_meters, v_customer - v_entry.customer, v_provider - v_entry.provider);
  UPDATE meter SET used = used + v_customer - v_entry.customer, uses = uses + CASE WHEN id = ANY (v_skipped) THEN 1 ELSE 0 END
  WHERE id = ANY (v_meters);
  PERFORM request_log_replace(ledger_row(p_settlement));
END $$;

-- Adds to each settlement the meters it is charged to at a moment, `m`, with those of its member and session token. Periods that
-- do not exist yet are created. The caller holds the lock rows.
CREATE OR REPLACE FUNCTION ledger_assign_all(
  p_settlements jsonb, p_premium boolean, p_now timestamptz, OUT requests jsonb, OUT opened bigint[]
) LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  SELECT jsonb_agg(jsonb_build_object(
    'id', e.value -> 'id', 'k', e.value -> 'k', 'o', e.value -> 'o', 'u', e.value -> 'u', 't', e.value -> 't',
    'a', (e.value ->> 'c')::numeric,
    'q', p_premium AND COALESCE((e.value ->> 'q')::boolean, false) AND e.value -> 'n' IS NULL AND e.value -> 's' IS NULL))
  INTO requests FROM jsonb_array_elements(p_settlements) AS e (value);
  IF requests IS NULL THEN
    RETURN;
  END IF;
  SELECT a.requests, a.opened INTO requests, opened FROM ledger_assign_meters(requests, p_now) AS a;
END $$;

-- The same for one settlement.
CREATE OR REPLACE FUNCTION ledger_assign_late(
  p_settlement jsonb, p_premium boolean, p_now timestamptz, OUT meters bigint[], OUT opened bigint[]
) LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  SELECT ARRAY(SELECT m.value::bigint FROM jsonb_array_elements_text(a.requests -> 0 -> 'm') AS m (value)), a.opened
  INTO meters, opened FROM ledger_assign_all(jsonb_build_array(p_settlement), p_premium, p_now) AS a;
END $$;

-- The periods that a swept entry was not charged to although its request cost something: those of its hold where they still
-- exist, else those of this moment.
CREATE OR REPLACE FUNCTION ledger_find_skipped(p_skipped bigint[], p_settlement jsonb, p_now timestamptz) RETURNS bigint[]
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_meters bigint[] := ARRAY(SELECT id FROM meter WHERE id = ANY (p_skipped));
  v_assigned bigint[];
  v_opened bigint[];
BEGIN
  IF cardinality(v_meters) = cardinality(p_skipped) THEN
    RETURN v_meters;
  END IF;
  SELECT a.meters, a.opened INTO v_assigned, v_opened FROM ledger_assign_late(p_settlement, false, p_now) AS a;
  SELECT v_meters || COALESCE(array_agg(m.id), '{}') INTO v_meters FROM meter m
  WHERE m.id = ANY (v_assigned) AND m.kind LIKE '%recurring'
    AND NOT EXISTS (SELECT FROM meter l WHERE l.id = ANY (v_meters) AND l.kind = m.kind);
  DELETE FROM meter WHERE id = ANY (v_opened) AND id <> ALL (v_meters) AND uses = 0;
  RETURN v_meters;
END $$;
