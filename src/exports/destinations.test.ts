import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { systemClock } from '#base';
import { createNoticeSender, createRedactor, signAwsRequest } from '#providers';
import { AWS_TEST_KEYS, signByHand } from '../../test/support/aws-signature.ts';
import { ExportReceiver, RECEIVER_SECRET, isSigned } from '../../test/support/export-receiver.ts';
import { type TemporaryFolder, createTemporaryFolder } from '../../test/support/temporary.ts';
import type { Batch, DestinationPorts } from './destination.ts';
import type { ExportSettings } from './export-settings.ts';
import { openDestination } from './open-destination.ts';

const sender = createNoticeSender();
const ports: DestinationPorts = {
  clock: systemClock,
  send: (request) => sender.upload(request),
  createRedactor,
  signAws: (request, options) => signAwsRequest(request, options),
};
const common = { name: 'test', from: 'now', batchRows: 10, batchMs: 0 } as const;
const LINES = [
  '{"id":"req_1","attempts":[{"outcome":"answered"}],"modifiers":null}',
  '{"id":"req_2","text":"Grüße"}',
];

let receiver: ExportReceiver;
let folder: TemporaryFolder;

before(async () => {
  receiver = await ExportReceiver.start();
  folder = createTemporaryFolder();
});

after(async () => {
  await receiver[Symbol.asyncDispose]();
  await sender.close();
  folder.remove();
});

const batchOf = (first: bigint, day = '2026-11-24', lines = LINES): Batch => {
  const at = Date.parse(`${day}T10:00:00Z`);
  return { id: `test_${first}_${first + 1n}`, first, last: first + 1n, firstAt: at, lastAt: at, lines };
};
const open = (settings: ExportSettings) => openDestination(settings, ports);
const takeLast = () => receiver.requests.at(-1) ?? assert.fail('nothing was sent');

test('an object of S3 is compressed, signed, and has the same key whenever its batch is sent', async () => {
  const keys = { ...AWS_TEST_KEYS, sessionToken: 'IQoJb3JpZ2luX2Vj//' };
  const destination = open({
    ...common,
    type: 's3',
    endpoint: receiver.url,
    region: 'eu-central-1',
    bucket: 'logs',
    prefix: 'a/b',
    keys,
  });
  await destination.deliver(batchOf(7n), undefined);
  const { method, url: path, headers, body } = takeLast();
  assert.equal(
    `${method} ${path}`,
    'PUT /logs/a/b/2026/11/24/test-000000000000007-000000000000008.ndjson.gz',
  );
  assert.equal(gunzipSync(body).toString(), `${LINES.join('\n')}\n`);
  const names = /SignedHeaders=([^,]+)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? [];
  assert.ok(
    ['host', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'].every((one) =>
      names.includes(one),
    ),
  );
  const request = { service: 's3', method, path, body, headers: headers as Record<string, string> };
  assert.equal(headers.authorization, signByHand(request, 'eu-central-1', names));
});

test('ClickHouse gets a row per line, a token per batch, and credentials outside the address', async () => {
  const destination = open({
    ...common,
    type: 'clickhouse',
    url: receiver.url,
    database: 'd',
    table: 't',
    user: 'sluice',
    password: 'secret',
  });
  await destination.deliver(batchOf(1n), undefined);
  const { url, headers, body } = takeLast();
  const query = new URL(url, receiver.url).searchParams;
  assert.equal(query.get('query'), 'INSERT INTO "d"."t" FORMAT JSONEachRow');
  assert.equal(query.get('insert_deduplication_token'), 'test_1_2');
  assert.deepEqual([headers['x-clickhouse-user'], headers['x-clickhouse-key']], ['sluice', 'secret']);
  assert.ok(!url.includes('secret'));
  const [first] = body.toString().split('\n');
  assert.deepEqual(JSON.parse(first ?? ''), {
    id: 'req_1',
    attempts: '[{"outcome":"answered"}]',
    modifiers: 'null',
    cache_miss: 'null',
  });
});

test('an endpoint gets signed JSON, or lines if it wants them, and its refusal names the status and the reason', async () => {
  const settings = {
    ...common,
    type: 'http',
    url: receiver.url,
    headers: { 'x-team': 'a' },
    format: 'json',
  } as const;
  await open({ ...settings, secret: RECEIVER_SECRET }).deliver(batchOf(1n), undefined);
  assert.ok(isSigned(takeLast()));
  const { data, ...head } = JSON.parse(takeLast().body.toString()) as Record<string, unknown>;
  assert.deepEqual(head, { type: 'logs.settled', timestamp: '2026-11-24T10:00:00.000Z', export: 'test' });
  assert.deepEqual(
    data,
    LINES.map((line) => JSON.parse(line) as unknown),
  );
  await open({ ...settings, format: 'ndjson' }).deliver(batchOf(1n), undefined);
  assert.equal(takeLast().body.toString(), `${LINES.join('\n')}\n`);
  assert.deepEqual([takeLast().headers['x-team'], takeLast().headers['webhook-signature']], ['a', undefined]);
  receiver.mode = 'refusing';
  await assert.rejects(
    async () => open(settings).deliver(batchOf(1n), undefined),
    /status 503: closed for repairs/,
  );
  receiver.mode = 'accepting';
});

test('a reason shows no secret of the settings, whatever the receiver quotes, and is text that can be stored', async () => {
  const echoing: DestinationPorts = {
    ...ports,
    send: async ({ url, headers }) => ({
      status: 401,
      text: `\u0000\u001B[31mwrong: ${JSON.stringify({ url, ...headers })}`,
    }),
  };
  const secrets = [
    'sk-live-0123456789abcdef',
    'a-password-of-some-length',
    'token-in-the-query',
    'T0K3Npath0123456',
  ];
  const [key = '', password = '', token = '', segment = ''] = secrets;
  const address = `${receiver.url}/hooks/${segment}?token=${token}`;
  for (const settings of [
    { ...common, type: 'http', url: address, headers: { authorization: `Bearer ${key}` }, format: 'json' },
    { ...common, type: 'clickhouse', url: address, database: 'd', table: 't', password },
  ] as const)
    await assert.rejects(
      async () => openDestination(settings, echoing).deliver(batchOf(1n), undefined),
      ({ message }: Error) => {
        assert.match(message, /status 401: \[31mwrong: .*\/hooks\/\[hidden\]/);
        for (const secret of secrets) assert.ok(!message.includes(secret), message);
        return true;
      },
    );
  const cut = { ...ports, send: async () => ({ status: 500, text: `x${'😀'.repeat(200)}` }) };
  const settings = { ...common, type: 'http', url: receiver.url, headers: {}, format: 'json' } as const;
  await assert.rejects(
    async () => openDestination(settings, cut).deliver(batchOf(1n), undefined),
    ({ message }: Error) => message.isWellFormed(),
  );
});

test('files have each row once, although a process crashed while it wrote, and begin anew by day and size', async () => {
  const path = mkdtempSync(join(folder.path, 'files-'));
  const destination = open({ ...common, type: 'file', folder: path, rotateBytes: 150 });
  const first = await destination.deliver(batchOf(1n), undefined);
  const [file = ''] = readdirSync(path);
  assert.equal(file, 'test-2026-11-24-000000000000001.ndjson');
  writeFileSync(join(path, file), 'half a li', { flag: 'a' });
  const second = await destination.deliver(batchOf(3n), first);
  assert.equal(readFileSync(join(path, file), 'utf8'), `${[...LINES, ...LINES].join('\n')}\n`);
  const third = await destination.deliver(batchOf(5n), second);
  await destination.deliver(batchOf(7n, '2026-11-25'), third);
  assert.deepEqual(readdirSync(path).sort(), [
    'test-2026-11-24-000000000000001.ndjson',
    'test-2026-11-24-000000000000005.ndjson',
    'test-2026-11-25-000000000000007.ndjson',
  ]);
});

test('a batch that a disk has only half the room for is not taken for delivered', () => {
  const path = mkdtempSync(join(folder.path, 'files-'));
  const settings = { ...common, type: 'file', folder: path, rotateBytes: 1e6 };
  const program = `
    import { createFileDestination } from ${JSON.stringify(import.meta.resolve('./destinations/file.ts'))};
    const batch = { first: 1n, last: 2n, firstAt: 0, lastAt: 0, id: 'test_1_2', lines: ['x'.repeat(100_000)] };
    const state = createFileDestination(${JSON.stringify(settings)}).deliver(batch, undefined);
    console.log(await state.then(() => 'delivered', ({ code }) => code));`;
  // The limit of a file's size takes effect like the end of a disk: what fits is written.
  const limited = [
    '-c',
    'ulimit -f 20 && exec "$@"',
    'sh',
    process.execPath,
    '--input-type=module',
    '-e',
    program,
  ];
  assert.equal(execFileSync('sh', limited, { encoding: 'utf8' }).trim(), 'EFBIG');
});

test('a file that another machine wrote is not continued here', async () => {
  const path = mkdtempSync(join(folder.path, 'files-'));
  const destination = open({ ...common, type: 'file', folder: path, rotateBytes: 1e6 });
  const state = { file: 'test-2026-11-24-000000000000001.ndjson', bytes: 100 };
  await destination.deliver(batchOf(9n), state);
  assert.deepEqual(readdirSync(path), ['test-2026-11-24-000000000000009.ndjson']);
});
