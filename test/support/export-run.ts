import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openBooks } from './books.ts';
import { ExportReceiver, RECEIVER_SECRET, isSigned } from './export-receiver.ts';
import { type Gateway, createProviderConfig, startGateway } from './gateway.ts';
import { startMockUpstream } from './mock-upstream.ts';
import { stopOrphanDatabase } from './orphan-database.ts';
import { createTemporaryFolder } from './temporary.ts';
import { until } from './until.ts';
import { answer } from './upstream-replies.ts';

interface ExportPlan {
  /** How long the receiver stays down between the kills. */
  downMs: number;
  /** Requests of each phase. */
  requests: number;
  /** Rows of a batch. */
  batchRows: number;
  report?(text: string): void;
}

interface ExportFigures {
  rows: number;
  batches: number;
  repeatedBatches: number;
  repeatedRows: number;
  refused: number;
}

interface ExportedRow {
  id: string;
  position: number;
}

/**
 * Requests while the receiver of an export is up, down and silent, with two kills: one while it is down, one after it took
 * a batch and before it answered. Fails if a row is missing or out of order, or a repeated one is in another batch.
 */
export async function runExportPlan({
  downMs,
  requests,
  batchRows,
  report,
}: ExportPlan): Promise<ExportFigures> {
  await using upstream = await startMockUpstream();
  upstream.script({ reply: answer({ text: 'one two three' }) });
  await using receiver = await ExportReceiver.start();
  using folder = createTemporaryFolder('sluice-exports-');
  const dataDir = join(folder.path, 'data');
  const files = join(folder.path, 'files');
  const config = `${createProviderConfig(upstream.baseUrl, {})}
exports:
  - { name: warehouse, type: http, url: "${receiver.url}", secret: "${RECEIVER_SECRET}", batch: { rows: ${batchRows}, seconds: 0 } }
  - { name: archive, type: file, path: "${files}", batch: { rows: ${batchRows - 2}, seconds: 0 } }
`;
  let gateway = await startGateway({ config, dataDir });
  const { apiKey } = gateway;
  const load = () => ask(gateway, apiKey, requests);
  const restart = async (): Promise<void> => {
    await gateway.kill();
    gateway = await startGateway({ config, dataDir });
  };
  try {
    await load();
    await until('the first rows are exported', () => receiver.requests.length > 0);
    receiver.mode = 'down';
    await load();
    const before = receiver.refused;
    await until('an export has failed', () => receiver.refused > before);
    await restart();
    report?.(`killed while the receiver is down; it stays down for ${downMs} ms`);
    for (const endMs = performance.now() + downMs; performance.now() < endMs;) {
      await load();
      await sleep(1_000);
    }
    receiver.mode = 'silent';
    const taken = receiver.requests.length;
    // The last delay before an attempt may be a minute.
    for (let n = 0; n < 9 && receiver.requests.length === taken; n += 1)
      await sleep(10_000 * Math.sign(downMs - 1));
    await until('a batch is taken', () => receiver.requests.length > taken, 100);
    await restart();
    report?.('killed between a batch and its answer');
    receiver.mode = 'accepting';
    await load();
    return await compare(gateway, { receiver, files });
  } finally {
    await gateway.stop();
    await stopOrphanDatabase(dataDir);
  }
}

async function ask(gateway: Gateway, apiKey: string, count: number): Promise<void> {
  const authorization = `Bearer ${apiKey}`;
  const body = { model: 'mock-model', max_tokens: 20, messages: [{ role: 'user', content: 'hello' }] };
  const one = async (): Promise<void> => {
    const response = await gateway.post('/v1/chat/completions', body, { authorization });
    await response.text();
    assert.equal(response.status, 200);
  };
  await Promise.all(Array.from({ length: count }, one));
}

async function compare(
  gateway: Gateway,
  { receiver, files }: { receiver: ExportReceiver; files: string },
): Promise<ExportFigures> {
  await using books = await openBooks(gateway.dataDir);
  const { rows } = await books.database.query<{ id: string }>({
    text: 'SELECT request_id AS id FROM request_log ORDER BY position',
  });
  const expected = rows.map(({ id }) => id);
  const isDone = (found: readonly ExportedRow[]): boolean =>
    new Set(found.map(({ id }) => id)).size === rows.length;
  const received = (): ExportedRow[] => receiver.requests.flatMap(({ body }) => readBatch(body));
  const written = (): ExportedRow[] => readFiles(files);
  await awaitProgress(received, isDone);
  await awaitProgress(written, isDone);
  assert.deepEqual(
    written().map(({ id }) => id),
    expected,
    'files have every row once, in its order',
  );
  const batches = Map.groupBy(receiver.requests, ({ id }) => id);
  for (const [id, same] of batches)
    for (const request of same) {
      assert.ok(isSigned(request), `${id} is signed`);
      assert.ok(request.body.equals(same[0]?.body ?? Buffer.of()), `${id} has the same rows each time`);
    }
  const once = [...batches.values()].flatMap(([first]) => (first ? readBatch(first.body) : []));
  assert.deepEqual(
    once.map(({ id }) => id),
    expected,
    'batches with different ids have no row in common, and all of them have every row in its order',
  );
  const { length: all } = received();
  return {
    rows: rows.length,
    batches: batches.size,
    repeatedBatches: receiver.requests.length - batches.size,
    repeatedRows: all - rows.length,
    refused: receiver.refused,
  };
}

/** Waits until all rows are there, as long as there are more of them in time. */
async function awaitProgress(
  read: () => readonly ExportedRow[],
  isDone: (rows: readonly ExportedRow[]) => boolean,
): Promise<void> {
  for (let rows = read(); !isDone(rows); rows = read()) {
    const { length } = rows;
    await until('more rows arrive', () => read().length > length, 200);
  }
}

const readBatch = (body: Buffer): ExportedRow[] =>
  (JSON.parse(body.toString()) as { data: ExportedRow[] }).data;

function readFiles(folder: string): ExportedRow[] {
  return readdirSync(folder)
    .sort()
    .flatMap((file) => readFileSync(join(folder, file), 'utf8').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ExportedRow);
}
