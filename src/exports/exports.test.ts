import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { systemClock, systemRandom } from '#base';
import { createRedactor, signAwsRequest } from '#providers';
import { silentLog } from '#telemetry';
import { type FreshAccounts, createRow, openFreshAccounts } from '../../test/support/fresh-accounts.ts';
import { until } from '../../test/support/until.ts';
import { CursorStore } from './cursor-store.ts';
import type { DestinationPorts } from './destination.ts';
import type { HttpSettings } from './export-settings.ts';
import { type LogExports, createExports } from './exports.ts';

type Send = DestinationPorts['send'];

let fresh: FreshAccounts;
let exports: LogExports | undefined;
beforeEach(async () => {
  fresh = await openFreshAccounts();
});
afterEach(async () => {
  await exports?.close();
  await fresh[Symbol.asyncDispose]();
});

const exportTo = (name: string, batchMs = 0): HttpSettings => ({
  name,
  type: 'http',
  from: 'beginning',
  batchRows: 10,
  batchMs,
  url: `http://receiver.example/${name}`,
  headers: {},
  format: 'json',
});

/** Starts exports of one row; each receiver has a way to answer. */
async function start(
  receivers: Record<string, Send>,
  settings: readonly HttpSettings[],
): Promise<LogExports> {
  await fresh.accounts.ledger.record(createRow(fresh.caller, 'req_exported'));
  const started = createExports({
    database: fresh.database,
    clock: systemClock,
    random: systemRandom,
    log: silentLog,
    createRedactor,
    signAws: signAwsRequest,
    send: (request) =>
      receivers[new URL(request.url).pathname.slice(1)]?.(request) ?? assert.fail(request.url),
  });
  exports = started;
  started.replace(settings);
  return started;
}

test('a receiver whose failure has characters that PostgreSQL does not store is noted as failing, and delays no other', async () => {
  const accept: Send = async () => ({ status: 204, text: '' });
  const fail: Send = async () => {
    throw new Error('odd: \u0000\uD83D');
  };
  await start({ failing: fail, good: accept }, [exportTo('failing'), exportTo('good', 3_000)]);
  const list = async () =>
    new Map((await new CursorStore(fresh.database).list()).map((one) => [one.name, one]));
  await until('the other export delivers', async () => (await list()).get('good')?.exportedRows === 1n);
  const failing = (await list()).get('failing');
  assert.equal(failing?.lastError, 'odd: \uFFFD\uFFFD');
  assert.ok(failing.failures > 0);
});

test('a changed configuration does not wait for a receiver that does not answer', async () => {
  const asked = Promise.withResolvers<undefined>();
  const isSent = Promise.withResolvers<undefined>();
  const stay: Send = ({ signal }) => {
    asked.resolve(undefined);
    return new Promise((_resolve, reject) =>
      signal?.addEventListener('abort', () => reject(new Error('aborted'))),
    );
  };
  const accept: Send = async () => {
    isSent.resolve(undefined);
    return { status: 204, text: '' };
  };
  const started = await start({ silent: stay, next: accept }, [exportTo('silent')]);
  await asked.promise;
  started.replace([exportTo('next')]);
  await isSent.promise;
});
