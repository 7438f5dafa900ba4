-- A hold may grow while its request runs: an answer is held slice by slice, ahead of what is delivered.

-- Takes `[{id, a: amount to add, l: least amount that helps}]`, returns in the same order `{s: ok, a: the hold's new amount}`, or
-- `{s: refused}` or, where only open holds are in the way, `{s: blocked}`, with the meter as `ledger_reserve` names it, or
-- `{s: closed}` where the hold is gone or belongs to another owner.
CREATE FUNCTION ledger_grow(p_owner bigint, p_requests jsonb) RETURNS jsonb LANGUAGE plpgsql
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
CREATE FUNCTION ledger_grow_one(p_owner bigint, p_id text, p_amount numeric, p_least numeric) RETURNS jsonb LANGUAGE plpgsql
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
    'z', CASE WHEN v_meter.ends_at IS NOT NULL THEN round(extract(epoch FROM v_meter.ends_at) * 1000) END);
END $$;
