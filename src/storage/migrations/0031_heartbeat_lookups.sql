-- A heartbeat looks its holds up by an array: as a join with what is reported, it read all holds where PostgreSQL believes that
-- nothing is held, also when nothing is reported.
CREATE OR REPLACE FUNCTION ledger_beat(p_owner bigint, p_note text, p_progress jsonb) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  INSERT INTO owner (epoch, note) OVERRIDING SYSTEM VALUE VALUES (p_owner, p_note)
  ON CONFLICT (epoch) DO UPDATE SET heartbeat_at = clock_timestamp();
  UPDATE hold SET progress = p_progress -> request_id WHERE request_id = ANY (ARRAY(
    SELECT request_id FROM hold
    WHERE request_id = ANY (ARRAY(SELECT jsonb_object_keys(p_progress))) AND owner_epoch = p_owner
    FOR UPDATE SKIP LOCKED));
END $$;
