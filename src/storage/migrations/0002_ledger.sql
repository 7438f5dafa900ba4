-- Money in pico-USD. Rows are the truth, the counters of `meter` are their sums.
--
-- Lock order, everywhere: meters by id, then holds. A hold is resolved by deleting it; whoever deletes it writes its
-- entry, so a hold is resolved once.

CREATE TABLE meter (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('key', 'credits')),
  subject_id text NOT NULL,
  lim numeric(38, 0) CHECK (lim >= 0),
  used numeric(38, 0) NOT NULL DEFAULT 0,
  held numeric(38, 0) NOT NULL DEFAULT 0 CHECK (held >= 0),
  -- Credits only: what had been used when the first grant made the organization metered.
  used_before_grants numeric(38, 0) NOT NULL DEFAULT 0,
  UNIQUE (kind, subject_id)
) WITH (fillfactor = 50);

CREATE TABLE owner (
  epoch bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  heartbeat_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  note text NOT NULL
) WITH (fillfactor = 50);

CREATE TABLE hold (
  request_id text PRIMARY KEY,
  owner_epoch bigint NOT NULL,
  meter_ids bigint[] NOT NULL,
  amount numeric(38, 0) NOT NULL CHECK (amount >= 0),
  -- JSON text; read only when the owner is gone.
  row text NOT NULL,
  progress jsonb,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 70);

CREATE TABLE ledger_entry (
  request_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('usage', 'estimate', 'adjust', 'grant', 'refund')),
  meter_ids bigint[] NOT NULL,
  customer numeric(38, 0) NOT NULL,
  provider numeric(38, 0) NOT NULL,
  -- Closed for an owner that was gone; that owner may still correct it, once.
  swept boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (request_id, kind),
  CHECK (kind NOT IN ('usage', 'estimate', 'grant') OR (customer >= 0 AND provider >= 0))
);

CREATE FUNCTION refuse_ledger_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the ledger is append-only';
END $$;
CREATE TRIGGER ledger_entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entry
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change();

-- The planner settings below keep plans made on empty tables good, and spare a plan per call.

-- Requests `[{id, k: key, o: organization, a: amount, l: least amount, f: final try, row}]` in, outcomes in the same
-- order out: `{s: ok, a}`, `{s: refused}` and `{s: blocked}` (open holds alone are in the way) with the meter's figures,
-- or `{s: closed}` for an id that was settled before.
CREATE FUNCTION ledger_reserve(p_owner bigint, p_requests jsonb) RETURNS jsonb LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_ids text[];
  v_meters bigint[];
  v_plain boolean;
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
      WHERE need.total > 0 AND m.used + m.held + need.total > m.lim
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

  FOR v_request IN
    SELECT r.value ->> 'id' AS id, (r.value ->> 'a')::numeric AS amount, (r.value ->> 'l')::numeric AS least,
      COALESCE((r.value ->> 'f')::boolean, false) AS final, r.value ->> 'row' AS row, ARRAY[k.id, c.id] AS meter_ids
    FROM jsonb_array_elements(p_requests) WITH ORDINALITY AS r (value, n)
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
  RETURN v_outcomes;
END $$;

-- One request against its locked meters. `p_waiting`: meters an earlier request waits for, so that nobody overtakes it.
CREATE FUNCTION ledger_reserve_one(p_owner bigint, p_request record, p_waiting bigint[]) RETURNS jsonb LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_amount numeric;
  v_ceiling numeric; -- what would be free if every open hold came back
  v_room numeric;    -- what is free now
  v_need numeric := LEAST(p_request.amount, p_request.least);
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

  SELECT min(lim - used), min(lim - used - held) INTO v_ceiling, v_room FROM meter WHERE id = ANY (p_request.meter_ids);
  v_short := p_request.amount > v_ceiling;
  v_amount := p_request.amount;
  IF v_amount > v_room AND (v_short OR p_request.final) AND v_need <= v_room THEN
    v_amount := v_room;
  END IF;
  -- What costs nothing needs no money, even of a purse that is overdrawn.
  IF v_amount = 0 OR ((v_room IS NULL OR v_amount <= v_room) AND (p_request.final OR NOT p_request.meter_ids && p_waiting)) THEN
    UPDATE meter SET held = held + v_amount WHERE id = ANY (p_request.meter_ids);
    INSERT INTO hold (request_id, owner_epoch, meter_ids, amount, row)
    VALUES (p_request.id, p_owner, p_request.meter_ids, v_amount, p_request.row);
    RETURN jsonb_build_object('s', 'ok', 'a', v_amount::text);
  END IF;

  -- Named is the meter that refuses for good where one does, else the one a waiting request or open holds occupy.
  SELECT * INTO v_meter FROM meter WHERE id = ANY (p_request.meter_ids)
  ORDER BY lim - used < v_need DESC NULLS LAST, id = ANY (p_waiting) DESC, lim - used - held NULLS LAST, id LIMIT 1;
  RETURN jsonb_build_object(
    's', CASE WHEN v_need > v_ceiling THEN 'refused' ELSE 'blocked' END, 'i', v_meter.id,
    'm', v_meter.kind, 'lim', v_meter.lim::text, 'used', v_meter.used::text, 'held', v_meter.held::text);
END $$;

-- Settlements `[{id, k: key, o: organization, c: customer, p: provider, e: estimated, row}]`, each effective once.
CREATE FUNCTION ledger_settle(p_settlements jsonb) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_ids text[];
  v_meters bigint[];
  v_resolved text[];
  v_settlement jsonb;
BEGIN
  -- All meters at once, also those of settlements that will turn out to be late: a second round would break the lock order.
  SELECT array_agg(r.id), array_agg(k.id) || array_agg(c.id) INTO v_ids, v_meters
  FROM jsonb_to_recordset(p_settlements) AS r (id text, k text, o text)
  LEFT JOIN meter k ON k.kind = 'key' AND k.subject_id = r.k
  LEFT JOIN meter c ON c.kind = 'credits' AND c.subject_id = r.o;
  PERFORM 1 FROM meter WHERE id = ANY (v_meters) ORDER BY id FOR NO KEY UPDATE;

  v_resolved := ledger_resolve(p_settlements, v_ids, false);
  IF cardinality(v_resolved) < cardinality(v_ids) THEN
    FOR v_settlement IN SELECT value FROM jsonb_array_elements(p_settlements) AS e (value) LOOP
      IF NOT v_settlement ->> 'id' = ANY (v_resolved) THEN
        PERFORM ledger_settle_late(v_settlement);
      END IF;
    END LOOP;
  END IF;
END $$;

-- Deletes the holds that are still there and writes what they came to; gives the ids it resolved. Their meters are locked.
CREATE FUNCTION ledger_resolve(p_settlements jsonb, p_ids text[], p_swept boolean) RETURNS text[] LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_resolved text[];
BEGIN
  WITH closed AS (
    DELETE FROM hold WHERE request_id = ANY (p_ids) RETURNING request_id, meter_ids, amount
  ), settled AS MATERIALIZED (
    SELECT DISTINCT ON (r.id) r.id, closed.meter_ids, closed.amount, r.c, r.p, r.e
    FROM closed JOIN jsonb_to_recordset(p_settlements) AS r (id text, c numeric, p numeric, e boolean) ON r.id = closed.request_id
  ), changed AS (
    UPDATE meter m SET held = m.held - s.amount, used = m.used + s.customer
    FROM (
      SELECT u.id, sum(settled.amount) AS amount, sum(settled.c) AS customer
      FROM settled, unnest(settled.meter_ids) AS u (id) GROUP BY u.id
    ) AS s
    WHERE m.id = s.id
  ), entered AS (
    INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider, swept)
    SELECT id, CASE WHEN e THEN 'estimate' ELSE 'usage' END, meter_ids, c, p, p_swept FROM settled
  )
  SELECT COALESCE(array_agg(id), '{}') INTO v_resolved FROM settled;

  PERFORM request_log_store(
    (SELECT jsonb_agg(ledger_row(e.value)) FROM jsonb_array_elements(p_settlements) AS e (value) WHERE e.value ->> 'id' = ANY (v_resolved)));
  RETURN v_resolved;
END $$;

-- The log row of a settlement, bearing the ledger's own figures.
CREATE FUNCTION ledger_row(p_settlement jsonb) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT (p_settlement -> 'row') || jsonb_build_object(
    'requestId', p_settlement -> 'id', 'customer', p_settlement ->> 'c', 'provider', p_settlement ->> 'p',
    'estimated', p_settlement -> 'e');
$$;

-- A settlement whose hold is gone: settled before (nothing to do), swept (one adjustment), or never stored. Its meters are
-- locked.
CREATE FUNCTION ledger_settle_late(p_settlement jsonb) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_id text := p_settlement ->> 'id';
  v_customer numeric := (p_settlement ->> 'c')::numeric;
  v_provider numeric := (p_settlement ->> 'p')::numeric;
  v_entry ledger_entry;
  v_meters bigint[];
BEGIN
  SELECT array_agg(id) INTO v_meters FROM meter
  WHERE (kind = 'key' AND subject_id = p_settlement ->> 'k') OR (kind = 'credits' AND subject_id = p_settlement ->> 'o');
  SELECT * INTO v_entry FROM ledger_entry WHERE request_id = v_id AND kind IN ('usage', 'estimate');

  IF NOT FOUND THEN
    INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider)
    VALUES (v_id, CASE WHEN (p_settlement ->> 'e')::boolean THEN 'estimate' ELSE 'usage' END, v_meters, v_customer, v_provider);
    UPDATE meter SET used = used + v_customer WHERE id = ANY (v_meters);
    PERFORM request_log_store(jsonb_build_array(ledger_row(p_settlement)));
  ELSIF v_entry.swept AND NOT EXISTS (SELECT FROM ledger_entry WHERE request_id = v_id AND kind = 'adjust') THEN
    INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider)
    VALUES (v_id, 'adjust', v_entry.meter_ids, v_customer - v_entry.customer, v_provider - v_entry.provider);
    UPDATE meter SET used = used + v_customer - v_entry.customer WHERE id = ANY (v_entry.meter_ids);
    PERFORM request_log_replace(ledger_row(p_settlement));
  END IF;
END $$;

-- Settlements and requests of one moment in one transaction: money that comes back is there for those who ask. All meters
-- are locked at once, before either part locks its own again.
CREATE FUNCTION ledger_step(p_owner bigint, p_settlements jsonb, p_requests jsonb) RETURNS jsonb LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  IF p_settlements IS NULL THEN
    RETURN ledger_reserve(p_owner, p_requests);
  END IF;
  IF p_requests IS NOT NULL THEN
    PERFORM 1 FROM meter WHERE id IN (
      SELECT m.id
      FROM jsonb_to_recordset(p_settlements || p_requests) AS r (k text, o text)
      CROSS JOIN LATERAL (VALUES ('key', r.k), ('credits', r.o)) AS s (kind, subject_id)
      JOIN meter m ON m.kind = s.kind AND m.subject_id = s.subject_id)
    ORDER BY id FOR NO KEY UPDATE;
  END IF;
  PERFORM ledger_settle(p_settlements);
  RETURN CASE WHEN p_requests IS NULL THEN '[]' ELSE ledger_reserve(p_owner, p_requests) END;
END $$;

-- Gives back holds nothing was sent for: their reserve failed before its answer arrived.
CREATE FUNCTION ledger_release(p_owner bigint, p_ids text[]) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_meters bigint[];
BEGIN
  SELECT array_agg(u.id) INTO v_meters FROM hold h CROSS JOIN unnest(h.meter_ids) AS u (id) WHERE h.request_id = ANY (p_ids);
  PERFORM 1 FROM meter WHERE id = ANY (v_meters) ORDER BY id FOR NO KEY UPDATE;
  WITH released AS (
    DELETE FROM hold WHERE request_id = ANY (p_ids) AND owner_epoch = p_owner RETURNING meter_ids, amount
  )
  UPDATE meter m SET held = m.held - s.amount
  FROM (SELECT u.id, sum(released.amount) AS amount FROM released, unnest(released.meter_ids) AS u (id) GROUP BY u.id) AS s
  WHERE m.id = s.id;
END $$;

-- One statement per process and second: the sign of life and the progress `{request id: {c, p, row}}` of its open holds.
-- A hold that is being resolved is skipped, so this never waits for a settlement.
CREATE FUNCTION ledger_beat(p_owner bigint, p_note text, p_progress jsonb) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO owner (epoch, note) OVERRIDING SYSTEM VALUE VALUES (p_owner, p_note)
  ON CONFLICT (epoch) DO UPDATE SET heartbeat_at = clock_timestamp();
  WITH fresh AS MATERIALIZED (
    SELECT h.request_id, p.value FROM jsonb_each(p_progress) AS p (key, value)
    JOIN hold h ON h.request_id = p.key AND h.owner_epoch = p_owner
    FOR UPDATE OF h SKIP LOCKED
  )
  UPDATE hold h SET progress = fresh.value FROM fresh WHERE h.request_id = fresh.request_id;
END $$;

-- Closes holds whose owner is gone, as estimates from their last progress; gives their number. An owner is gone when its
-- heartbeat is older than `p_stale`, or when this process is the only one (`p_exclusive`). Never by the age of a hold.
CREATE FUNCTION ledger_sweep(p_owner bigint, p_exclusive boolean, p_stale interval) RETURNS integer LANGUAGE plpgsql
SET enable_seqscan = off AS $$
DECLARE
  v_settlements jsonb;
  v_ids text[];
  v_meters bigint[];
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
  SELECT array_agg(u.id) INTO v_meters FROM hold h CROSS JOIN unnest(h.meter_ids) AS u (id) WHERE h.request_id = ANY (v_ids);
  PERFORM 1 FROM meter WHERE id = ANY (v_meters) ORDER BY id FOR NO KEY UPDATE;
  RETURN cardinality(ledger_resolve(v_settlements, v_ids, true));
END $$;

-- Adds credits once per id; gives what is left, or NULL where the id was used for another amount. The first grant makes
-- the organization metered: what it used before is not charged to it, requests in flight are.
CREATE FUNCTION ledger_grant(p_id text, p_organization text, p_amount numeric) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
  v_meter meter;
  v_granted numeric;
BEGIN
  SELECT * INTO v_meter FROM meter WHERE kind = 'credits' AND subject_id = p_organization FOR NO KEY UPDATE;
  SELECT customer INTO v_granted FROM ledger_entry WHERE request_id = p_id AND kind = 'grant';
  IF FOUND THEN
    RETURN CASE WHEN v_granted = p_amount THEN v_meter.lim - v_meter.used END;
  END IF;
  INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider)
  VALUES (p_id, 'grant', ARRAY[v_meter.id], p_amount, 0);
  UPDATE meter SET lim = COALESCE(lim, used) + p_amount,
    used_before_grants = CASE WHEN lim IS NULL THEN used ELSE used_before_grants END
  WHERE id = v_meter.id RETURNING lim - used INTO v_granted;
  RETURN v_granted;
END $$;

-- Every figure that must agree and does not. One statement, so one moment.
CREATE FUNCTION ledger_check() RETURNS TABLE (what text, subject text, expected text, actual text)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY WITH charged AS (
    SELECT u.id, sum(e.customer) AS customer FROM ledger_entry e, unnest(e.meter_ids) AS u (id)
    WHERE e.kind <> 'grant' GROUP BY u.id
  ), granted AS (
    SELECT u.id, sum(e.customer) AS customer FROM ledger_entry e, unnest(e.meter_ids) AS u (id)
    WHERE e.kind = 'grant' GROUP BY u.id
  ), open AS (
    SELECT u.id, sum(h.amount) AS amount FROM hold h, unnest(h.meter_ids) AS u (id) GROUP BY u.id
  ), request AS (
    SELECT e.request_id, sum(e.customer) AS customer, sum(e.provider) AS provider,
      count(*) FILTER (WHERE e.kind IN ('usage', 'estimate')) AS closings
    FROM ledger_entry e WHERE e.kind IN ('usage', 'estimate', 'adjust') GROUP BY e.request_id
  )
  SELECT 'used', m.kind || ' ' || m.subject_id, COALESCE(c.customer, 0)::text, m.used::text
  FROM meter m LEFT JOIN charged c ON c.id = m.id WHERE m.used <> COALESCE(c.customer, 0)
  UNION ALL
  SELECT 'held', m.kind || ' ' || m.subject_id, COALESCE(o.amount, 0)::text, m.held::text
  FROM meter m LEFT JOIN open o ON o.id = m.id WHERE m.held <> COALESCE(o.amount, 0)
  UNION ALL
  SELECT 'limit', m.kind || ' ' || m.subject_id, (m.used_before_grants + g.customer)::text, COALESCE(m.lim::text, 'none')
  FROM meter m JOIN granted g ON g.id = m.id WHERE m.kind = 'credits' AND m.lim IS DISTINCT FROM m.used_before_grants + g.customer
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
