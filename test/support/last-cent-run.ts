import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { openStores } from '#app';
import { type PicoUsd, parseUsd } from '#base';
import { silentLog } from '#telemetry';
import { type ExternalServer, startExternalServer } from './external-server.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { startMockUpstream } from './mock-upstream.ts';
import { createSeededRandom } from './seeded-random.ts';
import { createTemporaryFolder } from './temporary.ts';
import { answer } from './upstream-replies.ts';

interface LastCentPlan {
  seed: number;
  rounds: number;
  report(line: string): void;
}

interface LastCentFigures {
  rounds: number;
  /** Rounds that served exactly what was affordable. */
  exact: number;
  overspent: number;
  served: number;
  /** How many of 1,000 requests of 0.10 at once were served against 5.00. */
  snipz: number;
}

const GATEWAYS = 4;
const CLIENTS = 64;
const TOKENS = 100;
/** 100 tokens cost 0.10 USD and nothing else costs anything, so holds equal charges. */
const PRICE = '{ input: "0", output: "1000" }';
const COST = parseUsd('0.10') ?? 0n;
const MOST_AFFORDABLE = 5;
const SNIPZ_REQUESTS = 1_000;
const REPORT_EVERY = 25;
/** All-time limits of a key and of its project, and what a key may spend per hour. */
const KINDS = ['key', 'recurring', 'project'] as const;

/** Gateways on a shared database race for the last cent of a key or its project. */
export async function runLastCentPlan({ seed, rounds, report }: LastCentPlan): Promise<LastCentFigures> {
  await using upstream = await startMockUpstream();
  const usage = { prompt_tokens: 10, completion_tokens: TOKENS, total_tokens: 10 + TOKENS };
  upstream.script({ reply: answer({ text: 'spent', usage }, 2) });
  await using server = await startExternalServer();
  await using race = await Race.open(upstream.baseUrl, server);
  const random = createSeededRandom(seed);
  const figures: LastCentFigures = { rounds, exact: 0, overspent: 0, served: 0, snipz: 0 };
  for (let round = 1; round <= rounds; round += 1) {
    const affordable = 1 + Math.floor(random() * MOST_AFFORDABLE);
    // A fraction of a request more, which pays for none.
    const limit = COST * BigInt(affordable) + BigInt(Math.floor(random() * 0.9 * Number(COST)));
    const { served, used } = await race.run(
      { limit, kind: KINDS[round % KINDS.length] ?? 'key', stream: round % 2 === 0 },
      GATEWAYS * CLIENTS,
    );
    figures.served += served;
    if (used > limit || used !== COST * BigInt(served)) figures.overspent += 1;
    if (served === affordable) figures.exact += 1;
    if (round % REPORT_EVERY === 0)
      report(`round ${round}/${rounds}: ${figures.exact} exact, ${figures.served} served`);
  }
  figures.snipz = (await race.run({ limit: COST * 50n, kind: 'key' }, SNIPZ_REQUESTS)).served;
  await race.check();
  return figures;
}

class Race implements AsyncDisposable {
  readonly #gateways: readonly Gateway[];
  readonly #stores: Awaited<ReturnType<typeof openStores>>;
  readonly #all: AsyncDisposableStack;

  private constructor(parts: {
    gateways: Gateway[];
    stores: Awaited<ReturnType<typeof openStores>>;
    all: AsyncDisposableStack;
  }) {
    this.#gateways = parts.gateways;
    this.#stores = parts.stores;
    this.#all = parts.all;
  }

  static async open(baseUrl: string, server: ExternalServer): Promise<Race> {
    await using stack = new AsyncDisposableStack();
    const secret = randomBytes(32).toString('hex');
    const folder = stack.use(createTemporaryFolder());
    const config = [
      'providers:',
      '  - id: mock',
      '    format: chat',
      `    baseUrl: ${baseUrl}`,
      '    apiKey: mock-key',
      '    models:',
      `      - { id: plain, contextLength: 100000, maxOutput: 1000, price: ${PRICE} }`,
      '',
    ].join('\n');
    const gateways: Gateway[] = [];
    for (let number = 0; number < GATEWAYS; number += 1) {
      const env = { DATABASE_URL: server.url, SLUICE_SECRET: secret, SLUICE_LEASES: 'on' };
      gateways.push(stack.use(await startGateway({ config, env })));
    }
    const settings = { dataDir: join(folder.path, 'data'), databaseUrl: server.url, secret };
    const stores = stack.use(await openStores(settings, { role: 'command', log: silentLog }));
    return new Race({ gateways, stores, all: stack.move() });
  }

  /** Sends all at once on a fresh key with this limit; streams are billed to their end. */
  async run(
    { limit, kind, stream = false }: { limit: PicoUsd; kind: (typeof KINDS)[number]; stream?: boolean },
    requests: number,
  ): Promise<{ served: number; used: PicoUsd }> {
    const { directory } = this.#stores.accounts;
    const organizationId = this.#gateways[0]?.line.organization_id ?? '';
    const { id: projectId } = await directory.createProject({
      organizationId,
      name: 'last cent',
      ...(kind === 'project' && { limit }),
    });
    const { secret, key } = await directory.createKey({
      projectId,
      label: 'last cent',
      ...(kind === 'key' && { limit }),
    });
    if (kind === 'recurring')
      await directory.updateKey(key.id, { recurringLimit: { amount: limit, period: 'hour' } });
    const send = async (_: unknown, number: number): Promise<number> => {
      const gateway = this.#gateways[number % GATEWAYS] as Gateway;
      const messages = [{ role: 'user', content: 'spend it' }];
      const headers = { authorization: `Bearer ${secret}` };
      const response = await gateway.post(
        '/v1/chat/completions',
        { model: 'plain', max_tokens: TOKENS, stream, messages },
        headers,
      );
      const text = await response.text();
      if (response.status !== 200 && response.status !== 402) throw new Error(`${response.status}: ${text}`);
      return response.status;
    };
    const statuses = await Promise.all(Array.from({ length: requests }, send));
    const { rows } = await this.#stores.database.query<{ used: string }>({
      text: `SELECT used::text FROM meter WHERE kind = 'key' AND subject_id = $1`,
      values: [key.id],
    });
    return {
      served: statuses.filter((status) => status === 200).length,
      used: BigInt(rows[0]?.used ?? '-1'),
    };
  }

  async check(): Promise<void> {
    const differences = await this.#stores.accounts.ledger.check();
    if (differences.length > 0) throw new Error(JSON.stringify(differences.slice(0, 3)));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#all.disposeAsync();
  }
}
