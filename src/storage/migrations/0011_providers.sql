-- What processes know of providers: the health of their offers, and models and prices from a feed.

-- What each process knows of how providers' offers do. Unlogged: after a crash of the server it is learnt again.
CREATE UNLOGGED TABLE mapping_health (
  process text NOT NULL,
  -- Provider, model and credential.
  mapping text NOT NULL,
  report jsonb NOT NULL,
  noted_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (process, mapping)
);

-- The catalogue feed, by the key that it must be signed with: another key begins anew.
CREATE TABLE catalogue_feed (
  key_id text PRIMARY KEY,
  -- The last good feed, and what all feeds so far add up to with what is announced.
  sequence bigint,
  digest text,
  published_at timestamptz,
  stored_at timestamptz,
  state text,
  -- A newer feed that waits until the operator accepts it.
  held_sequence bigint,
  held_digest text,
  held_document text,
  held_reason text,
  -- When a process fetches it next, and what came of the last time.
  due_at timestamptz NOT NULL DEFAULT '-infinity',
  checked_at timestamptz,
  fault text,
  fault_message text,
  fault_since timestamptz
);
