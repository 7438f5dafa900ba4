import { cpus } from 'node:os';
import type { JsonObject } from '#base';
import { getInboundFormat } from '#wire';
import { hashPrompt } from '../src/pipeline/misses/hash-prompt.ts';
import { type AnsweredRequest, SessionPrompts } from '../src/pipeline/misses/session-prompts.ts';
import {
  CachedSession,
  createTool,
  findMarkedMapping,
  prose,
  textBlock,
} from '../test/support/cached-session.ts';

/**
 * What explaining cache misses costs a request of a session: its prompt is hashed while the provider works on it; what is
 * left at the end, before the answer's last byte, is the comparison with the request before it.
 */
const SLICES = 7;
const SLICE_MS = 150;

/** Tools, their descriptions, turns and their texts, in characters. */
const PROMPTS = [
  { title: '2 KB, 1 turn, 1 tool', tools: 1, description: 200, turns: 1, text: 1_500 },
  { title: '20 KB, 9 turns, 10 tools', tools: 10, description: 500, turns: 9, text: 1_500 },
  { title: '200 KB, 71 turns, 40 tools', tools: 40, description: 1_500, turns: 71, text: 2_000 },
  { title: '1 MB, 501 turns, 80 tools', tools: 80, description: 1_500, turns: 501, text: 1_800 },
] as const;

/** Microseconds of processor time per call: the best of several slices. */
function time(work: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let slice = 0; slice < SLICES; slice += 1) {
    const endsAt = performance.now() + SLICE_MS;
    const before = process.cpuUsage();
    let calls = 0;
    while (calls < 3 || performance.now() < endsAt) {
      for (let once = 0; once < 8; once += 1) work();
      calls += 8;
    }
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / calls);
  }
  return best;
}

const mapping = await findMarkedMapping();

function createPrompt({ tools, description, turns, text }: (typeof PROMPTS)[number]): JsonObject {
  const session = new CachedSession(mapping);
  session.tools = Array.from({ length: tools }, (_, at) =>
    createTool(`tool_${at}`, prose(`tool ${at}`, description / 3.6)),
  );
  session.system = [textBlock(prose('rules', text / 3.6))];
  session.turns = Array.from({ length: turns }, (_, at) =>
    at % 2 === 0
      ? { role: 'user', content: [textBlock(prose(`input ${at}`, text / 3.6))] }
      : {
          role: 'assistant',
          content: [
            {
              type: 'tool_use',
              id: `t${at}`,
              name: 'tool_0',
              input: { path: prose(`call ${at}`, text / 3.6) },
            },
          ],
        },
  );
  return session.body;
}

const decode = (body: JsonObject) => getInboundFormat('messages').decodeRequest(body, {});

function measure(plan: (typeof PROMPTS)[number]): string[] {
  const text = JSON.stringify(createPrompt(plan));
  // Decoded again, as every request is: what was hashed before is flat and known to the engine.
  const fresh = Array.from({ length: 64 }, () => decode(JSON.parse(text) as JsonObject));
  let next = 0;
  const hashing = time(() => hashPrompt(fresh[(next += 1) % fresh.length] ?? decode({})));
  const prompt = hashPrompt(decode(JSON.parse(text) as JsonObject));
  const cache = new CachedSession(mapping).cache;
  const asked = { provider: 'p', model: 'm', credential: '', nowMs: 0, leastTokens: 0 };
  const [, usage] = [0, 1].map(() => cache.use(JSON.parse(text) as JsonObject, asked));
  const prompts = new SessionPrompts();
  const place = { modelId: 'm', providerId: 'p', externalId: 'm', credential: '', hasSetMarks: false };
  const common = { ...place, mapping, usage, prompt };
  let now = 0;
  const explaining = time(() => {
    now += 1_000;
    const times = { session: `org s${now % 64}`, startedAt: now, answeredAt: now, ttlMinutes: 5 };
    return prompts.explain({ ...common, ...times, costOf: () => 0n } as AnsweredRequest);
  });
  const bytes = Buffer.from(prompt.stored, 'base64').length;
  return [plan.title, String(text.length), hashing.toFixed(1), explaining.toFixed(2), String(bytes)];
}

const rows = [['prompt', 'bytes', 'hash µs', 'at the end µs', 'row bytes'], ...PROMPTS.map(measure)];
for (const row of rows)
  console.log(row.map((cell, at) => (at === 0 ? cell.padEnd(28) : cell.padStart(14))).join(''));
console.log(`\n${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`);
