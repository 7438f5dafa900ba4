import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { test } from 'node:test';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import { startExternalServer } from '../../../test/support/external-server.ts';
import { openPatiently } from '../../../test/support/open-patiently.ts';
import { until } from '../../../test/support/until.ts';
import { diagnose } from './diagnose.ts';
import type { Finding } from './finding.ts';
import { checkClock, checkDescriptors, checkDirectory, checkNode } from './diagnose-machine.ts';
import { explainSettings } from '../settings/explain-settings.ts';
import { createSettingsSchema } from '../settings/schemas/settings-schema.ts';

function find(findings: readonly Finding[], name: string): Finding {
  const finding = findings.find((one) => one.name === name);
  assert.ok(finding, `a finding about ${name}`);
  assert.doesNotMatch(finding.message, /\n/, 'one line each');
  return finding;
}

test('a sound machine has no problem, and nothing is left behind', async () => {
  using folder = createTemporaryFolder();
  const findings = await diagnose({
    workingDirectory: folder.path,
    environment: { OPENAI_API_KEY: 'sk-secret', SLUICE_PORT: '0' },
  });
  assert.deepEqual(
    findings.filter(({ state }) => state === 'problem'),
    [],
  );
  assert.match(find(findings, 'database').message, /PostgreSQL 18/);
  assert.match(find(findings, 'providers').message, /openai \(OPENAI_API_KEY\)/);
  assert.doesNotMatch(JSON.stringify(findings), /sk-secret/);
});

test('what does not speak the language of its address gets advice about the address', async () => {
  using folder = createTemporaryFolder();
  const plain = createServer((socket) => socket.on('error', () => undefined).end('-ERR no\r\n'));
  await once(plain.listen(0, '127.0.0.1'), 'listening');
  const { port } = plain.address() as AddressInfo;
  const ask = async (database: string, redis: string) =>
    diagnose({
      workingDirectory: folder.path,
      environment: { SLUICE_PORT: '0', DATABASE_URL: database, REDIS_URL: redis },
    });
  const other = await ask(`postgres://user@127.0.0.1:${port}/db`, `rediss://127.0.0.1:${port}`);
  const unknown = await ask('postgres://user@nosuch.invalid/db', 'redis://nosuch.invalid:6379');
  plain.close();
  assert.match(
    find(other, 'database').message,
    /; PostgreSQL may not be what listens there: correct its host and port$/,
  );
  assert.match(
    find(other, 'shared cache').message,
    /; start it, write redis:\/\/ if it has no TLS, or unset/,
  );
  assert.match(find(unknown, 'database').message, /; correct the name of its host$/);
  assert.match(find(unknown, 'shared cache').message, /; correct the name of its host, or unset/);
});

test('a broken configuration, database, cache and port are each named with a remedy', async () => {
  using folder = createTemporaryFolder();
  folder.write('sluice.yaml', 'prots: 1\n');
  const taken = createServer().listen(0, '127.0.0.1');
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  const environment = {
    DATABASE_URL: 'postgres://user:hunter2@127.0.0.1:9/db?password=hunter2',
    REDIS_URL: 'redis://:hunter2@127.0.0.1:9',
    SLUICE_PORT: String(port),
  };
  const broken = await diagnose({ workingDirectory: folder.path, environment });
  assert.match(find(broken, 'configuration').message, /^sluice\.yaml:1:1: unknown key "prots"/);
  folder.write('sluice.yaml', '');
  const findings = await diagnose({ workingDirectory: folder.path, environment });
  taken.close();
  for (const [name, message] of [
    ['database', /^DATABASE_URL \(postgres:\/\/user@127\.0\.0\.1:9\/db\): /],
    ['shared cache', /does not answer \(connect ECONNREFUSED 127\.0\.0\.1:9\); start it, or unset REDIS_URL/],
    ['port', /another program listens there; choose another with --port/],
  ] as const) {
    assert.equal(find(findings, name).state, 'problem', name);
    assert.match(find(findings, name).message, message);
  }
  assert.doesNotMatch(JSON.stringify([broken, findings]), /hunter2/);
});

test('a session whose lock a gateway waits for is named, with what ends it', async () => {
  using folder = createTemporaryFolder();
  await using server = await startExternalServer();
  const database = openPatiently({ connection: { url: server.url }, applicationName: 'sluice gateway' });
  try {
    await database.query({ text: 'CREATE TABLE locked ()' });
    const psql = await database.openSession('psql');
    await psql.query({ text: 'BEGIN' });
    await psql.query({ text: 'LOCK TABLE locked' });
    const waiting = database.query({ text: 'SELECT FROM locked' });
    const environment = { DATABASE_URL: server.url };
    const read = async (): Promise<string> => {
      const findings = await diagnose({ workingDirectory: folder.path, environment });
      return findings.find(({ name }) => name === 'locks')?.message ?? '';
    };
    await until('it is named', async () =>
      /session (\d+) \(psql, idle in transaction\); .*pg_terminate_backend\(\1\)$/.test(await read()),
    );
    await psql.close();
    await waiting;
    assert.equal(await read(), '');
  } finally {
    await database.close();
  }
});

test('an old Node version, a file instead of the data directory, and a wrong clock are reported', () => {
  using folder = createTemporaryFolder();
  assert.equal(checkNode('20.20.2').state, 'problem');
  assert.equal(checkNode('24.0.0').state, 'ok');
  assert.match(checkDirectory(folder.write('data', '')).message, /is a file/);
  assert.equal(checkDirectory(`${folder.path}/new/data`).state, 'ok');
  const open = folder.write('open/secret', '').replace('/secret', '');
  chmodSync(open, 0o755);
  assert.match(checkDirectory(open).message, /open to other users.*chmod 700/);
  chmodSync(open, 0o2770);
  assert.equal(checkDirectory(open).state, 'ok', 'the group of a Kubernetes volume');
  chmodSync(open, 0o700);
  assert.equal(checkDirectory(open).state, 'ok');
  assert.equal(checkDescriptors(96, 256).state, 'ok');
  assert.match(
    checkDescriptors(97, 256).message,
    /97, and 256 descriptors are enough for 96; raise ulimit -n/,
  );
  assert.equal(checkClock(0, 60_000).state, 'warning');
  assert.equal(checkClock(0, 1_000).state, 'ok');
});

test('the explanation of a configuration names where each part came from and holds no secret', async () => {
  using folder = createTemporaryFolder();
  folder.write('sluice.yaml', 'drainSeconds: 5\nproviders: [{ id: groq, apiKey: sk-file }]\n');
  const environment = {
    OPENAI_API_KEY: 'sk-env',
    DATABASE_URL: 'postgres://u:hunter2@h/db',
    SLUICE_SECRET: 's'.repeat(40),
  };
  const explanation = await explainSettings({ workingDirectory: folder.path, environment });
  assert.equal(explanation.ok, true);
  const sources = Object.fromEntries(explanation.providers.map(({ id, credential }) => [id, credential]));
  assert.deepEqual(sources, { groq: 'sluice.yaml:2:19', openai: 'OPENAI_API_KEY' });
  const drain = explanation.settings.find(({ name }) => name === 'drainSeconds');
  assert.deepEqual(drain, { name: 'drainSeconds', value: '5', source: 'sluice.yaml:1:15' });
  assert.doesNotMatch(JSON.stringify(explanation), /sk-file|sk-env|hunter2|ssss/);
});

test('the explanation of a broken configuration is its problems', async () => {
  using folder = createTemporaryFolder();
  folder.write('sluice.yaml', 'providers: [{ id: groq, apiKey: "${NOPE}" }]\n');
  const explanation = await explainSettings({ workingDirectory: folder.path, environment: {} });
  assert.equal(explanation.ok, false);
  assert.match(explanation.problems[0]?.message ?? '', /NOPE is not set/);
});

test('the explanation of a configuration has every setting that a file can hold', async () => {
  using folder = createTemporaryFolder();
  const { properties } = createSettingsSchema();
  const names = Object.entries(properties).flatMap(([name, member]) =>
    name === 'providers' || !('properties' in member)
      ? [name]
      : Object.keys(member.properties).map((inner) => `${name}.${inner}`),
  );
  assert.ok(names.includes('videos.linkHours'));
  const alerts = `alerts: { url: "https://a.test/secret-path", secret: "whsec_${'A'.repeat(32)}" }`;
  const catalogue = `catalogue: { publicKey: "ed25519:${'B'.repeat(43)}=" }`;
  folder.write(
    'sluice.yaml',
    `videos: { linkHours: 1 }\nplans: { premiumFrom: { input: "1" } }\n${alerts}\n${catalogue}\n`,
  );
  const { settings } = await explainSettings({ workingDirectory: folder.path, environment: {} });
  const shown = new Map(settings.map(({ name, value, source }) => [name, [value, source]]));
  assert.deepEqual(
    names.filter((name) => !shown.has(name)),
    ['auth.oidc', 'plans.premiumFrom', 'telemetry.otlp', 'providers'], // their members are shown; a table of its own
  );
  assert.deepEqual(shown.get('alerts.url'), ['a.test', 'sluice.yaml:3:16']);
  assert.doesNotMatch(JSON.stringify(settings), /secret-path|AAAA/);
  assert.deepEqual(shown.get('videos.linkHours'), ['1', 'sluice.yaml:1:22']);
  assert.deepEqual(shown.get('plans.premiumFrom.input'), ['1', 'sluice.yaml:2:32']);
});
