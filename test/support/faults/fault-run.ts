import { setTimeout as sleep } from 'node:timers/promises';
import { type AnswerPlan } from '../upstream-answers.ts';
import { type Reply, answer, sequence } from '../upstream-replies.ts';
import type { Truth } from '../upstream-exchange.ts';
import { until } from '../until.ts';
import { type Received, FaultClient, understand } from './fault-client.ts';
import type { Batch, Cell } from './fault-cells.ts';
import { type FaultStage, modelOf } from './fault-stage.ts';
import { type Outcome, STATUS } from './fault.ts';

/** What follows after each cell. */
export const CONDITIONS = ['caller', 'row', 'hold', 'leak', 'next'] as const;
export type Condition = (typeof CONDITIONS)[number];

interface Violation {
  condition: Condition;
  what: string;
}

export interface CellResult {
  cell: Cell;
  violations: Violation[];
}

const SICK = 'words of the afflicted provider';
const GOOD = 'words of the good provider';
const PLAN: AnswerPlan = { chunks: 6 };
const MOST_CALLS = 6;
/** How often a request is sent that the database was too slow for. */
const MOST_TRIES = 20;
/** The gateway's own rounds come and go: what remains is always there. */
const LOOKS = 10;
const LOOK_EVERY_MS = 100;
/** A journal that was needed once stays open. */
const JOURNALS = 1;

/** Runs the cells of a batch at once, and looks at what the gateway keeps when they are over. */
export async function runBatch(stage: FaultStage, batch: Batch, baseline: Load): Promise<CellResult[]> {
  const { sick, good } = stage;
  sick.clear();
  good.clear();
  good.script({ reply: answer({ ...PLAN, text: GOOD }) });
  const runs = batch.cells.map((cell) => new CellRun(stage, cell));
  const { store } = batch;
  const midway = Promise.withResolvers<undefined>();
  for (const run of runs) run.afflict(midway.promise);
  // Who calls is known then: a request of an unknown caller has no row.
  if (store) await askHealthy(stage);
  if (store && store.isMidway !== true) await store.damage(stage.control);
  const asked = runs.map((run) => run.ask());
  if (store?.isMidway === true) {
    await until('every answer has begun', () => runs.every((run) => run.calls.length > 0));
    await store.damage(stage.control);
  }
  midway.resolve(undefined);
  await Promise.all(asked);
  await store?.mend(stage.control);
  await Promise.all(runs.map((run) => run.askNext()));
  const journal = store ? JOURNALS : 0;
  const leaks = await findLeaks(stage, { ...baseline, descriptors: baseline.descriptors + journal });
  const rows = await readRows(
    stage,
    runs.flatMap(({ ids }) => ids),
  );
  for (const run of runs) run.checkLedger(rows);
  for (const run of runs) run.violations.push(...leaks);
  return runs.map(({ cell, violations }) => ({ cell, violations }));
}

export type Load = Awaited<ReturnType<FaultStage['readLoad']>>;

/** What the gateway keeps after a healthy request. */
export async function measureBaseline(stage: FaultStage): Promise<Load> {
  await askHealthy(stage);
  await until('the request is over', async () => (await countHolds(stage)) === 0);
  const looks: Load[] = [];
  for (let look = 0; look < LOOKS; look += 1) {
    looks.push(await stage.readLoad());
    await sleep(LOOK_EVERY_MS);
  }
  return {
    timers: findUsual(looks.map(({ timers }) => timers)),
    descriptors: Math.min(...looks.map(({ descriptors }) => descriptors)),
  };
}

/** The most frequent count: a background loop whose statement is on its way has no timer, for longer on a busy machine. */
function findUsual(counts: readonly number[]): number {
  const often = (count: number): number => counts.filter((other) => other === count).length;
  return Math.max(...counts.filter((count) => counts.every((other) => often(other) <= often(count))));
}

async function askHealthy(stage: FaultStage): Promise<void> {
  stage.good.script({ reply: answer(PLAN) });
  using client = new FaultClient(stage.gateway.url, stage.gateway.apiKey);
  await client.send({ format: 'chat', model: stage.healthyModel, stream: false, id: 'healthy' });
}

async function findLeaks(stage: FaultStage, baseline: Load): Promise<Violation[]> {
  const violations: Violation[] = [];
  const { sick, good, trap, gateway } = stage;
  await until('no call is open', () => sick.busy === 0 && good.busy === 0).catch(() =>
    violations.push({ condition: 'leak', what: `${sick.busy + good.busy} calls to providers are open` }),
  );
  let load = baseline;
  await until(
    'no timer or socket is left',
    async () => {
      load = await stage.readLoad();
      return load.timers <= baseline.timers && load.descriptors <= baseline.descriptors;
    },
    50,
  ).catch(() => {
    const more = `${load.timers - baseline.timers} timers and ${load.descriptors - baseline.descriptors} descriptors`;
    violations.push({ condition: 'leak', what: `${more} more than before` });
  });
  await until('no hold is open', async () => (await countHolds(stage)) === 0).catch(() =>
    violations.push({ condition: 'hold', what: 'a hold is open' }),
  );
  if (trap.truths.length > 0) violations.push({ condition: 'caller', what: 'the trap was called' });
  if (gateway.exited) violations.push({ condition: 'leak', what: `the gateway has ended: ${gateway.log}` });
  if (gateway.log.includes('"internal error"'))
    violations.push({ condition: 'leak', what: `the gateway logged ${gateway.log.slice(-2_000)}` });
  return violations;
}

async function countHolds({ database }: FaultStage): Promise<number> {
  const { rows } = await database.query<{ count: number }>({
    text: 'SELECT count(*)::int AS count FROM hold',
  });
  return rows[0]?.count ?? 0;
}

const FINISHES: Partial<Record<Outcome, string>> = {
  answer: 'completed',
  left: 'canceled',
  request_refused: 'client_error',
  store_unavailable: 'gateway_error',
};

/** The rows of requests, once each has one or the time is over. */
async function readRows({ database }: FaultStage, ids: readonly string[]): Promise<Map<string, Row[]>> {
  let rows = new Map<string, Row[]>();
  await until(
    'each request has a row',
    async () => {
      const found = await database.query<Row>({
        text: `SELECT client_request_id AS id, finish_reason AS finish, customer_cost::text AS customer
               FROM request_log WHERE client_request_id = ANY ($1)`,
        values: [[...ids]],
      });
      rows = Map.groupBy(found.rows, ({ id }) => id);
      return rows.size === ids.length;
    },
    50,
  ).catch(() => undefined);
  return rows;
}

interface Row {
  id: string;
  finish: string;
  customer: string;
}

/** One cell: a request under fault, then one when the fault is over. */
class CellRun {
  readonly cell: Cell;
  readonly violations: Violation[] = [];
  readonly #stage: FaultStage;
  readonly #model: string;
  readonly #client: FaultClient;
  #id: string;

  constructor(stage: FaultStage, cell: Cell) {
    this.#stage = stage;
    this.cell = cell;
    this.#model = modelOf(cell);
    this.#id = `cell-${cell.number}`;
    this.#client = new FaultClient(stage.gateway.url, stage.gateway.apiKey);
  }

  /** The calls for its model at the afflicted provider. */
  get calls(): Truth[] {
    return this.#stage.sick.truths.filter((truth) => isFor(truth, this.#model));
  }

  get #othersCalls(): Truth[] {
    return this.#stage.good.truths.filter((truth) => isFor(truth, this.#model));
  }

  afflict(released: Promise<unknown>): void {
    const { fault, place } = this.cell;
    const reply = fault.reply({ text: SICK, trapUrl: this.#stage.trap.baseUrl, released });
    this.#script(place === 'passing' ? sequence(reply, answer({ ...PLAN, text: SICK })) : reply);
  }

  #script(reply: Reply): void {
    this.#stage.sick.script({ match: (truth) => isFor(truth, this.#model), reply });
  }

  async ask(): Promise<void> {
    const { fault, format, mode } = this.cell;
    const send = (): Promise<Received> =>
      this.#client.send({
        format,
        model: this.#model,
        stream: mode === 'stream',
        id: this.#id,
        leaves: fault.leaves,
        hasArrived: () => until('the provider is called', () => this.calls.length > 0),
      });
    let received = await send();
    for (
      let tries = 1;
      fault.store === undefined && isStoreSlow(received) && tries < MOST_TRIES;
      tries += 1
    ) {
      this.#id += '+';
      received = await send();
    }
    this.#checkCaller(received);
    this.#checkCalls();
  }

  #checkCaller(received: Received): void {
    const { format, mode, fault, place } = this.cell;
    const expected = this.#expected;
    const said = understand(format, mode === 'stream', received);
    const fail = (): void =>
      this.#note(
        'caller',
        `expected ${expected}, got ${JSON.stringify(said)} ${received.text.slice(0, 200)}`,
      );
    if (expected === 'left') {
      if (received.status >= 400) fail();
      return;
    }
    if (expected === 'answer') {
      const text = fault.text ?? (place === 'beside another' && fault.course !== 'harmless' ? GOOD : SICK);
      if (said.type !== 'answer' || said.text !== text) fail();
    } else if (expected === 'cut') {
      if (said.type !== 'cut') fail();
    } else if (said.type !== 'error' || said.status !== this.#statusOf(expected)) fail();
    else if (
      format !== 'messages' &&
      expected !== 'request_refused' &&
      !received.text.toLowerCase().includes(expected)
    )
      fail();
    else if (fault.hasRetryAfter === true && !/^[1-9]\d*$/.test(String(received.headers['retry-after'])))
      this.#note('caller', 'no retry-after');
  }

  #statusOf(error: Exclude<Outcome, 'answer' | 'cut' | 'left'>): number {
    const { fault, format } = this.cell;
    if (error === 'request_refused') return fault.status ?? 400;
    return error === 'upstream_overloaded' && format === 'messages' ? 529 : STATUS[error];
  }

  /** What becomes of the fault here. */
  get #expected(): Outcome {
    const { fault, place } = this.cell;
    const { course, error = 'answer' } = fault;
    if (course === 'midway') return 'cut';
    if (course === 'repeat') return place === 'alone' ? error : 'answer';
    if (course === 'elsewhere') return place === 'beside another' ? 'answer' : error;
    return error;
  }

  /** How often each provider was called. */
  #checkCalls(): void {
    const { fault, place } = this.cell;
    if (fault.address !== undefined || fault.store !== undefined) return;
    const [own, others] = [this.calls.length, this.#othersCalls.length];
    const goesOn = fault.course === 'repeat' || fault.course === 'elsewhere';
    const most = fault.course !== 'repeat' ? 1 : place === 'alone' ? MOST_CALLS : place === 'passing' ? 2 : 1;
    const least = fault.course === 'repeat' && place !== 'beside another' ? 2 : 1;
    const isOwnRight = fault.countsVary === true ? own >= least : own >= least && own <= most;
    const expectedOthers = place === 'beside another' && goesOn ? 1 : 0;
    if (!isOwnRight || others !== expectedOthers)
      this.#note(
        'caller',
        `${own} calls at the afflicted provider (${least} to ${most}), ${others} at the other`,
      );
  }

  /** The fault is over: the same client asks again. */
  async askNext(): Promise<void> {
    const { fault, format, mode, place } = this.cell;
    const isLost = fault.address !== undefined && place !== 'beside another';
    const text = `the next answer for ${this.#model}`;
    const model = isLost ? this.#stage.healthyModel : this.#model;
    const script = { match: (truth: Truth) => isFor(truth, model), reply: answer({ ...PLAN, text }) };
    this.#stage.sick.script(script);
    if (!isLost) this.#stage.good.script(script);
    const received = await this.#client.send({
      format,
      model,
      stream: mode === 'stream',
      id: `${this.#id}-next`,
    });
    const said = understand(format, mode === 'stream', received);
    if (said.type !== 'answer' || (said.text !== text && !isLost))
      this.#note('next', `got ${JSON.stringify(said)} ${received.text.slice(0, 200)}`);
    this.#client[Symbol.dispose]();
  }

  /** Of its two requests. */
  get ids(): string[] {
    return [this.#id, `${this.#id}-next`];
  }

  checkLedger(rows: ReadonlyMap<string, readonly Row[]>): void {
    for (const id of this.ids) {
      const own = rows.get(id) ?? [];
      if (own.length !== 1) this.#note('row', `${own.length} rows of ${id}`);
      if (id === this.#id && own[0]) this.#checkRow(own[0]);
    }
  }

  #checkRow({ finish, customer }: Row): void {
    const expected = this.#expected;
    if (finish !== (FINISHES[expected] ?? 'upstream_error')) this.#note('row', `finish reason ${finish}`);
    const isFree = !['answer', 'cut', 'left'].includes(expected);
    if (isFree !== (customer === '0') && expected !== 'left') this.#note('row', `charged ${customer}`);
  }

  #note(condition: Condition, what: string): void {
    this.violations.push({ condition, what });
  }
}

/** On a busy machine the database may take longer than a request waits for it; its client asks again. */
const isStoreSlow = ({ status, text }: Received): boolean =>
  status === 503 && text.includes('database is overloaded');

function isFor({ body, path }: Truth, model: string): boolean {
  return body['model'] === model || path.includes(`/models/${model}:`);
}
