-- Who holds the session token that ordered a video, apart from all others who call for its project; none where a key did.
ALTER TABLE video_job ADD COLUMN holder text;
UPDATE video_job SET holder = CASE WHEN row::jsonb ? 'endUserId' THEN 'user/' || (row::jsonb ->> 'endUserId')
  ELSE row::jsonb ->> 'sessionTokenId' END
WHERE row::jsonb ? 'sessionTokenId';
CREATE INDEX video_job_holder ON video_job (project_id, holder, created_at DESC, id DESC)
  WHERE holder IS NOT NULL AND deleted_at IS NULL;

-- What must agree between jobs and their holds: an open job has one, one that has ended has none. What was made with a key of
-- the organization's own its provider bills, not we.
CREATE OR REPLACE FUNCTION ledger_check_jobs() RETURNS TABLE (what text, subject text, expected text, actual text)
LANGUAGE sql STABLE AS $$
  SELECT 'hold of a job', h.request_id, 'an open job', COALESCE(j.status, 'no job')
  FROM hold h LEFT JOIN video_job j ON j.request_id = h.request_id
  WHERE h.owner_epoch = 0 AND (j.id IS NULL OR j.status NOT IN ('queued', 'in_progress'))
  UNION ALL
  SELECT 'job', j.id, 'a hold', 'none' FROM video_job j
  WHERE j.status IN ('queued', 'in_progress') AND NOT EXISTS (SELECT FROM hold h WHERE h.request_id = j.request_id)
  UNION ALL
  SELECT 'bill of a job', b.id, b.bill::text, COALESCE(b.paid::text, 'none')
  FROM (
    SELECT j.id, CASE WHEN j.status = 'completed' AND j.row::jsonb ->> 'credential' IS DISTINCT FROM 'own'
        THEN j.cost ELSE 0 END AS bill,
      (SELECT sum(e.customer) FROM ledger_entry e WHERE e.request_id = j.request_id) AS paid
    FROM video_job j WHERE j.status NOT IN ('queued', 'in_progress')
  ) AS b
  WHERE b.paid IS DISTINCT FROM b.bill;
$$;
