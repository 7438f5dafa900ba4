import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { type JsonObject, isJsonObject, parseJsonObject } from '#base';
import type { Gateway } from './gateway.ts';
import { getProgram } from './built-program.ts';
import { own } from './owned.ts';

/** One call of a tool by the model. */
export interface ScriptedCall {
  id: string;
  name: string;
  input: JsonObject;
  /** The text of a custom tool of Responses, instead of `input`. */
  code?: string;
}

/** A coding agent, and how to run it unattended. */
export interface CodingClient {
  /** Name of its binary and of our command. */
  name: string;
  title: string;
  /** The variable that names the binary if it is not on the path. */
  variable: string;
  /** Its npm package. */
  package: string;
  args(prompt: string): string[];
  /** Its own variables, for an empty home. */
  environment(home: string): Record<string, string>;
  /** Files that its home must have, by path. */
  homeFiles?: Readonly<Record<string, string>>;
  read(source: string): ScriptedCall;
  write(target: string, content: string): ScriptedCall;
  /** Tokens it reports as used, from the JSON lines it printed. */
  usageOf(lines: readonly JsonObject[]): { input: number; output: number };
}

const claudeCode: CodingClient = {
  name: 'claude',
  title: 'Claude Code',
  variable: 'CLAUDE_BIN',
  package: '@anthropic-ai/claude-code',
  args: (prompt) => [
    '-p',
    prompt,
    '--output-format',
    'stream-json',
    '--verbose',
    '--allowedTools',
    'Read,Write',
  ],
  environment: (home) => ({
    CLAUDE_CONFIG_DIR: join(home, 'claude-config'),
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_TELEMETRY: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_MAX_RETRIES: '0',
  }),
  read: (source) => ({ id: 'toolu_read', name: 'Read', input: { file_path: source } }),
  write: (target, content) => ({ id: 'toolu_write', name: 'Write', input: { file_path: target, content } }),
  usageOf: (lines) => {
    const usage = lines.findLast(({ type }) => type === 'result')?.['usage'];
    return readUsage(usage, 'input_tokens', 'output_tokens');
  },
};

const codex: CodingClient = {
  name: 'codex',
  title: 'Codex',
  variable: 'CODEX_BIN',
  package: '@openai/codex',
  args: (prompt) => [
    'exec',
    '--json',
    '--skip-git-repo-check',
    '--dangerously-bypass-approvals-and-sandbox',
    prompt,
  ],
  environment: () => ({}),
  read: (source) => ({ id: 'call_read', name: 'exec_command', input: { cmd: `cat ${source}` } }),
  write: (target, content) => ({
    id: 'call_write',
    name: 'exec_command',
    input: { cmd: `printf '%s' '${content}' > ${target}` },
  }),
  usageOf: (lines) => {
    const usage = lines.findLast(({ type }) => type === 'turn.completed')?.['usage'];
    return readUsage(usage, 'input_tokens', 'output_tokens');
  },
};

const opencode: CodingClient = {
  name: 'opencode',
  title: 'opencode',
  variable: 'OPENCODE_BIN',
  package: 'opencode-ai',
  args: (prompt) => ['run', '--format', 'json', prompt],
  environment: () => ({ OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_MODELS_FETCH: '1' }),
  read: (source) => ({ id: 'call_read', name: 'read', input: { filePath: source } }),
  write: (target, content) => ({ id: 'call_write', name: 'write', input: { filePath: target, content } }),
  usageOf: (lines) => {
    const part = lines.findLast(({ type }) => type === 'step_finish')?.['part'];
    return readUsage(isJsonObject(part) ? part['tokens'] : undefined, 'input', 'output');
  },
};

const geminiCli: CodingClient = {
  name: 'gemini',
  title: 'Gemini CLI',
  variable: 'GEMINI_BIN',
  package: '@google/gemini-cli',
  args: (prompt) => ['--skip-trust', '--yolo', '--output-format', 'stream-json', '-p', prompt],
  environment: () => ({}),
  // The file of `--run` is read only if root owns its folders (docs/clients/gemini-cli.md).
  homeFiles: {
    '.gemini/settings.json': '{ "security": { "auth": { "selectedType": "gemini-api-key" } } }',
  },
  read: (source) => ({ id: 'call_read', name: 'read_file', input: { file_path: source } }),
  write: (target, content) => ({
    id: 'call_write',
    name: 'write_file',
    input: { file_path: target, content },
  }),
  usageOf: (lines) => {
    const stats = lines.findLast(({ type }) => type === 'result')?.['stats'];
    return readUsage(stats, 'input_tokens', 'output_tokens');
  },
};

export const CODING_CLIENTS = { claudeCode, codex, opencode, geminiCli } as const;

function readUsage(usage: unknown, input: string, output: string): { input: number; output: number } {
  if (!isJsonObject(usage)) return { input: 0, output: 0 };
  return { input: Number(usage[input] ?? 0), output: Number(usage[output] ?? 0) };
}

/** The folder of a client's binary; `undefined` if it is not installed. */
export function findClientFolder({ name, variable }: CodingClient): string | undefined {
  const named = process.env[variable];
  const candidates =
    named === undefined
      ? (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name))
      : [named];
  const found = candidates.find((path) => existsSync(path));
  if (found === undefined || spawnSync(found, ['--version']).status !== 0) return undefined;
  return dirname(found);
}

/** Why the tests of a client are skipped. */
export function describeMissing(client: CodingClient): string {
  return `${client.title} is not installed (npm i -g ${client.package}, or set ${client.variable})`;
}

/** A task for a client, as a user would start it by our command line. */
interface ClientTask {
  client: CodingClient;
  /** The folder of its binary. */
  folder: string;
  gateway: Pick<Gateway, 'dataDir' | 'url' | 'apiKey'>;
  /** By default the client's own choice. */
  model?: string;
  prompt: string;
  home: string;
  workingDirectory: string;
  /** In place of the client's own. */
  args?: CodingClient['args'];
  /** Besides the client's own. */
  env?: Record<string, string>;
}

export interface ClientRun {
  code: number | null;
  lines: JsonObject[];
  /** Everything it wrote, for the message of a failed test. */
  text: string;
}

/** Runs `sluice <client> --run` to its end. */
export async function runCodingClient(task: ClientTask): Promise<ClientRun> {
  const { client, gateway, model, home } = task;
  for (const [path, text] of Object.entries(client.homeFiles ?? {})) {
    mkdirSync(dirname(join(home, path)), { recursive: true });
    writeFileSync(join(home, path), text);
  }
  const main = await getProgram();
  const before = ['--data-dir', gateway.dataDir, '--key', gateway.apiKey, '--url', gateway.url];
  const args = [main, client.name, '--run', ...(model === undefined ? [] : ['--model', model]), ...before];
  args.push('--', ...(task.args ?? client.args)(task.prompt));
  const child = own(
    spawn(process.execPath, args, {
      cwd: task.workingDirectory,
      detached: true,
      env: {
        PATH: `${task.folder}${delimiter}${process.env['PATH'] ?? ''}`,
        HOME: home,
        ...client.environment(home),
        ...task.env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (bytes: Buffer) => (stdout += bytes.toString()));
  child.stderr.on('data', (bytes: Buffer) => (stderr += bytes.toString()));
  await once(child, 'close');
  const lines = stdout.split('\n').map(parseJsonObject);
  return {
    code: child.exitCode,
    lines: lines.filter((line) => line !== undefined),
    text: `${stderr}\n${stdout}`,
  };
}
