-- The fewest output tokens to which a nearly spent budget may shorten an answer of the project; NULL for the default.
ALTER TABLE project ADD COLUMN min_output_tokens integer CHECK (min_output_tokens BETWEEN 1 AND 64000);
