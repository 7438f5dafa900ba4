-- Sums up the latest open day all of whose hours are counted; returns whether there was one. A day at a time: a month of a busy
-- installation, as after an upgrade that opens all days, takes longer than a statement may.
CREATE OR REPLACE FUNCTION usage_sum_days() RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
  v_day timestamptz;
BEGIN
  DELETE FROM usage_open WHERE day = (
    SELECT max(o.day) FROM usage_open o, log_state s WHERE o.day + interval '24 hours' <= s.counted_through)
  RETURNING day INTO v_day;
  IF v_day IS NULL THEN
    RETURN false;
  END IF;
  DELETE FROM usage_day WHERE day = v_day;
  INSERT INTO usage_day
  SELECT v_day, organization_id, project_id, model_id, provider_id, sum(requests)::bigint, sum(input_uncached)::bigint,
    sum(input_cache_read)::bigint, sum(input_cache_write_5m)::bigint, sum(input_cache_write_1h)::bigint,
    sum(input_audio)::bigint, sum(output_text)::bigint, sum(output_reasoning)::bigint, sum(output_audio)::bigint,
    sum(web_searches)::bigint, sum(input_image)::bigint, sum(output_image)::bigint,
    sum(customer_cost), sum(provider_cost)
  FROM usage_hour WHERE hour >= v_day AND hour < v_day + interval '24 hours'
  GROUP BY organization_id, project_id, model_id, provider_id;
  PERFORM usage_sum_details(ARRAY[v_day]);
  RETURN true;
END $$;
