-- An organization that was not metered before its plan is not metered after it: the end of a plan gives back what its beginning
-- took. Credits that were added meanwhile meter it all the same.

-- Takes away the bound that a plan alone gave, where no credits were ever added.
CREATE FUNCTION plan_unmeter(p_organization text) RETURNS void LANGUAGE sql AS $$
  UPDATE meter SET lim = NULL, used_before_grants = 0
  WHERE kind = 'credits' AND subject_id = p_organization AND NOT renews AND lim = used_before_grants;
$$;

ALTER FUNCTION plan_set(text, text, numeric, numeric, numeric, boolean, double precision) RENAME TO plan_set_metered;
CREATE FUNCTION plan_set(
  p_organization text, p_plan text, p_price numeric, p_credits numeric, p_premium numeric, p_overflow boolean,
  p_now double precision DEFAULT NULL
) RETURNS boolean LANGUAGE plpgsql AS $$
BEGIN
  IF NOT plan_set_metered(p_organization, p_plan, p_price, p_credits, p_premium, p_overflow, p_now) THEN
    RETURN false;
  END IF;
  IF p_plan = 'none' THEN
    PERFORM plan_unmeter(p_organization);
  END IF;
  RETURN true;
END $$;

-- Organizations whose plan ended before.
SELECT plan_unmeter(subject_id) FROM meter WHERE kind = 'credits' AND NOT renews AND lim = used_before_grants;
