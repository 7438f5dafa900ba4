-- When a project or an organization was removed. The rows stay: usage, log rows, the ledger and the audit log refer to them.
ALTER TABLE organization ADD COLUMN removed_at timestamptz;
ALTER TABLE project ADD COLUMN removed_at timestamptz;
