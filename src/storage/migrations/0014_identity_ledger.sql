-- The meters of members and of session tokens in the ledger. A request names them as `u` and `t`; one that names neither goes
-- the way it went before.

-- Requests of members and session tokens with the meters these add to `m` and `x`. The guards are locked.
CREATE FUNCTION ledger_assign_identity(p_requests jsonb, p_now timestamptz, OUT requests jsonb, OUT opened bigint[])
LANGUAGE plpgsql SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  WITH window_opened AS (
    INSERT INTO meter (kind, subject_id, lim, starts_at, ends_at, guard_id)
    SELECT DISTINCT 'member_recurring', b.id, b.recurring_lim, p_now, recurring_end(b.recurring_period, p_now), g.guard_id
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
  LEFT JOIN meter u ON u.kind = 'member' AND u.subject_id = e.value ->> 'u' AND u.guard_id = c.id
  LEFT JOIN meter t ON t.kind = 'session' AND t.subject_id = e.value ->> 't' AND t.guard_id = k.id
  LEFT JOIN member b ON b.id = u.subject_id AND b.recurring_lim IS NOT NULL AND (e.value ->> 'a')::numeric > 0
  LEFT JOIN LATERAL (
    SELECT m.id FROM meter m WHERE m.kind = 'member_recurring' AND m.subject_id = b.id AND m.ends_at >= p_now
    ORDER BY m.starts_at DESC LIMIT 1
  ) AS w ON true
  CROSS JOIN LATERAL (SELECT to_jsonb(array_remove(ARRAY[u.id, w.id, t.id], NULL)) AS ids) AS i
  -- A stranger's meter is none: without its guard nobody may charge it.
  WHERE (e.value ->> 'u' IS NULL OR u.id IS NOT NULL) AND (e.value ->> 't' IS NULL OR t.id IS NOT NULL);
  IF COALESCE(jsonb_array_length(requests), 0) <> jsonb_array_length(p_requests) THEN
    RAISE EXCEPTION 'a request names a member or a session token without a meter';
  END IF;
END $$;

-- Requests `[{id, k: key, o: organization, u: member, t: session token, a: amount, l: least amount, f: final try, q: premium,
-- row}]` in, outcomes in the same order out: `{s: ok, a}`, `{s: refused}` and `{s: blocked}` (open holds alone are in the way)
-- with the meter's figures, or `{s: closed}` for an id that was settled before.
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
  SELECT array_agg(r.id), array_agg(k.id) || array_agg(c.id), bool_or(r.u IS NOT NULL OR r.t IS NOT NULL)
  INTO v_ids, v_meters, v_identity
  FROM jsonb_to_recordset(p_requests) AS r (id text, k text, o text, u text, t text)
  LEFT JOIN meter k ON k.kind = 'key' AND k.subject_id = r.k
  LEFT JOIN meter c ON c.kind = 'credits' AND c.subject_id = r.o;
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

  IF v_identity OR EXISTS (SELECT FROM meter WHERE id = ANY (v_meters) AND renews) THEN
    -- Read behind the locks: whoever comes later through them has a later moment.
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

-- Of the meters of a hold those that its request did not use after all: a recurring limit opens with what is billed, a
-- premium week with what a premium model is asked.
CREATE OR REPLACE FUNCTION ledger_unused(p_meters bigint[], p_unbilled boolean, p_not_premium boolean) RETURNS bigint[]
LANGUAGE sql STABLE AS $$
  SELECT array_agg(id) FROM meter
  WHERE id = ANY (p_meters) AND ((kind IN ('recurring', 'member_recurring') AND p_unbilled) OR (kind = 'premium' AND p_not_premium));
$$;

-- A settlement whose hold is gone: settled before (nothing to do), swept (one adjustment), or never stored. Its guards are
-- locked.
CREATE OR REPLACE FUNCTION ledger_settle_late(p_settlement jsonb, p_now timestamptz) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
DECLARE
  v_id text := p_settlement ->> 'id';
  v_customer numeric := (p_settlement ->> 'c')::numeric;
  v_provider numeric := (p_settlement ->> 'p')::numeric;
  v_is_premium boolean := (p_settlement ->> 'q')::boolean AND p_settlement -> 'n' IS NULL AND p_settlement -> 's' IS NULL;
  v_entry ledger_entry;
  v_requests jsonb;
  v_meters bigint[];
BEGIN
  SELECT * INTO v_entry FROM ledger_entry WHERE request_id = v_id AND kind IN ('usage', 'estimate');

  IF NOT FOUND THEN
    SELECT a.requests INTO v_requests FROM ledger_assign(jsonb_build_array(jsonb_build_object(
      'k', p_settlement -> 'k', 'o', p_settlement -> 'o', 'u', p_settlement -> 'u', 't', p_settlement -> 't',
      'a', v_customer, 'q', COALESCE(v_is_premium, false))), p_now) AS a;
    IF p_settlement ? 'u' OR p_settlement ? 't' THEN
      SELECT a.requests INTO v_requests FROM ledger_assign_identity(v_requests, p_now) AS a;
    END IF;
    SELECT array_agg(m.value::bigint) INTO v_meters FROM jsonb_array_elements_text(v_requests -> 0 -> 'm') AS m (value);
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
  DELETE FROM meter WHERE id = ANY (v_meters) AND uses = 0 AND kind IN ('premium', 'recurring', 'member_recurring');
END $$;

-- Replaces the budget of a member, all-time and per period; gives whether there is such a member. What was used stays used.
CREATE FUNCTION member_budget_set(
  p_member text, p_lim numeric, p_recurring numeric, p_period text, p_now double precision DEFAULT NULL
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM meter WHERE id = (SELECT guard_id FROM meter WHERE kind = 'member' AND subject_id = p_member)
  FOR NO KEY UPDATE;
  UPDATE member SET recurring_lim = p_recurring, recurring_period = p_period WHERE id = p_member AND removed_at IS NULL;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  UPDATE meter SET lim = p_lim WHERE kind = 'member' AND subject_id = p_member;
  IF p_recurring IS NOT NULL THEN
    UPDATE meter SET lim = p_recurring, ends_at = recurring_end(p_period, starts_at)
    WHERE kind = 'member_recurring' AND subject_id = p_member AND ends_at >= ledger_now(p_now);
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
      count(*) FILTER (WHERE m.kind IN ('credits', 'plan')) AS purses, count(*) FILTER (WHERE m.id IS NULL) AS lost,
      count(*) FILTER (WHERE m.kind = 'member') AS members, count(*) FILTER (WHERE m.kind = 'session') AS sessions,
      max(m.subject_id) FILTER (WHERE m.kind = 'key') AS key_id,
      max(m.subject_id) FILTER (WHERE m.kind = 'member') AS member_id,
      max(m.subject_id) FILTER (WHERE m.kind = 'session') AS session_id
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
  WHERE m.kind IN ('premium', 'recurring', 'member_recurring') AND m.uses < GREATEST(1, COALESCE(o.count, 0))
  UNION ALL
  SELECT 'window within another', m.name, 'after ' || m.ended_before::text, m.starts_at::text
  FROM named m WHERE m.starts_at <= m.ended_before
  UNION ALL
  SELECT 'meters', p.request_id, '1 key, 1 purse, 0 lost', p.keys || ' key, ' || p.purses || ' purse, ' || p.lost || ' lost'
  FROM purse p WHERE (p.keys, p.purses, p.lost) <> (1, 1, 0)
  UNION ALL
  SELECT 'member meter', p.request_id, COALESCE('member ' || k.member_id, 'none'),
    p.members || ' of members, last ' || COALESCE(p.member_id, 'none')
  FROM purse p JOIN api_key k ON k.id = p.key_id WHERE p.members > 1 OR p.member_id IS DISTINCT FROM k.member_id
  UNION ALL
  SELECT 'session meter', p.request_id, 'at most 1, of key ' || p.key_id,
    p.sessions || ', last ' || COALESCE(p.session_id, 'none') || ' of key ' || COALESCE(t.key_id, 'none')
  FROM purse p LEFT JOIN session_token t ON t.id = p.session_id
  WHERE p.sessions > 1 OR (p.session_id IS NOT NULL AND t.key_id IS DISTINCT FROM p.key_id)
  UNION ALL
  SELECT 'guard', m.name, s.guard, COALESCE(g.kind || ' ' || g.subject_id, 'none')
  FROM named m JOIN (
    SELECT 'member' AS kind, b.id, 'credits ' || b.organization_id AS guard FROM member b
    UNION ALL
    SELECT 'member_recurring', b.id, 'credits ' || b.organization_id FROM member b
    UNION ALL
    SELECT 'session', t.id, 'key ' || t.key_id FROM session_token t
  ) AS s ON s.kind = m.kind AND s.id = m.subject_id
  LEFT JOIN meter g ON g.id = m.guard_id
  WHERE s.guard IS DISTINCT FROM g.kind || ' ' || g.subject_id
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
