-- A page of keys is read in the order of an index, of all or of each project, instead of sorting all of them.
CREATE INDEX api_key_page ON api_key (created_at, id) WHERE deleted_at IS NULL;
CREATE INDEX api_key_project_page ON api_key (project_id, created_at, id);
DROP INDEX api_key_project_id; -- the one above begins with it
