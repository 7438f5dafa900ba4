-- What was answered to a request with an Idempotency-Key, written in the transaction of the change it tells of. An answer
-- may hold a new key's text, so it is encrypted with the installation's secret, which is not in the database.

CREATE TABLE idempotent_answer (
  admin_key_id text NOT NULL REFERENCES admin_key (id),
  key text NOT NULL,
  -- A keyed hash of method, path and body.
  fingerprint bytea NOT NULL,
  sealed bytea NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (admin_key_id, key)
);
CREATE INDEX idempotent_answer_created_at ON idempotent_answer (created_at);
