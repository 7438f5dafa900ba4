import { globSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { InProcessGateway } from './in-process.ts';
import type { MockUpstream } from './mock-upstream.ts';
import { CachingProvider, type Turn } from './caching-provider.ts';
import { readRecordedTurns } from './recorded-turns.ts';
import { createSeededRandom } from './seeded-random.ts';

/** Opus at list price, per million tokens. */
export const OPUS = `price: { input: "5", output: "25", cacheRead: "0.5", cacheWrite5m: "6.25", cacheWrite1h: "10" }, contextLength: 200000, maxOutput: 64000`;

const USD = 1_000_000_000_000n;
const MOST_TURNS = 400;
const CONTEXT_BYTES = 500_000;

/** An agent's session until its budget ends. */
export interface AgentSession {
  budget: bigint;
  spent: bigint;
  /** Complete answers, and the one the budget ended early. */
  answers: number;
  /** Whether a request was refused, or the last answer was ended at a limit. */
  isRefused: boolean;
  endedInAnswer: boolean;
  /** What would have been spent when the first request was refused, had each held its worst case. */
  spentAtWorstCase: bigint;
}

/** The texts of this repository, which agents read and write like any other code. */
function readCorpus(): string {
  const paths = globSync(['src/**/*.ts', 'docs/*.md'], {
    cwd: new URL('../..', import.meta.url).pathname,
  }).sort();
  return paths.map((path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')).join('\n');
}

const corpus = readCorpus();
const recorded = readRecordedTurns();

interface Plan {
  seed: number;
  gateway: InProcessGateway;
  upstream: MockUpstream;
  model: string;
}

/**
 * Runs an agent with prompts of chance sizes until it is refused or cut short; its model says what models said in recorded
 * answers, or texts of chance sizes where there are no recordings.
 */
export async function runAgentSession({ seed, gateway, upstream, model }: Plan): Promise<AgentSession> {
  const random = createSeededRandom(seed);
  const pick = (least: number, most: number): number => least + Math.floor(random() ** 2 * (most - least));
  const slice = (length: number): string => {
    const at = Math.floor(random() * (corpus.length - length));
    return corpus.slice(at, at + length);
  };
  const budget = (USD * BigInt(pick(50, 500))) / 100n;
  const { apiKey, keyId } = await gateway.createAccount({ limit: budget });
  const marker = `session ${seed}`;
  const provider = new CachingProvider();
  const mark = { type: 'ephemeral' };
  const say = (): Turn =>
    recorded[Math.floor(random() * recorded.length)] ?? { text: slice(pick(200, 8_000)) };
  upstream.script({ match: { marker }, reply: provider.reply(say) });
  const system = [{ type: 'text', text: `${marker}\n${slice(pick(20_000, 90_000))}`, cache_control: mark }];
  const messages: object[] = [];
  const session: AgentSession = {
    budget,
    spent: 0n,
    answers: 0,
    isRefused: false,
    endedInAnswer: false,
    spentAtWorstCase: 0n,
  };
  let isRefusedAtWorstCase = false;
  while (session.answers < MOST_TURNS) {
    const content = [{ type: 'text', text: slice(pick(200, 12_000)), cache_control: mark }];
    const body = {
      model,
      max_tokens: 64_000,
      stream: true,
      system,
      messages: [...messages, { role: 'user', content }],
    };
    const bytes = JSON.stringify(body).length;
    if (!isRefusedAtWorstCase) {
      isRefusedAtWorstCase = session.spent + worstCase(bytes) > budget;
      session.spentAtWorstCase = session.spent;
    }
    const response = await ask(gateway, body, apiKey);
    const text = await response.text();
    upstream.forget();
    session.isRefused = response.status === 402;
    if (session.isRefused) break;
    if (response.status !== 200) throw new Error(`seed ${seed}: ${response.status} ${text.slice(0, 300)}`);
    session.answers += 1;
    session.spent = await readUsed(gateway, keyId);
    session.endedInAnswer = text.includes('"stop_reason":"max_tokens"');
    if (session.endedInAnswer) break;
    messages.push({ role: 'user', content: [{ type: 'text', text: content[0]?.text }] });
    messages.push({ role: 'assistant', content: readText(text) });
    if (bytes > CONTEXT_BYTES) messages.length = 0; // agents start over near the end of their context
  }
  return session;
}

/** Retries while the database of a busy machine is slow, as agents do. */
async function ask(gateway: InProcessGateway, body: object, apiKey: string): Promise<Response> {
  for (;;) {
    const response = await gateway.post('/v1/messages', body, { authorization: `Bearer ${apiKey}` });
    if (response.status !== 503) return response;
    await response.text();
    await sleep(Number(response.headers.get('retry-after')) * 1_000);
  }
}

/** Every byte at the price of a cache write for an hour, within the context, and 64,000 tokens of output. */
function worstCase(bytes: number): bigint {
  return BigInt(Math.min(bytes + 64, 200_000)) * 10_000_000n + 64_000n * 25_000_000n;
}

async function readUsed(gateway: InProcessGateway, keyId: string): Promise<bigint> {
  const { rows } = await gateway.database.query<{ used: string }>({
    text: `SELECT used::text FROM meter WHERE kind = 'key' AND subject_id = $1`,
    values: [keyId],
  });
  return BigInt(rows[0]?.used ?? '0');
}

function readText(stream: string): string {
  return [...stream.matchAll(/"text_delta","text":("(?:[^"\\]|\\.)*")/g)]
    .map(([, text = '""']) => JSON.parse(text) as string)
    .join('');
}
