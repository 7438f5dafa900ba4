import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { JsonObject } from '#base';
import {
  type ClientRun,
  type CodingClient,
  describeMissing,
  findClientFolder,
  runCodingClient,
} from './coding-clients.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { type MockUpstream, startMockUpstream } from './mock-upstream.ts';
import { type Bill, SIDE_BILL } from './scripted-agents.ts';
import { type TemporaryFolder, createTemporaryFolder } from './temporary.ts';

const TIMEOUT_MS = 300_000;

/** What a test of a client uses. */
interface ClientUse {
  upstream: MockUpstream;
  gateway: Gateway;
  /** A file that the client can read. */
  source: string;
  /** Runs the client to its end, which must be a success. */
  start(task: Task): Promise<ClientRun>;
}

type Task = Omit<Parameters<typeof runCodingClient>[0], keyof Fixed>;

interface Fixed {
  client: unknown;
  folder: unknown;
  gateway: unknown;
  home: unknown;
  workingDirectory: unknown;
}

interface Parts {
  upstream: MockUpstream;
  gateway: Gateway;
  folder: TemporaryFolder;
}

type TestClient = (client: CodingClient, title: string, run: (use: ClientUse) => Promise<void>) => void;

/** Tests of clients that share a gateway with the catalogue's list prices; those of absent clients are skipped. */
export function createClientTests(): TestClient {
  let opened: Promise<Parts> | undefined;
  after(async () => {
    if (!opened) return;
    const { upstream, gateway, folder } = await opened;
    await gateway[Symbol.asyncDispose]();
    await upstream.close();
    folder.remove();
  });
  return (client, title, run) => {
    const binFolder = findClientFolder(client);
    const skip = binFolder === undefined && describeMissing(client);
    test(`${client.title}: ${title}`, { skip, timeout: TIMEOUT_MS }, async () => {
      const { upstream, gateway, folder } = await (opened ??= open());
      const home = `${folder.path}/${client.name}`;
      const source = folder.write(`${client.name}/source.txt`, 'the answer is 42\n');
      const fixed = { client, folder: binFolder ?? '', gateway, home, workingDirectory: home };
      await run({ upstream, gateway, source, start: async (task) => runToSuccess({ ...fixed, ...task }) });
    });
  };
}

async function runToSuccess(task: Parameters<typeof runCodingClient>[0]): Promise<ClientRun> {
  const ran = await runCodingClient(task);
  assert.equal(ran.code, 0, ran.text);
  return ran;
}

async function open(): Promise<Parts> {
  const upstream = await startMockUpstream();
  const { baseUrl } = upstream;
  const providers = Object.entries({ anthropic: baseUrl, openai: baseUrl, google: `${baseUrl}beta` });
  const lines = providers.map(([id, url]) => `  - { id: ${id}, apiKey: mock-key, baseUrl: "${url}" }`);
  const gateway = await startGateway({ config: ['providers:', ...lines, ''].join('\n') });
  return { upstream, gateway, folder: createTemporaryFolder('sluice-client-sessions-') };
}

/** Sums in the JSON of `sessions show`. */
export interface SessionSums {
  cost: string;
  input_tokens: number;
  fresh_tokens: number;
  cached_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
}

export interface SessionAgent {
  id: string | null;
  parent_agent_id: string | null;
  turns: (SessionSums & { id: string | null; requests: number })[];
  agents: SessionAgent[];
}

type Session = SessionSums & { id: string; client_name: string; main: SessionAgent };

export async function showSession(gateway: Gateway, id: unknown): Promise<Session> {
  assert.ok(typeof id === 'string', 'the client reports its session');
  return (await gateway.run('sessions', 'show', id)) as unknown as Session;
}

/** The tokens of a turn or session, as in the columns of `sessions show`. */
export function listTokens(sums: SessionSums): number[] {
  return [
    sums.fresh_tokens,
    sums.cached_tokens,
    sums.cache_write_tokens,
    sums.output_tokens,
    sums.reasoning_tokens,
  ];
}

/** The same of bills. */
export function sumBills(bills: readonly Bill[], hasWrites = false): number[] {
  const sum = (tokensOf: (bill: Bill) => number): number =>
    bills.reduce((total, bill) => total + tokensOf(bill), 0);
  return [
    sum(({ fresh }) => fresh),
    sum(({ cached }) => cached),
    hasWrites ? sum(({ written5m, written1h }) => written5m + written1h) : 0,
    sum(({ output }) => output),
    hasWrites ? 0 : sum(({ reasoning }) => reasoning),
  ];
}

/** The turns of an agent, without requests for titles and the like, which differ from version to version. */
export function listTurns({ turns }: SessionAgent, hasWrites = false): number[][] {
  const side = String(sumBills([SIDE_BILL], hasWrites));
  return turns.map(listTokens).filter((tokens) => String(tokens) !== side);
}

/** The parts of a line as numbers. */
export function readNumbers(object: unknown, names: readonly string[]): number[] {
  const members = (object ?? {}) as JsonObject;
  return names.map((name) => Number(members[name] ?? NaN));
}
