-- The latest events of a project, with what became of them.
CREATE INDEX video_event_project ON video_event (project_id, created_at DESC, id DESC);
