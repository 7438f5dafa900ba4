-- The headers that the gateway set on a kept answer, as an object; NULL for answers that were kept before this migration.
ALTER TABLE request_payload ADD COLUMN answer_headers jsonb;
