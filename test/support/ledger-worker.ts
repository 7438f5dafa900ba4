import { appendFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { type Accounts, createAccounts } from '#accounts';
import { type PicoUsd, parseUsd } from '#base';
import { GatewayError, toGatewayError } from '#errors';
import { type Database, Journal } from '#storage';
import { openPatiently } from './open-patiently.ts';
import { silentLog } from '#telemetry';
import { createRow } from './fresh-accounts.ts';
import { MovableClock } from './movable-clock.ts';
import type {
  LedgerAnswer,
  LedgerNews,
  LedgerOrder,
  LedgerProcessOptions,
  Spending,
} from './ledger-process.ts';

type SpendOrder = Extract<LedgerOrder, { t: 'spend' }>;

/** Longer than any wait for other requests: a refusal then has another cause. */
const PATIENCE_MS = 60_000;

const {
  connection,
  folder,
  truthFile,
  isClockMoved = false,
} = JSON.parse(process.argv[2] ?? '') as LedgerProcessOptions;
const clock = new MovableClock();
const prefix = randomUUID().slice(0, 8);
let serial = 0;

function report(news: LedgerNews): void {
  if (process.connected) process.send?.(news);
}

/** What is left of the limit, as a refusal reports it; throws other errors. */
function readLeft(error: unknown): PicoUsd {
  const match = error instanceof GatewayError ? /([\d.]+) USD is left/.exec(error.message) : undefined;
  const left = parseUsd(match?.[1] ?? '');
  if (left === undefined) throw error;
  return left;
}

/** On a busy machine the database may take longer than a request waits for it; its client asks again. */
const isStoreSlow = (error: unknown): boolean => toGatewayError(error).code === 'store_unavailable';

/** Returns what a refusal reports as left; `undefined` if the request was served, or is to be sent again. */
async function send(
  { ledger }: Accounts,
  spending: Spending,
  answer: LedgerAnswer,
): Promise<PicoUsd | undefined> {
  const { caller, amount, grows = false } = spending;
  const requestId = `req_${prefix}_${(serial += 1)}`;
  const row = createRow(caller, requestId);
  const first = grows ? (amount + 1n) / 2n : amount;
  const askedMs = performance.now();
  try {
    await ledger.reserve({ requestId, caller, amount: first, row });
  } catch (error) {
    return isStoreSlow(error) ? undefined : readLeft(error);
  }
  let { cost } = spending;
  try {
    if (grows) await ledger.grow({ requestId, amount: amount - first, leastAmount: amount - first });
  } catch (error) {
    if (!isStoreSlow(error)) readLeft(error);
    if (cost > first) cost = first;
  }
  answer.slowestMs = Math.max(answer.slowestMs, performance.now() - askedMs);
  if (spending.durationMs !== undefined) await delay(spending.durationMs);
  if (truthFile !== undefined) appendFileSync(truthFile, `${requestId} ${cost}\n`);
  await ledger.settle({ requestId, customer: cost, provider: cost, estimated: false, row });
  answer.served += 1;
  answer.spent += cost;
  return undefined;
}

async function spend(accounts: Accounts, order: SpendOrder, answer: LedgerAnswer): Promise<void> {
  const endMs = performance.now() + (order.forMs ?? Infinity);
  let left: PicoUsd | undefined;
  while (left === undefined && performance.now() < endMs) left = await send(accounts, order.spending, answer);
  if (left !== undefined) answer.leftWhenRefused.push(left);
}

async function follow(accounts: Accounts, order: Exclude<LedgerOrder, { t: 'move' }>): Promise<LedgerAnswer> {
  const answer: LedgerAnswer = {
    served: 0,
    spent: 0n,
    leftWhenRefused: [],
    slowestMs: 0,
    statements: {},
  };
  if (order.t === 'flush') await accounts.ledger.catchUp(order.caller);
  else if (order.t === 'use')
    await Promise.all(
      Array.from({ length: order.count }, async () => {
        const left = await send(accounts, order.spending, answer);
        if (left !== undefined) answer.leftWhenRefused.push(left);
      }),
    );
  else await Promise.all(Array.from({ length: order.clients }, () => spend(accounts, order, answer)));
  answer.statements = statements;
  statements = {};
  return answer;
}

let statements: Record<string, number> = {};

/** Counts statements by name. */
function count(real: Database): Database {
  const query: Database['query'] = (statement) => {
    const { name = '' } = statement;
    statements[name] = (statements[name] ?? 0) + 1;
    return real.query(statement);
  };
  return { ...real, query };
}

async function main(): Promise<void> {
  const journal = new Journal({ folder, installation: 'test', log: silentLog });
  await journal.open();
  const database = openPatiently({ connection, applicationName: 'sluice test' });
  const accounts = createAccounts({
    database: count(database),
    journal,
    clock,
    ...(isClockMoved && { windowClock: clock }),
    secret: Buffer.alloc(32, 7),
    exclusive: false,
    admissionWaitMs: PATIENCE_MS,
    note: folder,
  });
  await accounts.start();
  process.on('message', (order: LedgerOrder) => {
    if (order.t === 'move') {
      clock.advance('byMs' in order ? order.byMs : Math.max(0, order.toMs - clock.now()));
      return;
    }
    follow(accounts, order).then(
      (answer) => report({ answer }),
      (error: unknown) =>
        report({ fault: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
    );
  });
  process.once('disconnect', () => {
    void accounts
      .close()
      .then(() => journal.close())
      .then(() => database.close());
  });
  report({ isReady: true });
}

await main();
