-- Changes of limits: credits, plans, recurring limits and budgets. Each locks the lock row of what it changes first.

-- Adds credits once per id; returns the balance, or NULL where the id was used for another amount. The first grant makes
-- the organization metered: what it used before is not charged to it, open holds are.
CREATE OR REPLACE FUNCTION ledger_grant(p_id text, p_organization text, p_amount numeric) RETURNS numeric LANGUAGE plpgsql AS $$
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

-- Starts a subscription, changes its plan (usage stays, limits are replaced) or ends it (`none`); returns whether the
-- organization exists. Its first plan makes an organization metered: beyond the plan it has only the credits it was given,
-- and without any it is not metered after its last plan.
CREATE OR REPLACE FUNCTION plan_set(
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
    UPDATE meter SET renews = organization_renews(p_organization) WHERE kind = 'credits' AND subject_id = p_organization;
    UPDATE meter SET ends_at = GREATEST(starts_at, v_now)
    WHERE kind = 'plan' AND subject_id = p_organization AND starts_at = (plan_cycle(v_started, v_now)).starts_at;
    -- The limit that came with the plan, where no credits were ever added: the organization was not metered before.
    UPDATE meter SET lim = NULL, used_before_grants = 0
    WHERE kind = 'credits' AND subject_id = p_organization AND lim = used_before_grants;
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

-- Gives a key a limit that renews, replaces it or removes it (NULL); returns whether the key exists. Usage of the current
-- period stays.
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

-- Replaces the budget of a member, all-time and per period; returns whether the member exists. Usage stays.
CREATE OR REPLACE FUNCTION member_budget_set(
  p_member text, p_lim numeric, p_recurring numeric, p_period text, p_now double precision DEFAULT NULL
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM meter WHERE id = (SELECT lock_row_id FROM meter WHERE kind = 'member' AND subject_id = p_member)
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

-- Changes limit and length of the current period of a subject, the newest, and of no other: by a clock that lags behind, an
-- ended period would seem current and would grow into those after it. The caller holds the lock row.
CREATE OR REPLACE FUNCTION running_period_set(p_kind text, p_subject text, p_lim numeric, p_period text, p_now double precision)
RETURNS void LANGUAGE sql AS $$
  UPDATE meter SET lim = p_lim, ends_at = recurring_end(p_period, starts_at)
  WHERE kind = p_kind AND subject_id = p_subject AND ends_at >= ledger_now(p_now)
    AND starts_at = (SELECT max(starts_at) FROM meter WHERE kind = p_kind AND subject_id = p_subject);
$$;
