-- Holds: money reserved before a request is sent to a provider.

-- Takes requests `[{id, k: key, o: organization, u: member, t: session token, a: amount, l: least amount, h: share,
-- f: final try, q: premium, row}]`, returns outcomes in the same order: `{s: ok, a}`; `{s: refused}` or, where only open holds are
-- in the way, `{s: blocked}`, with the meter's id `i`, kind `m`, `lim`, `used`, `held` and end of period `z` in milliseconds;
-- `{s: closed}` for an id that was settled before. A request with a share whose amount does not fit leaves a part of the rest to
-- others: it takes half of what is left, and at least its share.
--
-- Three ways, fastest first: all requests together on `key` and `credits` alone; all together on their assigned meters; one
-- by one where not all of them fit. It joins only short lists: lookups in nested loops are all it needs.
CREATE OR REPLACE FUNCTION ledger_reserve(p_owner bigint, p_requests jsonb, p_now double precision DEFAULT NULL) RETURNS jsonb
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan
  SET enable_hashjoin = off SET enable_mergejoin = off AS $$
DECLARE
  v_ids text[];
  v_meters bigint[];
  v_plain boolean;
  v_identity boolean; -- whether a member or a session token is among them
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
    SELECT a.requests, a.opened INTO v_requests, v_opened FROM ledger_assign_meters(p_requests, v_now) AS a;
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

-- Holds all requests on their assigned meters if all fit, else none; returns whether it did.
CREATE OR REPLACE FUNCTION ledger_hold_all(p_owner bigint, p_requests jsonb, p_ids text[]) RETURNS boolean LANGUAGE plpgsql
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
    UPDATE meter m SET held = m.held + need.total, uses = m.uses + CASE WHEN m.lock_row_id IS NULL THEN 0 ELSE need.count END
    FROM (SELECT u.id, sum(request.a) AS total, count(*) AS count FROM request, unnest(request.m) AS u (id) GROUP BY u.id) AS need
    WHERE m.id = need.id
  )
  INSERT INTO hold (request_id, owner_epoch, meter_ids, amount, row)
  SELECT id, p_owner, m, a, "row" FROM request;
  RETURN true;
END $$;

-- Holds one request. `p_waiting` are meters that an earlier request waits for, so that none overtakes it. The caller holds the
-- lock rows.
CREATE OR REPLACE FUNCTION ledger_reserve_one(p_owner bigint, p_request record, p_waiting bigint[]) RETURNS jsonb
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_amount numeric;
  v_ceiling numeric; -- what would be free if every open hold came back
  v_room numeric;    -- what is free now
  v_need numeric := LEAST(p_request.amount, p_request.least);
  v_ids bigint[] := p_request.meter_ids;
  v_overflow_ceiling numeric;
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
    SELECT min(lim - used) INTO v_overflow_ceiling FROM meter WHERE id = ANY (p_request.overflow_ids);
    IF v_overflow_ceiling > v_ceiling THEN
      v_ids := p_request.overflow_ids;
      SELECT min(lim - used), min(lim - used - held) INTO v_ceiling, v_room FROM meter WHERE id = ANY (v_ids);
    END IF;
  END IF;
  v_short := p_request.amount > v_ceiling;
  v_amount := p_request.amount;
  IF v_amount > v_room AND (v_short OR p_request.final) AND v_need <= v_room THEN
    v_amount := CASE WHEN p_request.share IS NULL THEN v_room
      ELSE LEAST(v_room, GREATEST(v_need, p_request.share, floor(v_room / 2))) END;
  END IF;
  -- What costs nothing is admitted even where the balance is overdrawn.
  IF v_amount = 0 OR ((v_room IS NULL OR v_amount <= v_room) AND (p_request.final OR NOT v_ids && p_waiting)) THEN
    UPDATE meter SET held = held + v_amount, uses = uses + CASE WHEN lock_row_id IS NULL THEN 0 ELSE 1 END
    WHERE id = ANY (v_ids);
    INSERT INTO hold (request_id, owner_epoch, meter_ids, amount, row)
    VALUES (p_request.id, p_owner, v_ids, v_amount, p_request.row);
    RETURN jsonb_build_object('s', 'ok', 'a', v_amount::text);
  END IF;

  -- Reports the meter that refuses for good if there is one, else one that an earlier request waits for or open holds fill.
  SELECT * INTO v_meter FROM meter WHERE id = ANY (v_ids)
  ORDER BY lim - used < v_need DESC NULLS LAST, id = ANY (p_waiting) DESC, lim - used - held NULLS LAST, id LIMIT 1;
  RETURN jsonb_build_object(
    's', CASE WHEN v_need > v_ceiling THEN 'refused' ELSE 'blocked' END, 'i', v_meter.id,
    'm', v_meter.kind, 'lim', v_meter.lim::text, 'used', v_meter.used::text, 'held', v_meter.held::text,
    -- A period that this request would open has no reset yet.
    'z', CASE WHEN v_meter.kind = 'plan' OR v_meter.uses > 0 THEN round(extract(epoch FROM v_meter.ends_at) * 1000) END);
END $$;

-- Takes `[{id, a: amount to add, l: least amount that helps}]`, returns in the same order `{s: ok, a: the hold's new amount}`, or
-- `{s: refused}` or, where only open holds are in the way, `{s: blocked}`, with the meter as `ledger_reserve` names it and the
-- amount of the hold, `own`, or `{s: closed}` where the hold is gone or belongs to another owner.
CREATE OR REPLACE FUNCTION ledger_grow(p_owner bigint, p_requests jsonb) RETURNS jsonb LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_outcomes jsonb := '[]';
  v_request record;
BEGIN
  PERFORM ledger_lock_holds(ARRAY(SELECT r.id FROM jsonb_to_recordset(p_requests) AS r (id text)));
  FOR v_request IN
    SELECT r.value ->> 'id' AS id, (r.value ->> 'a')::numeric AS amount, (r.value ->> 'l')::numeric AS least
    FROM jsonb_array_elements(p_requests) WITH ORDINALITY AS r (value, n) ORDER BY r.n
  LOOP
    v_outcomes := v_outcomes || ledger_grow_one(p_owner, v_request.id, v_request.amount, v_request.least);
  END LOOP;
  RETURN v_outcomes;
END $$;

-- Adds to one hold what is free of the amount, at least `p_least`. The caller holds the lock rows.
CREATE OR REPLACE FUNCTION ledger_grow_one(p_owner bigint, p_id text, p_amount numeric, p_least numeric) RETURNS jsonb LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_hold hold;
  v_meter meter;
  v_added numeric;
BEGIN
  SELECT * INTO v_hold FROM hold WHERE request_id = p_id AND owner_epoch = p_owner FOR UPDATE;
  IF NOT FOUND THEN
    RETURN jsonb_build_object('s', 'closed');
  END IF;
  SELECT LEAST(p_amount, min(lim - used - held)) INTO v_added FROM meter WHERE id = ANY (v_hold.meter_ids);
  IF v_added >= p_least THEN
    UPDATE meter SET held = held + v_added WHERE id = ANY (v_hold.meter_ids);
    UPDATE hold SET amount = amount + v_added WHERE request_id = p_id;
    RETURN jsonb_build_object('s', 'ok', 'a', (v_hold.amount + v_added)::text);
  END IF;
  -- What the hold itself has is not in its way.
  SELECT * INTO v_meter FROM meter WHERE id = ANY (v_hold.meter_ids)
  ORDER BY lim - used - v_hold.amount < p_least DESC NULLS LAST, lim - used - held NULLS LAST, id LIMIT 1;
  RETURN jsonb_build_object(
    's', CASE WHEN v_meter.lim - v_meter.used - v_hold.amount < p_least THEN 'refused' ELSE 'blocked' END,
    'm', v_meter.kind, 'lim', v_meter.lim::text, 'used', v_meter.used::text, 'held', v_meter.held::text,
    'own', v_hold.amount::text,
    'z', CASE WHEN v_meter.ends_at IS NOT NULL THEN round(extract(epoch FROM v_meter.ends_at) * 1000) END);
END $$;
