import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { formatUsd } from '#base';
import type { LogRow } from '#logs';
import { awaitEarlier } from './await-earlier.ts';
import { type BillRecord, HABIT_NAMES, type Habit } from './billing-provider.ts';
import {
  type Departure,
  type LeavingSetup,
  PATH,
  countLateTokens,
  createRequest,
  openLeaving,
  priceRecord,
  teachRate,
} from './leaving-run.ts';
import { RawClient } from './raw-client.ts';
import { createSeededRandom } from './seeded-random.ts';
import { until } from './until.ts';

const AT_ONCE = 20;
/** Long enough for a busy machine: only the end of the run waits for it. */
const AFTER_LEAVING_MS = 5_000;
/** Between two steps of an answer. */
const PACE_MS = 4;
/** Of a stream; an answer in hidden reasoning has ten more, and a whole one fewer. */
const STEPS = 24;
/** How many of a hundred clients disconnect while the request may still be on its way to the provider. */
const EARLY_PERCENT = 10;

/** What a habit's requests cost, in pico-USD. */
interface Sums {
  requests: number;
  record: bigint;
  customer: bigint;
  operator: bigint;
  /** What may have been generated before the gateway's clock started or after the client disconnected. */
  late: bigint;
}

interface LeaversReport {
  asked: number;
  canceled: number;
  sums: Record<Habit, Sums>;
  figures: string;
}

interface LeaversPlan {
  seed: number;
  count: number;
  report(line: string): void;
}

/** Clients that leave at random moments of answers of every habit; throws where the sums do not agree. */
export async function runLeaversPlan({ seed, count, report }: LeaversPlan): Promise<LeaversReport> {
  await using setup = await openLeaving({ afterLeavingMs: AFTER_LEAVING_MS });
  const authorization = `Bearer ${setup.gateway.apiKey}`;
  await teachRate(setup, authorization);
  setup.provider.paceMs = PACE_MS;
  const random = createSeededRandom(seed);
  const leavers: Left[] = [];
  const numbers = Array.from({ length: count }, (_, number) => number).values();
  const work = async (): Promise<void> => {
    for (const number of numbers) {
      leavers[number] = await leaveAtRandom(setup, {
        number,
        isEarly: random() * 100 < EARLY_PERCENT,
        at: random(),
        isReset: random() < 0.5,
        authorization,
      });
      if (number % 100 === 99) report(`${number + 1} have left`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return await settleUp(setup, leavers); // before the gateway is stopped
}

const toText = (number: number): string => `${HABIT_NAMES[number % HABIT_NAMES.length]} leaver ${number}`;

interface Leaver {
  number: number;
  isEarly: boolean;
  /** Where in the answer it leaves, between 0 and 1. */
  at: number;
  isReset: boolean;
  authorization: string;
}

async function leaveAtRandom(
  { gateway, provider }: LeavingSetup,
  { number, isEarly, at, isReset, authorization }: Leaver,
): Promise<Left> {
  const text = toText(number);
  const client = await RawClient.open(gateway.url);
  const sentAtMs = performance.now();
  const step = provider.watchFor(text, Math.floor(at * STEPS));
  client.post(PATH, createRequest(text), { authorization, 'x-request-id': text });
  if (!isEarly) await step;
  await sleep(at * PACE_MS);
  if (text.startsWith('silent')) provider.silence(text);
  const left = { text, sentAtMs, leftAtMs: performance.now(), output: provider.find(text)?.output ?? 0 };
  if (isReset) client.reset();
  else client.close();
  return left;
}

/** A leaver, and what the provider had generated when it left. */
type Left = Pick<Departure, 'text' | 'sentAtMs' | 'leftAtMs'> & { output: number };

function countLate(record: BillRecord, left: Left): number {
  return record.habit === 'hidden' ? countLateTokens(record, left) : record.output - left.output;
}

/** Compares the rows with the provider’s records. */
async function settleUp(setup: LeavingSetup, leavers: readonly Left[]): Promise<LeaversReport> {
  // By the second answer the gateway knows of every leaver.
  await awaitEarlier(setup.gateway);
  await until('every request is settled', async () => (await countHolds(setup)) === 0);
  const rows = await readRows(setup);
  const sums = Object.fromEntries(
    HABIT_NAMES.map((habit) => [habit, { requests: 0, record: 0n, customer: 0n, operator: 0n, late: 0n }]),
  ) as Record<Habit, Sums>;
  let canceled = 0;
  for (const left of leavers) {
    const { text } = left;
    const record = setup.provider.find(text);
    const row = rows.get(text);
    if (!record) {
      // Who leaves while the request is on its way to the provider may be booked as having reached it.
      assert.equal(row?.customer ?? '0', '0', `${text}: nobody was asked`);
      continue;
    }
    assert.ok(row, `a row for “${text}”`);
    assertRow(text, row, record);
    canceled += row.finishReason === 'canceled' ? 1 : 0;
    addTo(sums[record.habit], row, record);
    sums[record.habit].late += priceRecord({ input: 0, output: countLate(record, left) });
  }
  assertSums(sums);
  const { code, stdout } = await setup.gateway.cli('ledger', 'check');
  assert.equal(code, 0, stdout);
  const asked = Object.values(sums).reduce((sum, { requests }) => sum + requests, 0);
  return { asked, canceled, sums, figures: describe(sums) };
}

async function countHolds({ books }: LeavingSetup): Promise<number> {
  const { rows } = await books.database.query<{ count: number }>({
    text: 'SELECT count(*)::int AS count FROM hold',
  });
  return rows[0]?.count ?? -1;
}

type CostRow = Pick<LogRow, 'finishReason' | 'customer' | 'provider' | 'estimated'>;

async function readRows({ books }: LeavingSetup): Promise<Map<string, CostRow>> {
  const { rows } = await books.database.query<CostRow & { text: string }>({
    text: `SELECT client_request_id AS text, finish_reason AS "finishReason", customer_cost::text AS customer,
        provider_cost::text AS provider, estimated FROM request_log WHERE client_request_id IS NOT NULL`,
  });
  return new Map(rows.map((row) => [row.text, row]));
}

/** What is reported is exact; an estimate of a prompt or of text in flight is close. */
function assertRow(text: string, row: CostRow, record: BillRecord): void {
  const [customer, provider, billed] = [BigInt(row.customer), BigInt(row.provider), priceRecord(record)];
  assert.ok(provider > 0n, `${text}: the provider was asked, so it is not free`);
  assert.ok(customer === 0n || customer === provider, `${text}: one of the two pays`);
  if (!row.estimated) assert.equal(provider, billed, text);
  else
    assert.ok(
      record.habit !== 'toEnd' && record.habit !== 'json',
      `${text}: what is reported is not estimated`,
    );
  if (record.habit === 'silent') assert.ok(provider <= (billed * 12n) / 10n, text);
}

function addTo(sums: Sums, row: CostRow, record: BillRecord): void {
  sums.requests += 1;
  sums.record += priceRecord(record);
  sums.customer += BigInt(row.customer);
  sums.operator += BigInt(row.provider) - BigInt(row.customer);
}

/** How far customer and operator together may be from the provider’s record, in percent. */
const TOLERANCE: Record<Habit, number> = { stops: 10, hidden: 40, toEnd: 0, json: 0, silent: 100 };

function assertSums(sums: Record<Habit, Sums>): void {
  for (const habit of HABIT_NAMES) {
    const { record, late } = sums[habit];
    const most = TOLERANCE[habit] && TOLERANCE[habit] + Number((late * 100n) / (record || 1n));
    assert.ok(record > 0n && Math.abs(percentOff(sums[habit])) <= most, `${habit}: ${describe(sums)}`);
  }
}

const percentOff = ({ record, customer, operator }: Sums): number =>
  record === 0n ? 0 : Number(((customer + operator - record) * 10_000n) / record) / 100;

function describe(sums: Record<Habit, Sums>): string {
  return HABIT_NAMES.map((habit) => {
    const { requests, record, customer, operator } = sums[habit];
    const [paid, borne, billed] = [customer, operator, record].map((amount) => formatUsd(amount));
    return `${habit} (${requests}): customers ${paid} + operator ${borne} of ${billed} billed, off by ${percentOff(sums[habit])} %`;
  }).join('; ');
}
