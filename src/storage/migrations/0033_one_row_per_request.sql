-- A request has one row in the log. The key of the log holds its start too, so the check of the books looks for a second.
CREATE FUNCTION ledger_check_rows() RETURNS TABLE (what text, subject text, expected text, actual text)
LANGUAGE sql STABLE AS $$
  SELECT 'rows', request_id, '1', count(*)::text FROM request_log GROUP BY request_id HAVING count(*) > 1;
$$;
