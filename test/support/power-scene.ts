import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Accounts, Caller, Progress } from '#accounts';
import type { PicoUsd } from '#base';
import { Journal } from '#storage';
import { silentLog } from '#telemetry';
import { createFaultyDatabase } from './faulty-database.ts';
import { type FreshAccounts, createRow } from './fresh-accounts.ts';
import { rewriteOwner } from './after-reboot.ts';
import { createTemporaryFolder } from './temporary.ts';
import { until } from './until.ts';

/** A request of the process that the power failure ended. */
interface SceneRequest {
  id: string;
  /** What its provider may have billed at most, or has. */
  bill: PicoUsd;
  isSettled: boolean;
  /** It has a hold of its own in the database. */
  isHeld: boolean;
}

/** A file of its journal, and the ends of its records. */
interface SceneFile {
  name: string;
  bytes: Buffer;
  /** The text of each record, and where it ends in the file. */
  records: { text: string; end: number }[];
}

/** The moment of a power failure: the database is as it was, the journal as far as it reached the disk. */
export interface PowerScene {
  caller: Caller;
  limit: PicoUsd;
  /** What the database had booked. */
  used: PicoUsd;
  /** What its lease held there. */
  leased: PicoUsd;
  /** Of the requests that the database did not know as ended. */
  requests: readonly SceneRequest[];
  /** In the order in which they were written. */
  files: readonly SceneFile[];
  /** Names the process with its leases; on disk before the first lease. */
  ownerFile: SceneFile;
}

const AMOUNT = 1_000n;
const LIMIT = 200n * AMOUNT;
const HELD = 4;
const SETTLED = 7;
const OPEN = 4;
/** The share of its hold that a request costs until there is a lease: a fast machine sends many of them meanwhile. */
const WARM_UP_COST = 0.001;
const HEAD_BYTES = 8;
const TRIES = 10;

/**
 * A process with a lease loses its database, goes on until its machine does, and leaves a journal. Everything else of
 * the budget has been spent by then.
 */
export async function createPowerScene(fresh: FreshAccounts, costs: () => number): Promise<PowerScene> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await playScene(fresh, costs);
    } catch (error) {
      if (tries === TRIES) throw error; // else its lease ended meanwhile, on a slow machine
    }
  }
}

async function playScene(fresh: FreshAccounts, costs: () => number): Promise<PowerScene> {
  using folder = createTemporaryFolder();
  const journal = new Journal({ folder: folder.path, installation: 'test', log: silentLog });
  await journal.open();
  const faulty = createFaultyDatabase(await fresh.fresh.connect());
  const caller = await createCaller(fresh);
  const accounts = await fresh.join({ database: faulty.database, journal });
  const actor = new Actor(accounts, caller, costs);
  try {
    await actor.takeLease(fresh);
    const held = await actor.open(HELD);
    await until('they have holds of their own', async () => (await countHolds(fresh, held)) === HELD);
    faulty.state = 'down';
    const used = await spendRest(fresh, actor);
    await actor.settle(held.slice(HELD / 2));
    await actor.settle(await actor.open(SETTLED));
    const open = await actor.open(OPEN);
    actor.recordProgress([...held.slice(0, 1), ...open.slice(0, 2)]);
    const read = (): SceneFile[] => readFiles(folder.path);
    await until('progress is in the journal', () =>
      read().some(({ bytes }) => bytes.includes('{"progress"')),
    );
    const files = read();
    const ownerFile = files.find(({ bytes }) => bytes.includes('{"owner"'));
    if (!ownerFile) throw new Error('the journal does not name its process');
    const requests = actor.requests.map((one) => ({ ...one, isHeld: held.includes(one.id) }));
    return {
      caller: actor.caller,
      limit: LIMIT,
      used,
      leased: await readLeased(fresh, actor.caller),
      requests,
      files: files.filter((file) => file !== ownerFile),
      ownerFile: afterReboot(ownerFile),
    };
  } finally {
    faulty.state = 'down';
    await journal.close();
  }
}

/** A key that may spend the limit once, and no more of it in an hour; all of the scene is in one. */
async function createCaller({ accounts, caller: { projectId } }: FreshAccounts): Promise<Caller> {
  const { directory, identify } = accounts;
  const { secret, key } = await directory.createKey({ projectId, label: 'power', limit: LIMIT });
  await directory.updateKey(key.id, { recurringLimit: { amount: LIMIT, period: 'hour' } });
  return identify(secret);
}

/** What the process does. */
class Actor {
  readonly caller: Caller;
  readonly requests: Omit<SceneRequest, 'isHeld'>[] = [];
  readonly #accounts: Accounts;
  readonly #costs: () => number;

  constructor(accounts: Accounts, caller: Caller, costs: () => number) {
    this.#accounts = accounts;
    this.caller = caller;
    this.#costs = costs;
  }

  async takeLease(fresh: FreshAccounts): Promise<void> {
    const text = 'SELECT FROM hold WHERE lease AND amount >= $1';
    const least = String(AMOUNT * BigInt(HELD + SETTLED + OPEN));
    while ((await fresh.database.query({ text, values: [least] })).rows.length === 0)
      await this.settle(await this.open(HELD + SETTLED + OPEN), () => WARM_UP_COST);
    await this.#accounts.ledger.catchUp(this.caller);
    this.requests.length = 0;
  }

  async open(count: number): Promise<string[]> {
    const ids = Array.from({ length: count }, () => `req_power_${(serial += 1)}`);
    await Promise.all(
      ids.map((requestId) => {
        const row = createRow(this.caller, requestId, { finishReason: 'gateway_error', status: 500 });
        this.requests.push({ id: requestId, bill: AMOUNT, isSettled: false });
        return this.#accounts.ledger.reserve({ requestId, caller: this.caller, amount: AMOUNT, row });
      }),
    );
    return ids;
  }

  async settle(ids: readonly string[], costs = this.#costs): Promise<void> {
    await Promise.all(
      ids.map((requestId) => {
        const customer = BigInt(Math.floor(costs() * Number(AMOUNT)));
        const row = createRow(this.caller, requestId);
        const one = this.requests.find(({ id }) => id === requestId);
        if (one) Object.assign(one, { bill: customer, isSettled: true });
        return this.#accounts.ledger.settle({
          requestId,
          customer,
          provider: customer,
          estimated: false,
          row,
        });
      }),
    );
  }

  recordProgress(ids: readonly string[]): void {
    for (const id of ids) {
      const customer = AMOUNT / 4n;
      const progress: Progress = { customer, provider: customer, row: createRow(this.caller, id) };
      this.#accounts.ledger.recordProgress(id, progress);
    }
  }
}

let serial = 0;

async function countHolds({ database }: FreshAccounts, ids: readonly string[]): Promise<number> {
  const text = 'SELECT FROM hold WHERE request_id = ANY ($1)';
  return (await database.query({ text, values: [ids] })).rows.length;
}

async function readLeased({ database }: FreshAccounts, { keyId }: Caller): Promise<PicoUsd> {
  const text = `
    SELECT h.amount::text FROM hold h JOIN meter m ON m.id = ANY (h.meter_ids)
    WHERE h.lease AND m.kind = 'key' AND m.subject_id = $1`;
  const { rows } = await database.query<{ amount: string }>({ text, values: [keyId] });
  return BigInt(rows[0]?.amount ?? 0);
}

/** Another process spends what is neither used nor held; returns what is used then. */
async function spendRest({ accounts, database }: FreshAccounts, { caller }: Actor): Promise<PicoUsd> {
  const text = `SELECT used::text, held::text FROM meter WHERE kind = 'key' AND subject_id = $1`;
  const { rows } = await database.query<{ used: string; held: string }>({ text, values: [caller.keyId] });
  const amount = LIMIT - BigInt(rows[0]?.used ?? 0) - BigInt(rows[0]?.held ?? 0);
  const requestId = `req_rest_${(serial += 1)}`;
  const row = createRow(caller, requestId);
  await accounts.ledger.reserve({ requestId, caller, amount, row });
  await accounts.ledger.settle({ requestId, customer: amount, provider: amount, estimated: false, row });
  return LIMIT - BigInt(rows[0]?.held ?? 0);
}

function readFiles(folder: string): SceneFile[] {
  const serialOf = (name: string): number => Number(/-(\d+)\.journal$/.exec(name)?.[1]);
  return readdirSync(folder)
    .sort((one, other) => serialOf(one) - serialOf(other))
    .map((name) => {
      const bytes = readFileSync(join(folder, name));
      return { name, bytes, records: readRecords(bytes) };
    });
}

function readRecords(bytes: Buffer): SceneFile['records'] {
  const records: SceneFile['records'] = [];
  let at = bytes.indexOf('\n') + 1;
  while (at > 0 && at + HEAD_BYTES <= bytes.length) {
    const end = at + HEAD_BYTES + bytes.readUInt32LE(at);
    records.push({ text: bytes.toString('utf8', at + HEAD_BYTES, end), end });
    at = end;
  }
  return records;
}

/** The same file, from before the machine was started again. */
function afterReboot({ name, bytes }: SceneFile): SceneFile {
  const owner = rewriteOwner(bytes);
  return { name, bytes: owner.bytes, records: [{ text: owner.text, end: 0 }] };
}
