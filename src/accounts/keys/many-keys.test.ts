import assert from 'node:assert/strict';
import { before, suite, test } from 'node:test';
import type { Caller } from '#accounts';
import { countReads } from '../../../test/support/count-reads.ts';
import { openFreshAccounts } from '../../../test/support/fresh-accounts.ts';
import { shareOpened } from '../../../test/support/share-opened.ts';
import { readKeyRecords } from './read-key-records.ts';

const KEYS = 30_000;
const PROJECTS = 4;
const PAGE = 20;
/** Reads of each key of a page, such as its meters and when it was last used. */
const READS_PER_KEY = 60;
const METERS = `INSERT INTO meter (kind, subject_id) SELECT 'key', 'key_' || lpad(n::text, 5, '0') FROM generate_series(1, ${KEYS}) AS n`;
const FILL = `
  INSERT INTO api_key (id, project_id, label, digest, masked, created_at)
  SELECT 'key_' || lpad(n::text, 5, '0'), 'prj_' || n % ${PROJECTS}, 'key', sha256(n::text::bytea), '', now() + make_interval(secs => n)
  FROM generate_series(1, ${KEYS}) AS n`;

const fresh = shareOpened(() => openFreshAccounts());
before(async () => {
  await execute(
    `INSERT INTO project (id, organization_id, name) SELECT 'prj_' || n, $1, 'project' FROM generate_series(0, ${PROJECTS}) AS n`,
    [fresh.caller.organizationId],
  );
  await execute('VACUUM ANALYZE');
  await execute('ALTER TABLE api_key DISABLE TRIGGER USER'); // an audit row for each takes a minute
  await execute(FILL);
  await execute(METERS);
});

const execute = (text: string, values: unknown[] = []): Promise<unknown> =>
  fresh.database.query({ text, values });

/** In this order. */
const STATES: Record<string, () => Promise<void>> = {
  'with statistics of one key': async () => {},
  'with statistics': async () => {
    await execute('VACUUM ANALYZE');
  },
};

/** By what is filtered: how many keys lie between one of a page and the next. */
const PAGES: Record<string, { step: number; filter(caller: Caller): Parameters<typeof readKeyRecords>[1] }> =
  {
    'of all': { step: 1, filter: () => ({}) },
    'of an organization': { step: 1, filter: ({ organizationId }) => ({ organizationId }) },
    'of a project': { step: PROJECTS, filter: () => ({ projectId: 'prj_1' }) },
    'of a project of an organization': {
      step: PROJECTS,
      filter: ({ organizationId }) => ({ organizationId, projectId: 'prj_1' }),
    },
  };

for (const [state, reach] of Object.entries(STATES))
  suite(`a page of many keys is read from an index ${state}`, () => {
    before(reach);
    for (const [name, { step, filter }] of Object.entries(PAGES))
      test(name, async () => {
        for (const after of ['key_00001', 'key_02001', 'key_29901']) {
          const { reads, value } = await countReads(fresh.database, (session) =>
            readKeyRecords(session, { ...filter(fresh.caller), limit: PAGE, after }),
          );
          const first = Number(after.slice('key_'.length));
          assert.deepEqual(
            value.map(({ id }) => Number(id.slice('key_'.length))),
            Array.from({ length: PAGE }, (_, at) => first + (at + 1) * step),
          );
          assert.ok(reads < PAGE * READS_PER_KEY, `${reads} reads after ${after}`);
        }
      });
  });
