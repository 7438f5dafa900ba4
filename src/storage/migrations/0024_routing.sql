-- How the requests of a project or a key choose among providers: the members of `src/accounts/routing/routing-choice.ts`.
ALTER TABLE project ADD COLUMN routing jsonb;
ALTER TABLE api_key ADD COLUMN routing jsonb;
