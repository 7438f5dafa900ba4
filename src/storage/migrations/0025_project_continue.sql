-- Whether another provider continues a streamed answer of the project that one has cut.
ALTER TABLE project ADD COLUMN continue boolean NOT NULL DEFAULT false;
