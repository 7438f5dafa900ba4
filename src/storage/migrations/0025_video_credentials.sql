-- The gateway's credential that a video was ordered with, by name; NULL for the only or the default one. Only its account has the job.
ALTER TABLE video_job ADD COLUMN credential text;
