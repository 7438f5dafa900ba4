import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { JsonObject } from '#base';
import { type Gateway, createProviderConfig, startGateway } from '../support/gateway.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { type TemporaryFolder, createTemporaryFolder } from '../support/temporary.ts';
import { answer, sequence } from '../support/upstream-replies.ts';

/** `CLAUDE_BIN` names the binary where it is not on the path. */
function findClaude(): string | undefined {
  const named = process.env['CLAUDE_BIN'];
  if (named !== undefined) return existsSync(named) ? named : undefined;
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, 'claude'))
    .find((path) => existsSync(path));
}

const claude = findClaude();
const skip =
  claude === undefined &&
  'Claude Code is not installed (npm i -g @anthropic-ai/claude-code, or set CLAUDE_BIN)';
const TIMEOUT_MS = 100_000;

describe('Claude Code, headless, does a task of two tools', { skip }, () => {
  let upstream: MockUpstream;
  let gateway: Gateway;
  let folder: TemporaryFolder;

  before(async () => {
    const { status } = spawnSync(claude ?? '', ['--version']);
    assert.equal(status, 0, 'claude --version');
    upstream = await startMockUpstream();
    folder = createTemporaryFolder('sluice-claude-');
    const providers = [
      { id: 'talker', format: 'chat' as const, models: ['chat-model'] },
      { id: 'writer', format: 'messages' as const, models: ['messages-model'] },
    ] as const;
    gateway = await startGateway({ config: createProviderConfig(upstream.baseUrl, ...providers) });
  });

  after(async () => {
    await gateway[Symbol.asyncDispose]();
    await upstream.close();
    folder.remove();
  });

  for (const model of ['chat-model', 'messages-model']) {
    test(
      `reads a file and writes another through ${model}, and its cost is in the log`,
      { timeout: TIMEOUT_MS },
      async () => {
        const source = folder.write(`${model}/source.txt`, 'the answer is 42\n');
        const target = join(folder.path, model, 'target.txt');
        upstream.clear();
        upstream.script({ reply: answer({ text: 'side question' }) });
        upstream.script({
          match: (truth) =>
            truth.rawBody.includes('Copy the answer') &&
            JSON.stringify(truth.body['tools'] ?? '').includes('Write'),
          reply: sequence(
            answer({
              text: 'Reading.',
              toolCalls: [{ id: 'toolu_read', name: 'Read', input: { file_path: source } }],
            }),
            answer({
              text: 'Writing.',
              toolCalls: [
                { id: 'toolu_write', name: 'Write', input: { file_path: target, content: '42\n' } },
              ],
            }),
            answer({ text: 'Copied 42.' }),
          ),
        });
        const { code, stdout, stderr } = await runClaude(model, `Copy the answer in ${source} to ${target}`);
        assert.equal(code, 0, `${stderr}\n${stdout}`);
        assert.equal(readFileSync(target, 'utf8'), '42\n');
        const result = stdout
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as JsonObject)
          .at(-1);
        assert.equal(result?.['type'], 'result');
        assert.equal(result['result'], 'Copied 42.');
        const sent = upstream.truths
          .map((truth) => truth.rawBody)
          .find((body) => body.includes('the answer is 42'));
        assert.ok(sent, 'the file’s content reached the provider as a tool result');
        const { json, stdout: logs } = await gateway.cli('logs', '--model', model);
        const rows = (json?.['data'] ?? JSON.parse(logs)) as { customer: string }[];
        const paid = rows.filter((row) => BigInt(row.customer) > 0n);
        assert.ok(paid.length >= 3, 'three turns, each with its cost');
      },
    );
  }

  async function runClaude(model: string, prompt: string) {
    const child = spawn(
      claude ?? '',
      [
        '-p',
        prompt,
        '--model',
        model,
        '--output-format',
        'stream-json',
        '--verbose',
        '--allowedTools',
        'Read,Write',
      ],
      {
        cwd: join(folder.path, model),
        env: {
          PATH: process.env['PATH'],
          HOME: folder.path,
          CLAUDE_CONFIG_DIR: join(folder.path, 'claude-config'),
          ANTHROPIC_BASE_URL: gateway.url,
          ANTHROPIC_AUTH_TOKEN: gateway.apiKey,
          ANTHROPIC_SMALL_FAST_MODEL: model,
          ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
          CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
          DISABLE_TELEMETRY: '1',
          DISABLE_ERROR_REPORTING: '1',
          DISABLE_AUTOUPDATER: '1',
          CLAUDE_CODE_MAX_RETRIES: '0',
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    );
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
    child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
    await once(child, 'close');
    return { code: child.exitCode, stdout, stderr };
  }
});
