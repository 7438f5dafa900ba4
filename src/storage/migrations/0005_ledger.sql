-- Money in pico-USD. Holds and entries are the truth; the counters of `meter` are their sums. The functions that change them
-- follow in 0012 to 0017.
--
-- Lock order, everywhere: lock rows of `meter` by id, then holds. A hold is resolved by deleting it, and the statement that
-- deletes it writes its entry, so it is resolved once.

-- What a limit counts. A subject has one row for its all-time limit and one per period of a limit that renews, so that a
-- request is charged to the period it was admitted in.
--   key               a key, all-time               recurring         a key, per period
--   credits           an organization's balance     plan              an organization, per billing cycle
--   premium           a plan's premium models, per week
--   member            a member, all-time            member_recurring  a member, per period
--   session           a session token
-- `key` and `credits` are lock rows: every other meter changes only under the lock of the row its `lock_row_id` names, the `key`
-- of its key or the `credits` of its organization. So locks are taken on few rows, in one order.
CREATE TABLE meter (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text NOT NULL,
  subject_id text NOT NULL,
  -- NULL: not limited.
  lim numeric(38, 0) CHECK (lim >= 0),
  used numeric(38, 0) NOT NULL DEFAULT 0,
  held numeric(38, 0) NOT NULL DEFAULT 0 CHECK (held >= 0),
  -- Of `credits`: what was used before the first grant or plan made the organization metered. It is part of `lim`, so that it
  -- is not charged.
  used_before_grants numeric(38, 0) NOT NULL DEFAULT 0,
  -- Of a lock row: whether its subject has meters that renew. Requests of all others take a shorter way.
  renews boolean NOT NULL DEFAULT false,
  lock_row_id bigint,
  starts_at timestamptz,
  -- A billing cycle ends before this moment; a period that a request opened includes it.
  ends_at timestamptz,
  -- Open holds and charged requests of a period. A period that a request opened is deleted when none is left.
  uses bigint NOT NULL DEFAULT 0,
  CONSTRAINT meter_kind_check CHECK (
    kind IN ('key', 'credits', 'recurring', 'plan', 'premium', 'member', 'member_recurring', 'session')),
  CONSTRAINT meter_lock_row_check CHECK ((kind IN ('key', 'credits')) = (lock_row_id IS NULL)),
  CONSTRAINT meter_period_check CHECK (
    (kind IN ('key', 'credits', 'member', 'session')) = (starts_at IS NULL) AND (starts_at IS NULL) = (ends_at IS NULL)),
  UNIQUE NULLS NOT DISTINCT (kind, subject_id, starts_at)
) WITH (fillfactor = 50);

-- A changed limit ends the leases under it at once.
CREATE OR REPLACE FUNCTION notify_limit() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('sluice_accounts', 'lease return ' || CASE NEW.kind WHEN 'credits' THEN 'organization' ELSE NEW.kind END
    || ' ' || NEW.subject_id);
  RETURN NULL;
END $$;
CREATE TRIGGER meter_limit AFTER UPDATE OF lim, renews ON meter FOR EACH ROW EXECUTE FUNCTION notify_limit();

-- The all-time limit of a key is on its meter, which requests change too: only `lim` is compared.
CREATE OR REPLACE FUNCTION audit_key_limit() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_before numeric := CASE WHEN TG_OP = 'UPDATE' THEN OLD.lim END;
BEGIN
  PERFORM audit_write('key.updated', NEW.subject_id,
    audit_organization(TG_TABLE_NAME, jsonb_build_object('key_id', NEW.subject_id)),
    jsonb_build_object('limit', audit_usd(v_before)), jsonb_build_object('limit', audit_usd(NEW.lim)));
  RETURN NULL;
END $$;
CREATE TRIGGER meter_first_limit_audited AFTER INSERT ON meter
  FOR EACH ROW WHEN (NEW.kind = 'key' AND NEW.lim IS NOT NULL) EXECUTE FUNCTION audit_key_limit();
CREATE TRIGGER meter_limit_audited AFTER UPDATE OF lim ON meter
  FOR EACH ROW WHEN (NEW.kind = 'key' AND NEW.lim IS DISTINCT FROM OLD.lim) EXECUTE FUNCTION audit_key_limit();

-- The all-time budget of a member, likewise.
CREATE OR REPLACE FUNCTION audit_member_budget() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_before numeric := CASE WHEN TG_OP = 'UPDATE' THEN OLD.lim END;
BEGIN
  PERFORM audit_write('member.updated', NEW.subject_id, (SELECT organization_id FROM member WHERE id = NEW.subject_id),
    jsonb_build_object('budget', audit_usd(v_before)), jsonb_build_object('budget', audit_usd(NEW.lim)));
  RETURN NULL;
END $$;
CREATE TRIGGER meter_first_budget_audited AFTER INSERT ON meter
  FOR EACH ROW WHEN (NEW.kind = 'member' AND NEW.lim IS NOT NULL) EXECUTE FUNCTION audit_member_budget();
CREATE TRIGGER meter_budget_audited AFTER UPDATE OF lim ON meter
  FOR EACH ROW WHEN (NEW.kind = 'member' AND NEW.lim IS DISTINCT FROM OLD.lim) EXECUTE FUNCTION audit_member_budget();

-- An organization's plan, at the terms of the day it was set.
CREATE TABLE subscription (
  organization_id text PRIMARY KEY REFERENCES organization (id),
  plan text NOT NULL CHECK (plan IN ('lite', 'pro', 'max')),
  price numeric(38, 0) NOT NULL CHECK (price >= 0),
  credits numeric(38, 0) NOT NULL CHECK (credits >= 0),
  premium numeric(38, 0) NOT NULL CHECK (premium >= 0),
  overflow boolean NOT NULL,
  started_at timestamptz NOT NULL
);
CREATE TRIGGER subscription_audited AFTER INSERT OR UPDATE OR DELETE ON subscription
  FOR EACH ROW EXECUTE FUNCTION audit_change('plan', 'organization_id', 'usd:price', 'usd:credits', 'usd:premium');

CREATE TABLE recurring_limit (
  key_id text PRIMARY KEY REFERENCES api_key (id),
  lim numeric(38, 0) NOT NULL CHECK (lim >= 0),
  period text NOT NULL CHECK (period IN ('hour', 'day', 'week', 'month'))
);
CREATE TRIGGER recurring_limit_audited AFTER INSERT OR UPDATE OR DELETE ON recurring_limit
  FOR EACH ROW EXECUTE FUNCTION audit_change('recurring_limit', 'key_id', 'usd:lim');

-- A gateway process. Its holds are swept when it is gone: its heartbeat is old, or another process has the database for itself.
CREATE TABLE owner (
  epoch bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  heartbeat_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  note text NOT NULL
) WITH (fillfactor = 50);
-- Without it the plan of a function without sequential scans would seem so costly that PostgreSQL compiles it.
CREATE INDEX owner_heartbeat ON owner (heartbeat_at);

-- Money reserved for a request in flight, on all meters of `meter_ids`. The owner 0 is a job, which outlives processes.
CREATE TABLE hold (
  request_id text PRIMARY KEY,
  owner_epoch bigint NOT NULL,
  meter_ids bigint[] NOT NULL,
  amount numeric(38, 0) NOT NULL CHECK (amount >= 0),
  -- The log row as far as it is known, as JSON text; read only when the owner is gone.
  row text NOT NULL,
  -- The last report of a running request: `{c: customer, p: provider, row}`.
  progress jsonb,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Whether it is a lease: a hold without a request, from which its owner admits requests by itself (0015).
  lease boolean NOT NULL DEFAULT false
) WITH (fillfactor = 70);

-- What requests cost and what was granted. A request has one `usage` or `estimate`; an estimate that was made for a process
-- that was thought gone may be followed by one `adjust` and one `refund` of that process. What a gone process held of a lease
-- and nobody can account for is `lost`, at the operator's cost; `found` takes it back where the journal of that process turns up.
CREATE TABLE ledger_entry (
  request_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('usage', 'estimate', 'adjust', 'grant', 'refund', 'lost', 'found')),
  meter_ids bigint[] NOT NULL,
  customer numeric(38, 0) NOT NULL,
  provider numeric(38, 0) NOT NULL,
  -- Whether it was written for an owner that was gone.
  swept boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Of a swept entry: the periods of its hold that it was not charged to.
  skipped_meter_ids bigint[],
  PRIMARY KEY (request_id, kind),
  CHECK (kind NOT IN ('usage', 'estimate', 'grant') OR (customer >= 0 AND provider >= 0))
);
CREATE INDEX ledger_entry_lost ON ledger_entry (request_id) WHERE kind IN ('lost', 'found');

CREATE OR REPLACE FUNCTION refuse_ledger_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the ledger is append-only';
END $$;
CREATE TRIGGER ledger_entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entry
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change();

-- Credits that are added. A grant's id is that of its organization, a slash, and its own.
CREATE OR REPLACE FUNCTION audit_grant() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  v_organization text := (SELECT subject_id FROM meter WHERE id = NEW.meter_ids[1]);
BEGIN
  PERFORM audit_write('credits.added', v_organization, v_organization, NULL, jsonb_build_object(
    'amount', audit_usd(NEW.customer), 'grant', substr(NEW.request_id, length(v_organization) + 2)));
  RETURN NULL;
END $$;
CREATE TRIGGER ledger_entry_grant_audited AFTER INSERT ON ledger_entry
  FOR EACH ROW WHEN (NEW.kind = 'grant') EXECUTE FUNCTION audit_grant();

-- Every price that a request may have been charged at, so that its bill can be explained after the price has changed.
CREATE TABLE price_version (
  version text PRIMARY KEY,
  price jsonb NOT NULL,
  seen_at timestamptz NOT NULL DEFAULT now()
);
