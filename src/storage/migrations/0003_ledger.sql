-- Money in pico-USD. Holds and entries are the truth; the counters of `meter` are their sums. The functions that change them
-- follow in 0008 to 0012.
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

CREATE TABLE recurring_limit (
  key_id text PRIMARY KEY REFERENCES api_key (id),
  lim numeric(38, 0) NOT NULL CHECK (lim >= 0),
  period text NOT NULL CHECK (period IN ('hour', 'day', 'week', 'month'))
);

-- A gateway process. Its holds are swept when it is gone: its heartbeat is old, or another process has the database for itself.
CREATE TABLE owner (
  epoch bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  heartbeat_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  note text NOT NULL
) WITH (fillfactor = 50);

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
  created_at timestamptz NOT NULL DEFAULT clock_timestamp()
) WITH (fillfactor = 70);

-- What requests cost and what was granted. A request has one `usage` or `estimate`; an estimate that was made for a process
-- that was thought gone may be followed by one `adjust` and one `refund` of that process.
CREATE TABLE ledger_entry (
  request_id text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('usage', 'estimate', 'adjust', 'grant', 'refund')),
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

CREATE FUNCTION refuse_ledger_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the ledger is append-only';
END $$;
CREATE TRIGGER ledger_entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger_entry
  FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change();

-- Every price that a request may have been charged at, so that its bill can be explained after the price has changed.
CREATE TABLE price_version (
  version text PRIMARY KEY,
  price jsonb NOT NULL,
  seen_at timestamptz NOT NULL DEFAULT now()
);
