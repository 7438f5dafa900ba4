import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { RESOURCES } from '#accounts';
import { parseJsonObject } from '#base';
import { type AdminSubjects } from '../admin-calls.ts';
import { type Gateway, startGateway } from '../gateway.ts';
import { EVERY_MEDIUM } from '../mock-providers.ts';
import { createTemporaryFolder } from '../temporary.ts';
import { nameId } from '../resource-samples.ts';
import { until } from '../until.ts';
import { openBooks } from '../books.ts';
import { type FuzzCase, PROVIDER_FORMATS, createFuzzCase } from './fuzz-case.ts';
import { FuzzClient, type FuzzReply, type FuzzRequest } from './fuzz-client.ts';
import { startFuzzProvider } from './fuzz-provider.ts';

interface FuzzPlan {
  /** The number of the first case; each is decided by its number. */
  seed: number;
  count: number;
  /** Called every few seconds, and for each fault. */
  report(line: string): void;
}

interface FuzzFigures {
  requests: number;
  answers: number;
  accepted: number;
  refused: number;
  /** Sent again after a 503 with `retry-after`: on a busy machine PostgreSQL is too slow for a hold now and then. */
  repeated: number;
  canaries: number;
  slowestCanaryMs: number;
  rows: number;
  /** Each with the number of its case. */
  faults: string[];
}

const AT_ONCE = 8;
const MOST_BYTES = 40 * 1024 * 1024;
const CANARY_EVERY = 100;
const REPORT_EVERY_MS = 5_000;
const MOST_FAULTS = 20;
export const STALL_MS = 500;
/** PostgreSQL may be too slow for this many tries, two seconds apart. */
const MOST_REPEATED = 5;
const REPEAT_AFTER_MS = 2_000;
const ROWS_AT_ONCE = 5_000;
const PROBE = fileURLToPath(new URL('stall-probe.ts', import.meta.url));
const CANARY = JSON.stringify({ model: 'fuzz-chat', messages: [{ role: 'user', content: 'hi' }] });

/** Sends damaged requests to a gateway, whose provider gives damaged answers to some, and a request that works now and then. */
export async function runFuzzCases(plan: FuzzPlan): Promise<FuzzFigures> {
  // Two, because a hostile one may break a connection that the next request has just been given.
  using honest = await startFuzzProvider(false);
  using hostile = await startFuzzProvider(true);
  const folder = createTemporaryFolder('sluice-fuzz-');
  const probe = `${folder.path}/stalls`;
  await using gateway = await startGateway({
    config: createConfig({ fuzz: honest.url, hostile: hostile.url }),
    nodeOptions: ['--import', PROBE],
    env: { STALL_PROBE: probe, STALL_MS: String(STALL_MS) },
  });
  using client = new FuzzClient(gateway.url, MOST_BYTES);
  const run = new FuzzRun(plan, { gateway, client, probe, subjects: await createSubjects(gateway) });
  await run.sendAll();
  await run.checkLedger();
  folder.remove();
  return run.figures;
}

interface Parts {
  gateway: Gateway;
  client: FuzzClient;
  probe: string;
  subjects: AdminSubjects;
}

class FuzzRun {
  readonly figures: FuzzFigures = {
    requests: 0,
    answers: 0,
    accepted: 0,
    refused: 0,
    repeated: 0,
    canaries: 0,
    slowestCanaryMs: 0,
    rows: 0,
    faults: [],
  };
  readonly #plan: FuzzPlan;
  readonly #parts: Parts;
  /** Requests that must have a row. */
  readonly #requestIds: string[] = [];
  /** The case of each request, by the id that the gateway gave it. */
  readonly #numbers = new Map<string, number>();
  #sent = 0;
  #stalls = 0;

  constructor(plan: FuzzPlan, parts: Parts) {
    this.#plan = plan;
    this.#parts = parts;
  }

  async sendAll(): Promise<void> {
    const startedMs = performance.now();
    const show = (): void => {
      this.#readStalls();
      const { count, report } = this.#plan;
      const { accepted, refused, faults } = this.figures;
      const rate = this.#sent / ((performance.now() - startedMs) / 1_000);
      report(
        `${this.#sent}/${count} (${rate.toFixed(0)}/s), ${accepted} accepted, ${refused} refused, ${faults.length} faults, at number ${this.#plan.seed + this.#sent}`,
      );
    };
    const timer = setInterval(show, REPORT_EVERY_MS);
    try {
      await Promise.all(Array.from({ length: AT_ONCE }, () => this.#sendInTurn()));
    } finally {
      clearInterval(timer);
    }
    show();
  }

  /** Every request with a caller has its row, and the sums agree. */
  async checkLedger(): Promise<void> {
    const { gateway } = this.#parts;
    await using books = await openBooks(gateway.dataDir);
    for (let at = 0; at < this.#requestIds.length; at += ROWS_AT_ONCE) {
      const ids = this.#requestIds.slice(at, at + ROWS_AT_ONCE);
      const countRows = async (): Promise<number> => {
        const { rows } = await books.database.query<{ count: number }>({
          text: 'SELECT count(*)::int AS count FROM request_log WHERE request_id = ANY ($1)',
          values: [ids],
        });
        return rows[0]?.count ?? 0;
      };
      await until(
        `a row of each of ${ids.length} requests`,
        async () => (await countRows()) === ids.length,
        200,
      );
      this.figures.rows += ids.length;
    }
    const { code, stdout } = await gateway.cli('ledger', 'check');
    if (code !== 0) this.#fault(`the books disagree: ${stdout}`);
    this.#checkLog(gateway.log);
  }

  #checkLog(log: string): void {
    for (const line of log.split('\n').filter((text) => text.includes('"internal error"'))) {
      const requestId = parseJsonObject(line)?.['requestId'];
      const number = typeof requestId === 'string' ? this.#numbers.get(requestId) : undefined;
      this.#fault(`--seed ${String(number)} --count 1: the gateway logged ${line.slice(0, 2_000)}`);
    }
  }

  async #sendInTurn(): Promise<void> {
    while (this.#sent < this.#plan.count && this.figures.faults.length < MOST_FAULTS) {
      const index = this.#sent;
      this.#sent += 1;
      await this.#sendCase(createFuzzCase(this.#plan.seed + index, this.#parts.subjects));
      if (index % CANARY_EVERY === CANARY_EVERY - 1) await this.#sendCanary();
    }
  }

  async #sendCase(fuzzed: FuzzCase): Promise<void> {
    const { gateway } = this.#parts;
    const { number, kind, path, isAdmin, headers } = fuzzed;
    const reply = await this.#send({
      ...fuzzed,
      headers: {
        authorization: `Bearer ${isAdmin ? gateway.adminKey : gateway.apiKey}`,
        ...headers,
        'x-fuzz-number': String(number),
      },
    });
    this.figures[kind === 'answer' ? 'answers' : 'requests'] += 1;
    this.figures[reply.status < 400 ? 'accepted' : 'refused'] += 1;
    this.#numbers.set(reply.requestId, number);
    const fault = findFault(fuzzed, reply);
    if (fault !== undefined) this.#fault(`${describe(fuzzed)}: ${fault}`);
    if (reply.status === 200 && fuzzed.method === 'POST' && !isAdmin && !path.includes('session_tokens'))
      this.#requestIds.push(reply.requestId);
  }

  async #send(request: FuzzRequest): Promise<FuzzReply> {
    for (let left = MOST_REPEATED; ; left -= 1) {
      const reply = await this.#parts.client.send(request);
      if (reply.status !== 503 || !reply.mayRepeat || left === 0) return reply;
      this.figures.repeated += 1;
      await sleep(REPEAT_AFTER_MS);
    }
  }

  async #sendCanary(): Promise<void> {
    const { gateway } = this.#parts;
    const headers = { authorization: `Bearer ${gateway.apiKey}`, 'content-type': 'application/json' };
    const body = Buffer.from(CANARY);
    const { status, text, ms } = await this.#send({
      method: 'POST',
      path: '/v1/chat/completions',
      headers,
      body,
    });
    this.figures.canaries += 1;
    this.figures.slowestCanaryMs = Math.max(this.figures.slowestCanaryMs, ms);
    if (status !== 200 || !text.includes('"content":"ok"'))
      this.#fault(`the canary: ${status} ${text.slice(0, 500)}`);
  }

  #readStalls(): void {
    const { probe, subjects } = this.#parts;
    const lines = existsSync(probe) ? readFileSync(probe, 'utf8').split('\n').slice(0, -1) : [];
    for (const line of lines.slice(this.#stalls)) {
      const { heldMs, numbers } = JSON.parse(line) as { heldMs: number; numbers: string[] };
      const cases = numbers.map((number) => describe(createFuzzCase(Number(number), subjects)));
      this.#fault(
        `the event loop was held for ${heldMs.toFixed(0)} ms of processor time by one of ${cases.join('; ')}`,
      );
    }
    this.#stalls = lines.length;
  }

  #fault(text: string): void {
    this.figures.faults.push(text);
    this.#plan.report(`FAULT ${text}`);
  }
}

/** What is wrong with a reply; damaged answers may be failures of the provider, and nothing else may be of the gateway's side. */
function findFault({ kind }: FuzzCase, { status, text }: FuzzReply): string | undefined {
  const isProviders = kind === 'answer' && [502, 503, 504, 529].includes(status);
  if (status === 0) return `no answer: ${text}`;
  if ((status >= 500 && !isProviders) || /internal.error/.test(text)) return `${status} ${text.slice(-500)}`;
  return undefined;
}

function describe({ number, kind, method, path, body }: FuzzCase): string {
  return `--seed ${number} --count 1 (${kind}, ${method} ${path.slice(0, 200)}, ${body?.length ?? 0} bytes)`;
}

/** One model for each format of each provider. */
function createConfig(urls: Record<string, string>): string {
  const lines = Object.entries(urls).flatMap(([name, url]) =>
    PROVIDER_FORMATS.map((format) => {
      const model = `id: ${name}-${format}, ${format === 'chat' ? `${EVERY_MEDIUM}, ` : ''}contextLength: 100000000, maxOutput: 32000`;
      const provider = `id: ${name}-${format}, format: ${format}, baseUrl: ${url}/v1, apiKey: k`;
      return `  - { ${provider}, models: [{ ${model}, price: { input: "0.01", output: "0.01" } }] }`;
    }),
  );
  return ['logLevel: error', 'providers:', ...lines, ''].join('\n');
}

/** An organization of its own, so that what admin calls do there does not reach the key of the requests. */
async function createSubjects(gateway: Gateway): Promise<AdminSubjects> {
  const create = async (...args: string[]): Promise<string> => {
    const { id } = await gateway.run(...args);
    if (typeof id !== 'string') throw new Error(`${args.join(' ')} gave no id`);
    return id;
  };
  const organizationId = await create('orgs', 'create', 'fuzzed');
  const projectId = await create('projects', 'create', '--org', organizationId, 'fuzzed');
  const keyId = await create('keys', 'create', '--project', projectId, '--label', 'fuzzed');
  return { ...ABSENT, organizationId, projectId, keyId };
}

/** Ids of nothing; with them a call is as damaged as by other means. */
const ABSENT = {
  apiKey: 'x',
  requestId: 'x',
  logId: 'x',
  sessionId: 'x',
  ...Object.fromEntries(RESOURCES.map(({ name }) => [nameId(name), 'x'])),
};
