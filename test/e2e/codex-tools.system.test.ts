import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { after, before, describe, test } from 'node:test';
import {
  CODING_CLIENTS,
  type ScriptedCall,
  describeMissing,
  findClientFolder,
  runCodingClient,
} from '../support/coding-clients.ts';
import { type Gateway, createProviderConfig, startGateway } from '../support/gateway.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { listSentToolNames } from '../support/sent-tool-names.ts';
import { type TemporaryFolder, createTemporaryFolder } from '../support/temporary.ts';
import { answer, sequence } from '../support/upstream-replies.ts';

const TIMEOUT_MS = 300_000;
const { codex } = CODING_CLIENTS;
const binFolder = findClientFolder(codex);
const skip = binFolder === undefined && describeMissing(codex);

/** An MCP server with one tool. */
const MCP_SERVER = `
const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', ...message }) + '\\n');
const inputSchema = { type: 'object', properties: { city: { type: 'string' } } };
const ANSWERS = {
  initialize: ({ protocolVersion }) =>
    ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'weather', version: '1' } }),
  'tools/list': () => ({ tools: [{ name: 'lookup', description: 'Looks the weather up.', inputSchema }] }),
  'tools/call': ({ arguments: { city } }) => ({ content: [{ type: 'text', text: 'sunny in ' + city }] }),
};
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) send({ id, result: ANSWERS[method]?.(params) ?? {} });
});
`;

describe('Codex, with its own model at a provider of another format', { skip }, () => {
  let upstream: MockUpstream;
  let folder: TemporaryFolder;

  before(async () => {
    upstream = await startMockUpstream();
    folder = createTemporaryFolder('sluice-codex-tools-');
  });

  after(async () => {
    await upstream.close();
    folder.remove();
  });

  for (const format of ['chat', 'messages'] as const)
    test(`reads a file by code through ${format}, and ends`, { timeout: TIMEOUT_MS }, async () => {
      await using gateway = await open(format);
      const source = folder.write(`${format}/source.txt`, 'the answer is 42\n');
      const input = { input: `text(await tools.exec_command({ cmd: 'cat ${source}' }));` };
      const call: ScriptedCall = { id: 'call_code', name: 'functions__exec', input };
      upstream.clear();
      upstream.script({ reply: answer({ text: 'side question' }) });
      upstream.script({
        match: ({ rawBody }) => rawBody.includes('What is the answer?'),
        reply: sequence(
          answer({ text: 'Reading.', toolCalls: [call] }),
          answer({ text: 'It is 42.', chunks: 1 }),
        ),
      });
      const ran = await runCodingClient({
        client: codex,
        folder: binFolder ?? '',
        gateway,
        model: 'gpt-6.1-sol',
        prompt: 'What is the answer?',
        home: folder.path,
        workingDirectory: dirname(source),
      });
      assert.equal(ran.code, 0, ran.text);
      assert.match(ran.text, /It is 42\./);
      const [first, second] = upstream.find('What is the answer?');
      const names = listSentToolNames(format, first?.body ?? {});
      assert.ok(names.includes('functions__exec') && names.includes('collaboration__spawn_agent'), ran.text);
      assert.match(JSON.stringify(second?.body['messages']), /call_code.*the answer is 42/, ran.text);
    });

  test('finds a tool of an MCP server by its search, and calls it', { timeout: TIMEOUT_MS }, async () => {
    await using gateway = await open('chat', 'gpt-5.5');
    const script = folder.write('mcp/server.cjs', MCP_SERVER);
    const search: ScriptedCall = { id: 'call_search', name: 'tool_search', input: { query: 'weather' } };
    const lookup: ScriptedCall = { id: 'call_lookup', name: 'mcp__weather__lookup', input: { city: 'Rome' } };
    upstream.clear();
    upstream.script({ reply: answer({ text: 'side question' }) });
    upstream.script({
      match: ({ rawBody }) => rawBody.includes('How is the weather?'),
      reply: sequence(
        answer({ text: 'Searching.', toolCalls: [search] }),
        answer({ text: 'Looking.', toolCalls: [lookup] }),
        answer({ text: 'It is sunny.', chunks: 1 }),
      ),
    });
    const server = `mcp_servers.weather={command="${process.execPath}",args=["${script}"]}`;
    const ran = await runCodingClient({
      client: codex,
      folder: binFolder ?? '',
      gateway,
      model: 'gpt-5.5',
      args: withServer(server),
      prompt: 'How is the weather?',
      home: folder.path,
      workingDirectory: dirname(script),
    });
    assert.equal(ran.code, 0, ran.text);
    assert.match(ran.text, /It is sunny\./);
    const [, second, third] = upstream.find('How is the weather?').map(({ body }) => body);
    assert.ok(listSentToolNames('chat', second ?? {}).includes('mcp__weather__lookup'), ran.text);
    assert.match(JSON.stringify(second?.['messages']), /call_search.*mcp__weather__lookup/, ran.text);
    assert.match(JSON.stringify(third?.['messages']), /call_lookup.*sunny in Rome/, ran.text);
  });

  function open(format: 'chat' | 'messages', model = 'gpt-6.1-sol'): Promise<Gateway> {
    return startGateway({
      config: createProviderConfig(upstream.baseUrl, { id: 'other', format, models: [model] }),
    });
  }
});

/** The arguments of Codex with one more setting. */
function withServer(setting: string): (prompt: string) => string[] {
  return (prompt) => codex.args(prompt).flatMap((arg) => (arg === 'exec' ? [arg, '-c', setting] : [arg]));
}
