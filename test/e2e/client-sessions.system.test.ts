import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { formatUsd, isJsonObject, parseUsd } from '#base';
import { drawTerminal } from '../../build/terminal-picture.ts';
import {
  type SessionAgent,
  type SessionSums,
  createClientTests,
  listTokens,
  listTurns,
  readNumbers,
  showSession,
  sumBills,
} from '../support/client-sessions.ts';
import { CODING_CLIENTS, type ScriptedCall } from '../support/coding-clients.ts';
import { runCommand } from '../support/command-line.ts';
import type { Gateway } from '../support/gateway.ts';
import {
  type AnsweredRequest,
  type ScriptedStep,
  createBill,
  scriptAgents,
} from '../support/scripted-agents.ts';

const { claudeCode, codex, opencode, geminiCli } = CODING_CLIENTS;
const testClient = createClientTests();

/** A step whose bill is the one of this number. */
function step(number: number, text: string, ...toolCalls: ScriptedCall[]): ScriptedStep {
  return { answer: { text, ...(toolCalls.length > 0 && { toolCalls }) }, bill: createBill(number) };
}

/** A call of Claude Code's tool that starts a sub-agent and waits for it. */
function startAgent(word: string, model?: string): ScriptedCall {
  const task = { description: word, prompt: `${word}: do your part`, subagent_type: 'general-purpose' };
  const input = { ...task, run_in_background: false, ...(model !== undefined && { model }) };
  return { id: `toolu_${word}`, name: 'Agent', input };
}

const NESTED_AGENTS = [
  {
    word: 'coordinator',
    steps: [
      step(1, 'Two.', startAgent('surveyor'), startAgent('proofreader', 'haiku')),
      step(2, 'All is done.'),
    ],
  },
  { word: 'surveyor', steps: [step(3, 'One more.', startAgent('measurer')), step(4, 'Surveyed.')] },
  { word: 'measurer', steps: [step(5, 'Measured.')] },
  { word: 'proofreader', steps: [step(6, 'Read.')] },
];

testClient(
  claudeCode,
  'its own `opus` and `haiku` are served, and the cost it reports of nested sub-agents is that of `sessions show`, to the last digit',
  async ({ upstream, gateway, start }) => {
    const answered = scriptAgents(upstream, NESTED_AGENTS);
    const ran = await start({
      prompt: 'coordinator: begin',
      args: (prompt) => [
        '--model',
        'opus',
        '-p',
        prompt,
        '--output-format',
        'json',
        '--allowedTools',
        'Agent',
      ],
    });
    const result = ran.lines.find(({ type }) => type === 'result') ?? {};
    const session = await showSession(gateway, result['session_id']);
    assert.equal(session.client_name, 'claude-code');
    assertSameCost(result['total_cost_usd'], session.cost, ran.text);
    await assertSameModels(gateway, session.id, result['modelUsage']);
    assert.deepEqual(nameAgents(session.main, answered), {
      word: 'coordinator',
      parent: undefined,
      turns: listBills(1, 2),
      agents: [
        { word: 'proofreader', parent: undefined, turns: listBills(6), agents: [] },
        {
          word: 'surveyor',
          parent: undefined,
          turns: listBills(3, 4),
          agents: [{ word: 'measurer', parent: 'surveyor', turns: listBills(5), agents: [] }],
        },
      ],
    });
    await takePicture(gateway, session.id);
  },
);

/** The client adds doubles, such as 0.0014399999999999999 for 0.00144: rounded to pico-USD, our unit, its sum is exact. */
function assertSameCost(reported: unknown, cost: string, what: string): void {
  assert.ok(typeof reported === 'number' && reported > 0, what);
  assert.equal(formatUsd(parseUsd(reported.toFixed(12)) ?? 0n), cost, what);
}

/** What it reports by model is what `usage` sums up. */
async function assertSameModels(gateway: Gateway, session: string, reported: unknown): Promise<void> {
  const { data } = await gateway.run('usage', '--by', 'model', '--session', session, '--since', '1d');
  const lines = data as { group: { model: string }; cost: string }[];
  assert.ok(isJsonObject(reported));
  const models = lines.map(({ group }) => group.model).sort();
  assert.match(models.join(' '), /^claude-haiku-\S+ claude-opus-\S+$/);
  assert.deepEqual(Object.keys(reported).sort(), models);
  for (const { group, cost } of lines) {
    const usage = reported[group.model];
    assertSameCost(isJsonObject(usage) && usage['costUSD'], cost, group.model);
  }
}

function listBills(...numbers: number[]): number[][] {
  return numbers.map((number) => sumBills([createBill(number)], true));
}

interface NamedAgent {
  word: string;
  parent: string | undefined;
  turns: unknown;
  agents: NamedAgent[];
}

/** The tree with the words of the agents, which the provider saw, in place of their ids. */
function nameAgents(main: SessionAgent, answered: readonly AnsweredRequest[]): object {
  const words = new Map(answered.map(({ word, headers }) => [headers['x-claude-code-agent-id'], word]));
  const name = (agent: SessionAgent): NamedAgent => ({
    word: words.get(agent.id ?? undefined) ?? `agent ${agent.id}`,
    parent: agent.parent_agent_id === null ? undefined : words.get(agent.parent_agent_id),
    turns: listTurns(agent, true),
    agents: agent.agents.map(name).toSorted((a, b) => a.word.localeCompare(b.word)),
  });
  return name(main);
}

/** For docs/: SESSION_PICTURE names the file. */
async function takePicture(gateway: Gateway, session: string): Promise<void> {
  const path = process.env['SESSION_PICTURE'];
  if (path === undefined) return;
  const { code, stdout } = await runCommand(['sessions', 'show', session, '--data-dir', gateway.dataDir]);
  assert.equal(code, 0);
  writeFileSync(path, drawTerminal(`npx sluice sessions show ${session}`, stdout));
}

testClient(
  codex,
  'the tokens it reports after each turn are the sums of its session, which has both turns',
  async ({ upstream, gateway, source, start }) => {
    const steps = [step(1, 'Reading.', codex.read(source)), step(2, '42.'), step(3, 'Still 42.')];
    scriptAgents(upstream, [{ word: 'reader', steps }]);
    const task = { model: 'gpt-6-sol', prompt: 'reader: what is the answer?' };
    const first = await start(task);
    const thread = first.lines.find(({ type }) => type === 'thread.started')?.['thread_id'];
    assert.ok(typeof thread === 'string', first.text);
    const second = await start({
      ...task,
      args: (prompt) => [...codex.args('resume'), thread, prompt],
    });
    const [afterFirst, afterSecond] = [first, second].map(({ lines }) => {
      const usage = lines.findLast(({ type }) => type === 'turn.completed')?.['usage'];
      const members = ['input_tokens', 'cached_input_tokens', 'output_tokens', 'reasoning_output_tokens'];
      return readNumbers(usage, members);
    });
    const session = await showSession(gateway, thread);
    assert.equal(session.client_name, 'codex');
    const { turns } = session.main;
    assert.deepEqual(
      turns.map(({ requests }) => requests),
      [2, 1],
    );
    assert.equal(new Set(turns.map((turn) => turn.id)).size, 2);
    assert.deepEqual(afterFirst, listReported(turns[0]), 'after the first turn');
    assert.deepEqual(afterSecond, listReported(session), 'of the session');
    assert.deepEqual(listTokens(session), sumBills([1, 2, 3].map(createBill)));
  },
);

testClient(
  codex,
  'its own model reads a file by code, which it offers as an item of the conversation',
  async ({ upstream, source, start }) => {
    const code = `text(await tools.exec_command({ cmd: 'cat ${source}' }));`;
    const read = { id: 'call_code', name: 'exec', input: {}, code };
    scriptAgents(upstream, [{ word: 'reader', steps: [step(1, 'Reading.', read), step(2, '42.')] }]);
    await start({ model: 'gpt-6.1-sol', prompt: 'reader: what is the answer?' });
    const [first, second] = upstream.find('reader: what');
    assert.match(JSON.stringify(first?.body['input']), /"additional_tools"/);
    assert.match(JSON.stringify(second?.body['input']), /"custom_tool_call_output".*the answer is 42/);
  },
);

testClient(
  geminiCli,
  'the tokens it reports are the sums of the session that its headers name',
  async ({ upstream, gateway, source, start }) => {
    const steps = [step(1, 'Reading.', geminiCli.read(source)), step(2, '42.')];
    scriptAgents(upstream, [{ word: 'reader', steps }]);
    const ran = await start({
      model: 'gemini-3-flash-preview',
      prompt: 'reader: what is the answer?',
      env: { GEMINI_CLI_CUSTOM_HEADERS: 'x-gateway-session: gemini-session' },
    });
    const stats = ran.lines.findLast(({ type }) => type === 'result')?.['stats'];
    const members = ['input_tokens', 'cached', 'output_tokens', 'total_tokens'];
    const [input = 0, cached, answerTokens = 0, total = 0] = readNumbers(stats, members);
    const session = await showSession(gateway, 'gemini-session');
    assert.equal(session.client_name, 'gemini-cli');
    // Its output is without reasoning, which only the total has.
    const reasoning = total - input - answerTokens;
    assert.deepEqual([input, cached, answerTokens + reasoning, reasoning], listReported(session));
    assert.deepEqual(
      listTurns(session.main),
      [1, 2].map((number) => sumBills([createBill(number)])),
    );
  },
);

testClient(
  opencode,
  'the tokens it reports of each step are those of a turn of its session',
  async ({ upstream, gateway, source, start }) => {
    const steps = [step(1, 'Reading.', opencode.read(source)), step(2, '42.')];
    scriptAgents(upstream, [{ word: 'reader', steps }]);
    const ran = await start({ model: 'gpt-6-sol', prompt: 'reader: what is the answer?' });
    const finished = ran.lines.filter(({ type }) => type === 'step_finish');
    const session = await showSession(gateway, finished[0]?.['sessionID']);
    assert.equal(session.client_name, 'opencode');
    const reported = finished.map(({ part }) => {
      const tokens = isJsonObject(part) && isJsonObject(part['tokens']) ? part['tokens'] : {};
      const [fresh = NaN, output = NaN, reasoning = NaN] = readNumbers(tokens, [
        'input',
        'output',
        'reasoning',
      ]);
      const [cached = NaN] = readNumbers(tokens['cache'], ['read']);
      return [fresh, cached, 0, output + reasoning, reasoning];
    });
    assert.deepEqual(reported, listTurns(session.main));
    assert.deepEqual(
      reported,
      [1, 2].map((number) => sumBills([createBill(number)])),
    );
  },
);

/** Tokens as most clients report them: the input with cached tokens, the output with reasoning. */
function listReported(sums: SessionSums | undefined): number[] {
  return readNumbers(sums, ['input_tokens', 'cached_tokens', 'output_tokens', 'reasoning_tokens']);
}
