-- Takes out of the leases of gone processes what their journals account for: only the rest is lost. Where it has been booked as lost
-- already, that much is found.
CREATE FUNCTION ledger_account_leases(p_ids text[], p_amounts numeric[]) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM ledger_lock_holds(p_ids);
  WITH accounted AS MATERIALIZED (
    SELECT a.id, sum(a.amount) AS amount FROM unnest(p_ids, p_amounts) AS a (id, amount) GROUP BY a.id
  ), reduced AS (
    UPDATE hold h SET amount = h.amount - LEAST(h.amount, a.amount) FROM accounted a, hold old
    WHERE h.request_id = a.id AND h.lease AND old.request_id = a.id
    RETURNING h.meter_ids, old.amount - h.amount AS amount
  ), changed AS (
    UPDATE meter m SET held = m.held - s.amount
    FROM (SELECT u.id, sum(r.amount) AS amount FROM reduced r, unnest(r.meter_ids) AS u (id) GROUP BY u.id) AS s
    WHERE m.id = s.id
  )
  INSERT INTO ledger_entry (request_id, kind, meter_ids, customer, provider)
  SELECT a.id, 'found', '{}', 0, -LEAST(l.provider, a.amount)
  FROM accounted a JOIN ledger_entry l ON l.request_id = a.id AND l.kind = 'lost'
  ON CONFLICT DO NOTHING;
END $$;
