-- Who holds the session token that ordered a video, apart from all others who call for its project; none where a key did.
ALTER TABLE video_job ADD COLUMN holder text;
UPDATE video_job SET holder = CASE WHEN row::jsonb ? 'endUserId' THEN 'user/' || (row::jsonb ->> 'endUserId')
  ELSE row::jsonb ->> 'sessionTokenId' END
WHERE row::jsonb ? 'sessionTokenId';
CREATE INDEX video_job_holder ON video_job (project_id, holder, created_at DESC, id DESC)
  WHERE holder IS NOT NULL AND deleted_at IS NULL;
