import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { JsonObject } from '#base';
import type { Mapping } from '#catalogue';
import {
  CachedSession,
  createTool,
  findMarkedMapping,
  prose,
  sentenceOf,
  textBlock,
} from '../../../test/support/cached-session.ts';
import type { Turn } from '../../../test/support/caching-provider.ts';
import { readRecordedTurns } from '../../../test/support/recorded-turns.ts';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import { repetitions } from '../../../test/support/repetitions.ts';

const SESSIONS = repetitions(200);
const recorded = readRecordedTurns();

let mapping: Mapping;
before(async () => (mapping = await findMarkedMapping()));

/** A session of a coding agent as clients run it: nothing in it can be cached better. */
class AgentSession {
  readonly main: CachedSession;
  readonly sentences: string[] = [];
  readonly #random: () => number;
  #count = 0;

  constructor(seed: number) {
    this.#random = createSeededRandom(seed);
    this.main = new CachedSession(mapping);
    const tools = this.#pick(0, 80);
    this.main.tools = Array.from({ length: tools }, (_, at) =>
      createTool(`tool_${at}`, prose(`tool ${at}`, 120)),
    );
    this.main.system = [
      textBlock('You are an agent.'),
      textBlock(prose(`rules ${seed}`, this.#pick(5_000, 20_000))),
    ];
    if (seed % 4 === 1) this.main.mark = { type: 'ephemeral', ttl: '1h' };
    if (seed % 4 === 2) this.main.markedTurns = 1;
    if (seed % 8 === 3) {
      this.main.mark = undefined;
      this.main.parameters = { cache_control: { type: 'ephemeral' } };
    }
  }

  run(): void {
    const inputs = this.#pick(2, 12);
    for (let input = 0; input < inputs; input += 1) {
      this.main.turns.push({
        role: 'user',
        content: [textBlock(prose(`input ${input}`, this.#pick(20, 3_000)))],
      });
      if (input === 0) this.#askForTitle();
      this.#answer();
      const calls = this.#pick(0, 4);
      for (let call = 0; call < calls; call += 1) this.#useTool();
      this.#disturb(this.#pick(0, 9));
      this.main.nowMs += this.#pick(1, 250) * 1_000;
    }
  }

  #pick(least: number, most: number): number {
    return least + Math.floor(this.#random() * (most - least + 1));
  }

  #say(): Turn {
    return (
      recorded[this.#pick(0, recorded.length - 1)] ?? {
        text: prose(`answer ${this.#count}`, this.#pick(10, 900)),
      }
    );
  }

  #send(session: CachedSession, what: string): void {
    this.#count += 1;
    const sentence = sentenceOf(session.send());
    if (sentence !== 'none') this.sentences.push(`${what} ${this.#count}: ${sentence}`);
  }

  #answer(): void {
    this.#send(this.main, 'turn');
    const { text, reasoning } = this.#say();
    const thinking: JsonObject[] =
      reasoning === undefined
        ? []
        : [{ type: 'thinking', thinking: reasoning, signature: `sig${this.#count}` }];
    this.main.turns.push({ role: 'assistant', content: [...thinking, textBlock(text)] });
  }

  #useTool(): void {
    const id = `toolu_${this.#count}`;
    const input = { path: `src/file-${this.#count}.ts`, lines: [1, 20] };
    this.main.turns.at(-1)?.content.push({ type: 'tool_use', id, name: 'Read', input });
    const result = prose(`file ${this.#count}`, this.#pick(10, 4_000));
    this.main.turns.push({
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: id, content: result }],
    });
    this.#answer();
  }

  /** What clients do besides: a title, a sub-agent without a name, a summary, a step back, the same again. */
  #disturb(kind: number): void {
    const { main } = this;
    if (kind === 1) this.#startAgent();
    if (kind === 2) this.#send(main, 'again');
    if (kind === 3 && main.turns.length > 6) main.turns.splice(-4);
    if (kind === 4 && main.turns.length > 8) {
      main.turns.push({ role: 'user', content: [textBlock('Summarize this conversation.')] });
      this.#send(main, 'summary');
      main.turns = [{ role: 'user', content: [textBlock(prose(`summary ${this.#count}`, 1_500))] }];
      this.#answer();
    }
  }

  #askForTitle(): void {
    const title = this.#beside();
    title.model = 'haiku';
    title.tools = [];
    title.system = [textBlock('You are an agent.'), textBlock('Name this conversation.')];
    title.mark = undefined;
    title.parameters = {};
    title.turns = this.main.turns.slice(0, 1);
    this.#send(title, 'title');
  }

  #startAgent(): void {
    const agent = this.#beside();
    agent.turns = [
      { role: 'user', content: [textBlock(prose(`task ${this.#count}`, this.#pick(100, 6_000)))] },
    ];
    for (let turn = 0; turn < 3; turn += 1) {
      this.#send(agent, 'agent');
      agent.turns.push({ role: 'assistant', content: [textBlock(this.#say().text)] });
      agent.turns.push({ role: 'user', content: [textBlock(prose(`more ${this.#count}`, 200))] });
    }
    this.main.nowMs = Math.max(this.main.nowMs, agent.nowMs);
  }

  #beside(): CachedSession {
    const { cache, prompts, ...rest } = this.main;
    const session = new CachedSession(mapping, { cache, prompts });
    return Object.assign(session, { ...rest, cache, prompts, turns: [] });
  }
}

test(`no miss is reported in ${SESSIONS} sessions that lose nothing`, () => {
  let [requests, mostBytes] = [0, 0];
  for (let seed = 0; seed < SESSIONS; seed += 1) {
    const session = new AgentSession(seed);
    session.run();
    assert.deepEqual(session.sentences, [], `session ${seed}`);
    requests += session.main.turns.length;
    mostBytes = Math.max(mostBytes, session.main.mostChainBytes);
  }
  assert.ok(requests > 1_000, String(requests));
  assert.ok(mostBytes <= 1_024, `${mostBytes} bytes`);
});
