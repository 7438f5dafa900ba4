import type { Database } from '#storage';
import { MAX_TOKENS, type Sighting } from './traffic.ts';
import type { Truth } from './upstream-exchange.ts';
import { estimateTokens } from '#canonical';

/** The ledger compared with what the provider and the clients know. Every list of names is of requests, and should be empty. */
export interface Audit {
  /** Requests that reached the provider, and answers that clients saw complete. */
  reached: number;
  completed: number;
  estimated: number;
  /** Reached the provider without an entry or a row. */
  missing: string[];
  /** Closed more than once. */
  double: string[];
  /** Complete at the client, but not charged by the provider's own figures. */
  different: string[];
  /** Estimates above what was held, or below what had been delivered a checkpoint before the gateway’s last sign. */
  outOfBounds: string[];
  /** Of each answer that a kill left partly unpaid, sorted: the time from its first unpaid word to the gateway’s last sign. */
  unpaidMs: number[];
  /** Refused or failed before anything was delivered, and charged. */
  charged: string[];
  openHolds: number;
  /** Differences reported by `ledger check`. */
  differences: string[];
}

const PICO_PER_INPUT = 3_000_000n;
const PICO_PER_OUTPUT = 15_000_000n;
/** The most expensive input: a cache write for an hour. */
const PICO_PER_INPUT_AT_MOST = 6_000_000n;
/**
 * Upper bound on the difference between the provider's body and the caller's; the gateway adds 64 tokens for a frame.
 */
const SLACK_BYTES = 600;
/** More than ten times as long as progress takes from the answer to the database. */
const CHECKPOINT_MS = 2_500;

interface Closing {
  customer: bigint;
  closings: number;
  estimated: boolean;
  hasRow: boolean;
  /** Tokens of text in its row. */
  output: number;
}

/** Facts known independently of the ledger. */
interface Knowledge {
  truths: readonly Truth[];
  sightings: readonly Sighting[];
  /** Entries before this are not checked; text of PostgreSQL. */
  since?: string;
  /** The slowest start of a gateway: progress takes less, however busy the machine is. */
  slowestStartMs?: number;
}

export async function auditLedger(
  database: Database,
  { truths, sightings, since = '-infinity', slowestStartMs = 0 }: Knowledge,
): Promise<Audit> {
  const closings = await readClosings(database, since);
  const byId = new Map(truths.map((truth) => [truth.headers['x-request-id'] ?? '', truth]));
  const whole = sightings.filter((sighting) => sighting.whole);
  const cut = new Map(sightings.filter((one) => !one.whole).map((one) => [one.requestId, one]));
  const ids = [...byId.keys()];
  const checkpointMs = Math.max(CHECKPOINT_MS, slowestStartMs);
  const { rows: differences } = await database.query<{ text: string }>({
    text: `SELECT concat_ws(' | ', what, subject, expected, actual) AS text FROM ledger_check()`,
  });
  const { rows: holds } = await database.query<{ n: bigint }>({ text: 'SELECT count(*) AS n FROM hold' });
  return {
    reached: ids.length,
    completed: whole.length,
    estimated: [...closings.values()].filter(({ estimated }) => estimated).length,
    missing: ids.filter((id) => closings.get(id)?.hasRow !== true),
    double: [...closings].filter(([, { closings: times }]) => times !== 1).map(([id]) => id),
    different: whole
      .filter(({ requestId }) => closings.get(requestId)?.customer !== costOf(byId.get(requestId)))
      .map(({ requestId }) => requestId),
    outOfBounds: ids.flatMap((id) => {
      const sighting = cut.get(id);
      const early = sighting
        ? countDelivered(sighting, findLastSign(sightings, sighting.endedAtMs) - checkpointMs)
        : 0;
      const fault = findOutOfBounds(closings.get(id), byId.get(id), { sighting, early });
      return fault === undefined ? [] : [`${id}: ${fault}`];
    }),
    unpaidMs: [...cut]
      .flatMap(([id, sighting]) => {
        const unpaid = findUnpaid(sighting, closings.get(id));
        return unpaid ? findLastSign(sightings, sighting.endedAtMs) - unpaid.atMs : [];
      })
      .toSorted((one, other) => one - other),
    charged: sightings
      .filter(({ status, requestId }) => status >= 400 && (closings.get(requestId)?.customer ?? 0n) > 0n)
      .map(({ requestId }) => requestId),
    openHolds: Number(holds[0]?.n ?? 0n),
    differences: differences.map(({ text }) => text),
  };
}

/** The first fault in a line; `undefined` if there is none. */
export function findFault(audit: Audit): string | undefined {
  const { unpaidMs: _, ...lists } = audit;
  const wrong = Object.entries(lists).filter(([, value]) => Array.isArray(value) && value.length > 0);
  if (audit.openHolds > 0) wrong.push(['openHolds', audit.openHolds]);
  if (wrong.length === 0) return undefined;
  return wrong
    .map(
      ([name, value]) =>
        `${name}: ${Array.isArray(value) ? `${value.length}, such as ${value.slice(0, 3).join(', ')}` : value}`,
    )
    .join('; ');
}

async function readClosings(database: Database, since: string): Promise<Map<string, Closing>> {
  const { rows } = await database.query<{
    id: string;
    customer: string;
    n: bigint;
    estimated: boolean;
    row: boolean;
    output: bigint | null;
  }>({
    text: `SELECT e.request_id AS id, sum(e.customer)::text AS customer,
             count(*) FILTER (WHERE e.kind IN ('usage', 'estimate')) AS n,
             bool_or(e.kind = 'estimate') AND NOT bool_or(e.kind = 'adjust') AS estimated,
             bool_and(l.request_id IS NOT NULL) AS row, max(l.output_text)::bigint AS output
           FROM ledger_entry e LEFT JOIN request_log l ON l.request_id = e.request_id
           WHERE e.kind IN ('usage', 'estimate', 'adjust') AND e.created_at >= $1::timestamptz GROUP BY e.request_id`,
    values: [since],
  });
  return new Map(
    rows.map(({ id, customer, n, estimated, row, output }) => [
      id,
      { customer: BigInt(customer), closings: Number(n), estimated, hasRow: row, output: Number(output) },
    ]),
  );
}

/** By the figures the provider reported at the end. */
function costOf(truth: Truth | undefined): bigint | undefined {
  if (!truth) return undefined;
  return BigInt(truth.inputTokens) * PICO_PER_INPUT + BigInt(truth.outputTokens) * PICO_PER_OUTPUT;
}

/** When any client last received something: a machine that stands still for seconds notes no progress either. */
function findLastSign(sightings: readonly Sighting[], endedAtMs: number): number {
  let last = 0;
  for (const { delivered } of sightings) {
    const part = delivered.findLast(({ atMs }) => atMs <= endedAtMs);
    if (part && part.atMs > last) last = part.atMs;
  }
  return last;
}

/** Bytes that had been delivered by a time. */
function countDelivered({ delivered }: Sighting, byMs: number): number {
  return delivered.findLast(({ atMs }) => atMs <= byMs)?.bytes ?? 0;
}

/** The first words of a cut answer that its row does not have. */
function findUnpaid(
  { delivered }: Sighting,
  closing: Closing | undefined,
): Sighting['delivered'][number] | undefined {
  if (closing?.estimated !== true) return undefined;
  return delivered.find(({ bytes }) => estimateTokens(bytes) > closing.output);
}

interface Delivered {
  sighting: Sighting | undefined;
  /** Bytes that had been delivered early enough to be noted. */
  early: number;
}

function findOutOfBounds(
  closing: Closing | undefined,
  truth: Truth | undefined,
  { sighting, early }: Delivered,
): string | undefined {
  if (!closing?.estimated || !truth) return undefined;
  const least = BigInt(estimateTokens(early)) * PICO_PER_OUTPUT;
  const most =
    BigInt(truth.rawBody.length + SLACK_BYTES) * PICO_PER_INPUT_AT_MOST +
    BigInt(MAX_TOKENS) * PICO_PER_OUTPUT;
  if (closing.customer >= least && closing.customer <= most) return undefined;
  return `charged ${closing.customer}, not ${least} to ${most}; ${describeEnd(sighting)}`;
}

/** The last parts, and how long before the end each arrived. */
function describeEnd(sighting: Sighting | undefined): string {
  if (!sighting) return 'never answered';
  const parts = sighting.delivered.map(({ atMs, bytes }) => `${bytes}@-${sighting.endedAtMs - atMs}`);
  return `bytes delivered ${parts.slice(-12).join(' ')} ms before the end`;
}
