-- Facts about this installation, such as the fingerprint of the secret its keys were hashed with.

CREATE TABLE instance (
  key text PRIMARY KEY,
  value text NOT NULL
);
