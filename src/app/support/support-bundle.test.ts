import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { runCommand } from '../../../test/support/command-line.ts';
import { type InProcessGateway, openInProcess } from '../../../test/support/in-process.ts';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import { fail } from '../../../test/support/upstream-replies.ts';
import { isJsonObject, parseJsonObject } from '#base';
import { readMigrations } from '#storage';

const folder = createTemporaryFolder();
const fileOf = (name: string): string => join(folder.path, name);
let gateway: InProcessGateway;
let serial = 0;

/** A text that is nowhere else, and looks like nothing in particular. */
const plant = (name: string): string => `planted-${name}-${(serial += 1)}q7`;

const planted = {
  environmentKey: plant('environment-key'),
  fileKey: plant('key-of-a-file'),
  inlineKey: plant('inline-key'),
  pooledKey: plant('pooled-key'),
  header: plant('header'),
  redis: plant('redis'),
  address: plant('address'),
  otlp: plant('otlp'),
  secret: `${plant('secret')}-with-32-characters-or-more`,
  awsSecret: plant('aws-secret'),
  webhook: `whsec_${plant('webhook').replaceAll('-', '+')}/AAAAAAAAAAAAAAAAAAAAAAAA`,
  webhookPath: plant('webhook-path'),
  prompt: plant('prompt'),
  message: plant('provider-message'),
  endUser: plant('end-user'),
  organization: plant('organization'),
  label: plant('label'),
  ownKey: plant('own-key'),
};

const CONFIG = `
providers:
  - id: openai
    apiKey: ${planted.inlineKey}
  - id: anthropic
    credentials:
      - { name: main, apiKey: "${planted.pooledKey}" }
  - id: acme
    format: chat
    baseUrl: https://user:${planted.address}@acme.example/v1
    headers: { x-secret: "${planted.header}" }
    apiKey: \${ACME_KEY}
alerts: { url: "https://hooks.example/services/${planted.webhookPath}", secret: "${planted.webhook}" }
`;

before(async () => {
  gateway = await openInProcess({ env: { SLUICE_SECRET: planted.secret } });
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  folder.remove();
});

interface Bundle {
  text: string;
  json: Record<string, unknown>;
}

/** A bundle of the gateway's database, with secrets in every place that has any. */
async function writeBundle(name: string, config: string): Promise<Bundle> {
  const env = {
    SLUICE_SECRET: planted.secret,
    DATABASE_URL: gateway.databaseUrl,
    REDIS_URL: `redis://:with@${planted.redis}@127.0.0.1:1`,
    GEMINI_API_KEY: planted.environmentKey,
    ACME_KEY_FILE: folder.write('acme-key', `${planted.fileKey}\n`),
    AWS_REGION: 'eu-west-1',
    AWS_ACCESS_KEY_ID: 'AKIAPLANTEDPLANTED00',
    AWS_SECRET_ACCESS_KEY: planted.awsSecret,
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:1',
    OTEL_EXPORTER_OTLP_HEADERS: `authorization=${planted.otlp}`,
  };
  const args = ['--config', folder.write('sluice.yaml', config), '--data-dir', fileOf('data'), '--json'];
  const { code, stderr } = await runCommand(['support-bundle', fileOf(name), ...args], env);
  assert.equal(code, 0, stderr);
  const text = readFileSync(fileOf(name), 'utf8');
  const json = parseJsonObject(text);
  assert.ok(json, 'a bundle is JSON');
  return { text, json };
}

const findPlanted = (text: string): string[] =>
  Object.entries(planted).flatMap(([name, value]) => (text.includes(value) ? [name] : []));

test('a bundle holds no secret of the settings, and nothing that clients and providers sent', async () => {
  const { id } = await gateway.accounts.directory.createOrganization(planted.organization);
  await gateway.run('keys', 'create', '--label', planted.label);
  const key = await runCommand(
    ['provider-keys', 'set', '--org', id, 'openai', '--key-env', 'OWN', '--json'],
    { DATABASE_URL: gateway.databaseUrl, SLUICE_SECRET: planted.secret, OWN: planted.ownKey },
  );
  assert.equal(key.code, 0, key.stderr);
  gateway.upstream.script({ reply: fail(500, planted.message) });
  const response = await gateway.post('/v1/chat/completions', {
    model: 'chat-model',
    user: planted.endUser,
    messages: [{ role: 'user', content: planted.prompt }],
  });
  assert.equal(response.status, 502);
  const { attempts } = await gateway.waitForRow(response);
  assert.ok(attempts.length > 0);

  const { text, json } = await writeBundle('whole.json', CONFIG);
  assert.deepEqual(findPlanted(text), []);
  const password = new URL(gateway.databaseUrl).password;
  assert.ok(
    !text.includes(password) && !text.includes(decodeURIComponent(password)),
    'the database’s password',
  );
  assert.ok(!text.includes('AKIAPLANTED') && !text.includes(gateway.apiKey));
  assert.equal(statSync(fileOf('whole.json')).mode & 0o777, 0o600);

  const configuration = json['configuration'] as {
    ok: boolean;
    settings: { name: string; source: string }[];
  };
  assert.equal(configuration.ok, true, text);
  assert.equal(configuration.settings.find(({ name }) => name === 'DATABASE_URL')?.source, 'DATABASE_URL');
  const database = json['database'] as Record<string, Record<string, unknown>[]>;
  assert.equal(database['migrations']?.length, (await readMigrations()).length);
  assert.ok(database['tables']?.some(({ name }) => name === 'ledger_entry'));
  assert.ok(
    database['tables']?.every(({ estimatedRows: rows }) => rows !== -1),
    'not yet counted is null',
  );
  assert.equal(database['recentErrors']?.[0]?.['requestId'], response.headers.get('x-request-id'));
  assert.equal(database['recentErrors'][0]['finishReason'], 'upstream_error');
  assert.ok(Array.isArray(json['doctor']) && json['doctor'].length > 5);
});

test('a configuration with a mistake is described without its secrets', async () => {
  const { text, json } = await writeBundle(
    'wrong.json',
    `${CONFIG}formt: x\nlogLevel: [${planted.inlineKey}]\n`,
  );
  assert.deepEqual(findPlanted(text), []);
  assert.equal((json['configuration'] as { ok: boolean }).ok, false);
});

test('a bundle is written without a database, and never over a file', async () => {
  const env = { DATABASE_URL: 'postgres://sluice:hidden-password@127.0.0.1:1/sluice' };
  const args = ['support-bundle', fileOf('down.json'), '--json', '--data-dir', fileOf('data')];
  assert.equal((await runCommand(args, env)).code, 0);
  const bundle = parseJsonObject(readFileSync(fileOf('down.json'), 'utf8'));
  assert.ok(isJsonObject(bundle?.['database']) && 'unavailable' in bundle['database']);
  const again = await runCommand(args, env);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /down\.json exists/);
});
