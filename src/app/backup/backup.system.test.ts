import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { openBooks } from '../../../test/support/books.ts';
import { runCommand, spawnCommand } from '../../../test/support/command-line.ts';
import { createProviderConfig, startGateway } from '../../../test/support/gateway.ts';
import { readSchemaFacts } from '../../../test/support/schema-facts.ts';
import { type InProcessGateway, openInProcess } from '../../../test/support/in-process.ts';
import { startMockUpstream } from '../../../test/support/mock-upstream.ts';
import { openRestoreTarget } from '../../../test/support/restore-target.ts';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import { until } from '../../../test/support/until.ts';
import { Traffic, scriptTraffic } from '../../../test/support/traffic.ts';
import { answer } from '../../../test/support/upstream-replies.ts';

const folder = createTemporaryFolder();
const SECRET = randomBytes(32).toString('hex');
let gateway: InProcessGateway;

before(async () => {
  gateway = await openInProcess({ env: { SLUICE_SECRET: SECRET, SLUICE_LEASES: 'on' } });
  gateway.upstream.script({ reply: answer({ text: 'one two three', chunks: 3 }, 5) });
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  folder.remove();
});

const fileOf = (name: string): string => join(folder.path, name);
const openTarget = () => openRestoreTarget({ folder: folder.path, secret: SECRET });

async function ask(): Promise<string> {
  const body = { model: 'chat-model', max_tokens: 20, messages: [{ role: 'user', content: 'hello' }] };
  const response = await gateway.post('/v1/chat/completions', body);
  assert.equal(response.status, 200, await response.text());
  return response.headers.get('x-request-id') ?? '';
}

/** Clients that ask one question after the other. */
function startLoad(clients: number): { answered: string[]; stop(): Promise<void> } {
  const answered: string[] = [];
  const ended = new AbortController();
  const client = async (): Promise<void> => {
    while (!ended.signal.aborted) answered.push(await ask());
  };
  const running = Promise.all(Array.from({ length: clients }, client));
  return {
    answered,
    stop: async () => {
      ended.abort();
      await running;
    },
  };
}

async function hasLeases(): Promise<boolean> {
  const { rows } = await gateway.database.query({ text: 'SELECT FROM hold WHERE lease' });
  return rows.length > 0;
}

test('a backup under load holds every request that was answered before it, and its books agree when it is restored', async () => {
  const load = startLoad(6);
  while (load.answered.length < 60 || !(await hasLeases())) await ask();
  const before = [...load.answered];
  const backup = await gateway.run('backup', fileOf('load'));
  await load.stop();
  assert.equal(backup['complete'], true);
  assert.equal(statSync(fileOf('load')).mode & 0o777, 0o600);

  await using target = await openTarget();
  const { code, json, stderr } = await target.restore(fileOf('load'));
  assert.equal(code, 0, stderr);
  assert.match(json?.['created_at'] as string, /^\d{4}-/);
  assert.deepEqual((json?.['ledger'] as { differences: unknown }).differences, []);

  await target.start();
  const checked = await target.run('ledger', 'check');
  assert.deepEqual([checked.code, checked.json?.['waiting']], [0, 0], checked.stderr);
  const { rows } = await target.database.query<{ id: string }>({
    text: 'SELECT request_id AS id FROM request_log',
  });
  const restored = new Set(rows.map(({ id }) => id));
  assert.deepEqual(
    before.filter((id) => !restored.has(id)),
    [],
  );
});

test('the rows of a restored database are those that were backed up, and a new process continues them', async () => {
  await gateway.run('credits', 'add', '--org', gateway.account.organizationId, '100');
  await ask();
  await until('the leases end', async () => !(await hasLeases()));
  await gateway.run('backup', fileOf('rows'));
  await using target = await openTarget();
  assert.equal((await target.restore(fileOf('rows'))).code, 0);

  const isKept = (fact: string): boolean =>
    !/^row (schema_migration|owner|mapping_health|log_state|usage_\w+) /.test(fact);
  const facts = await readSchemaFacts(gateway.database);
  assert.deepEqual((await readSchemaFacts(target.database)).filter(isKept), facts.filter(isKept));
  const { rows } = await target.database.query({ text: 'SELECT last_value FROM meter_id_seq' });
  assert.deepEqual(
    rows,
    (await gateway.database.query({ text: 'SELECT last_value FROM meter_id_seq' })).rows,
  );
});

test('a backup of a killed gateway holds what only its journal has, and the restored one closes every hold once', async () => {
  await using upstream = await startMockUpstream();
  scriptTraffic(upstream);
  const config = createProviderConfig(upstream.baseUrl, {});
  await using killed = await startGateway({ config, env: { SLUICE_LEASES: 'on' } });
  const target = { url: killed.url, apiKey: killed.apiKey };
  const dead = new AbortController();
  const traffic = new Traffic({ seed: 7, clients: 6, quickClients: 5, findTarget: () => target });
  const running = traffic.run(dead.signal, dead.signal);
  const countWhole = (): number => traffic.sightings.filter(({ whole }) => whole).length;
  while (countWhole() < 80) await new Promise((resolve) => setTimeout(resolve, 5));
  await killed.kill();
  dead.abort();
  await running;

  await killed.run('backup', fileOf('killed'));
  const dataDir = fileOf('elsewhere');
  mkdirSync(dataDir);
  copyFileSync(join(killed.dataDir, 'secret'), join(dataDir, 'secret'));
  const restored = await runCommand(['restore', fileOf('killed'), '--json', '--data-dir', dataDir]);
  assert.equal(restored.code, 0, restored.stderr);
  assert.deepEqual((restored.json?.['ledger'] as { ok?: boolean }).ok, true);

  await using next = await startGateway({ config, dataDir });
  const { code, json } = await next.cli('ledger', 'check');
  assert.deepEqual([code, json?.['differences'], json?.['waiting']], [0, [], 0]);
  await using books = await openBooks(dataDir);
  const { rows } = await books.database.query<{ id: string; n: bigint }>({
    text: `SELECT request_id AS id, count(*) FILTER (WHERE kind IN ('usage', 'estimate')) AS n FROM ledger_entry
      WHERE kind IN ('usage', 'estimate', 'adjust', 'refund') GROUP BY 1`,
  });
  const closed = new Map(rows.map(({ id, n }) => [id, n]));
  const whole = traffic.sightings.filter((sighting) => sighting.whole);
  assert.deepEqual(
    whole.filter(({ requestId }) => closed.get(requestId) !== 1n).map(({ requestId }) => requestId),
    [],
  );
  assert.deepEqual((await books.database.query({ text: 'SELECT FROM hold' })).rows, []);
});

test('a database that is not empty is refused and stays as it is', async () => {
  await gateway.run('backup', fileOf('refused'));
  await using target = await openTarget();
  await target.database.query({ text: `INSERT INTO organization (id, name) VALUES ('org_1', 'Acme')` });
  const { code, stderr } = await target.restore(fileOf('refused'));
  assert.equal(code, 1);
  assert.match(stderr, /the database is not empty: its table organization has rows; use an empty/);
  const { rows } = await target.database.query({ text: 'SELECT id FROM organization' });
  assert.deepEqual(rows, [{ id: 'org_1' }]);
});

test('another secret, a damaged file, half a file and a foreign one are refused, and nothing is restored', async () => {
  await gateway.run('backup', fileOf('whole'));
  const bytes = readFileSync(fileOf('whole'));
  const text = zstdDecompressSync(bytes).toString();
  const cases: [name: string, content: Buffer, message: RegExp][] = [
    ['half', bytes.subarray(0, bytes.length / 2), /damaged or incomplete/],
    ['changed', zstdCompressSync(text.replace('Acme', 'Acne')), /damaged: its rows of organization/],
    ['without-end', zstdCompressSync(text.slice(0, text.lastIndexOf('-- sluice'))), /damaged or incomplete/],
    ['foreign', zstdCompressSync('CREATE TABLE x ();\n'), /is not a backup of Sluice/],
    ['text', Buffer.from('hello'), /is not a backup of Sluice; npx sluice backup/],
    ['newer', zstdCompressSync(text.replace('"0020_checks"', '"9020_checks"')), /newer than this version/],
    [
      'format',
      zstdCompressSync(text.replace('"format":1', '"format":2')),
      /restore it by that version or a later/,
    ],
  ];
  await using target = await openTarget();
  for (const [name, content, message] of cases) {
    writeFileSync(fileOf(name), content);
    const { code, stderr } = await target.restore(fileOf(name));
    assert.deepEqual([code, message.test(stderr)], [1, true], `${name}: ${stderr}`);
  }
  const other = await target.restore(fileOf('whole'), { SLUICE_SECRET: 'x'.repeat(40) });
  assert.match(other.stderr, /SLUICE_SECRET: this is not the secret this database was created with/);
  const none = await target.restore(fileOf('whole'), { SLUICE_SECRET: '' });
  assert.match(none.stderr, /secret: the file is missing/);
  assert.deepEqual((await target.database.query({ text: 'SELECT FROM organization' })).rows, []);
  assert.equal((await target.restore(fileOf('whole'))).code, 0, 'the same database takes the whole one');
});

test('a backup is restored although its number of rows is not known, as versions up to 0.3.0 could write it', async () => {
  await gateway.run('backup', fileOf('counted'));
  const text = zstdDecompressSync(readFileSync(fileOf('counted'))).toString();
  const uncounted = text.replace(/("organization":\{"rows":)[1-9]\d*/, '$10');
  assert.notEqual(uncounted, text);
  writeFileSync(fileOf('uncounted'), zstdCompressSync(uncounted));
  await using target = await openTarget();
  const { code, stderr } = await target.restore(fileOf('uncounted'));
  assert.equal(code, 0, stderr);
});

test('a backup never replaces a file, and leaves none behind where it fails', async () => {
  writeFileSync(fileOf('there'), 'precious');
  const refused = await gateway.cli('backup', fileOf('there'));
  assert.match(refused.stderr, /exists; name a file that does not/);
  assert.equal(readFileSync(fileOf('there'), 'utf8'), 'precious');

  const lost = await runCommand(['backup', fileOf('lost'), '--json'], {
    DATABASE_URL: 'postgres://u@127.0.0.1:1/x',
  });
  assert.equal(lost.code, 1);
  assert.deepEqual(
    readdirSync(folder.path).filter((name) => name.startsWith('lost')),
    [],
  );
});

test('an interrupted backup leaves no file behind, even where the database keeps it waiting', async () => {
  const session = await gateway.database.openSession();
  await session.query({ text: 'BEGIN' });
  await session.query({ text: 'LOCK TABLE organization IN ACCESS EXCLUSIVE MODE' });
  const isWaiting = async (): Promise<boolean> => {
    const { rows } = await gateway.database.query({
      text: `SELECT FROM pg_stat_activity WHERE application_name = 'sluice backup' AND wait_event_type = 'Lock'`,
    });
    return rows.length > 0;
  };
  const args = ['backup', fileOf('interrupted'), '--data-dir', fileOf('none')];
  const env = { DATABASE_URL: gateway.databaseUrl };
  const { code } = await spawnCommand(args, env, until('the backup waits', isWaiting));
  assert.equal(code, 130);
  assert.deepEqual(
    readdirSync(folder.path).filter((name) => name.startsWith('interrupted')),
    [],
  );
  await session.query({ text: 'ROLLBACK' });
  await session.close();
});
