-- Restores the progress of open requests from a journal, unless more is known. Holds are looked up one by one, whatever the statistics
-- say of their table.
CREATE FUNCTION ledger_restore_progress(p_progress jsonb) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET plan_cache_mode = force_generic_plan AS $$
BEGIN
  UPDATE hold SET progress = p_progress -> request_id WHERE request_id = ANY (ARRAY(
    SELECT request_id FROM hold
    WHERE request_id = ANY (ARRAY(SELECT jsonb_object_keys(p_progress)))
      AND (progress IS NULL OR (progress ->> 'c')::numeric <= (p_progress -> request_id ->> 'c')::numeric)
    FOR UPDATE SKIP LOCKED));
END $$;
