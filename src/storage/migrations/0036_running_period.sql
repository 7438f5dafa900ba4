-- A limit that changes moves the end of the period that runs, the newest, and of no other: by a clock that lags behind, one
-- that has ended would seem to run, and would grow into those after it.

CREATE OR REPLACE FUNCTION recurring_limit_set(p_key text, p_lim numeric, p_period text, p_now double precision DEFAULT NULL)
RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM meter WHERE kind = 'key' AND subject_id = p_key FOR NO KEY UPDATE;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  UPDATE meter SET renews = p_lim IS NOT NULL WHERE kind = 'key' AND subject_id = p_key;
  IF p_lim IS NULL THEN
    DELETE FROM recurring_limit WHERE key_id = p_key;
  ELSE
    INSERT INTO recurring_limit (key_id, lim, period) VALUES (p_key, p_lim, p_period)
    ON CONFLICT (key_id) DO UPDATE SET lim = p_lim, period = p_period;
    PERFORM running_period_set('recurring', p_key, p_lim, p_period, p_now);
  END IF;
  RETURN true;
END $$;

CREATE OR REPLACE FUNCTION member_budget_set(
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
    PERFORM running_period_set('member_recurring', p_member, p_recurring, p_period, p_now);
  END IF;
  RETURN true;
END $$;

-- Gives the running period of a subject another limit and another length, from its start. Its guard is locked.
CREATE FUNCTION running_period_set(p_kind text, p_subject text, p_lim numeric, p_period text, p_now double precision)
RETURNS void LANGUAGE sql AS $$
  UPDATE meter SET lim = p_lim, ends_at = recurring_end(p_period, starts_at)
  WHERE kind = p_kind AND subject_id = p_subject AND ends_at >= ledger_now(p_now)
    AND starts_at = (SELECT max(starts_at) FROM meter WHERE kind = p_kind AND subject_id = p_subject);
$$;
