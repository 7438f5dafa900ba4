-- Things are listed in the order they were made, also where one transaction made several.
ALTER TABLE organization ALTER COLUMN created_at SET DEFAULT clock_timestamp();
ALTER TABLE project ALTER COLUMN created_at SET DEFAULT clock_timestamp();
ALTER TABLE api_key ALTER COLUMN created_at SET DEFAULT clock_timestamp();
ALTER TABLE admin_key ALTER COLUMN created_at SET DEFAULT clock_timestamp();
