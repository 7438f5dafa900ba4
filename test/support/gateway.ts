import { type ChildProcess, spawn } from 'node:child_process';
import type { Cancellation } from '#catalogue';
import type { UpstreamFormat } from './upstream-exchange.ts';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseJsonObject, toSnakeCaseMembers } from '#base';
import { getProgram } from './built-program.ts';
import { type GatewayCommands, createCommands } from './gateway-commands.ts';
import { stopOrphanDatabase } from './orphan-database.ts';
import { own } from './owned.ts';
import { createEnvironment } from './process-environment.ts';
import { seedCluster } from './seed-cluster.ts';
import { type TemporaryFolder, createTemporaryFolder } from './temporary.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** A start takes a second or two, and a stop as long as an answer in progress. */
const START_TIMEOUT_MS = 120_000;
const STOP_TIMEOUT_MS = 120_000;
/** The node options of `npm start`. */
const START_OPTIONS = readStartOptions();

export interface GatewayOptions {
  /** The text of `sluice.yaml`. */
  config?: string;
  /** The program to run: by default the built one. */
  program?: string;
  /** An existing data directory; by default a fresh one that is removed at the end. */
  dataDir?: string;
  port?: number;
  env?: Record<string, string>;
  /** Options for node itself besides those of `npm start`, such as `--expose-gc`. */
  nodeOptions?: string[];
  /** Its limit of open files (`ulimit -n`). */
  descriptors?: number;
  /** Further options of `sluice start`. */
  flags?: string[];
  /** Runs as this user; requires root. */
  user?: { uid: number; gid: number };
}

/** The first line the gateway prints; only the first start of a data directory has the keys. */
interface StartLine {
  url: string;
  api_key?: string;
  admin_key?: string;
  organization_id: string;
  project_id: string;
  data_dir: string;
  metrics_url?: string;
}

/** A real gateway in a process of its own. */
export class Gateway implements AsyncDisposable, GatewayCommands {
  readonly cli: GatewayCommands['cli'];
  readonly run: GatewayCommands['run'];
  readonly createKey: GatewayCommands['createKey'];
  readonly process: ChildProcess;
  readonly line: StartLine;
  /** Its `sluice.yaml`. */
  readonly configFile: string;
  readonly #folder: TemporaryFolder;
  readonly #output: { stderr: string };
  readonly #options: GatewayOptions;

  constructor(parts: {
    process: ChildProcess;
    line: StartLine;
    folder: TemporaryFolder;
    configFile: string;
    output: { stderr: string };
    options: GatewayOptions;
  }) {
    this.process = parts.process;
    this.line = parts.line;
    this.configFile = parts.configFile;
    this.#folder = parts.folder;
    this.#output = parts.output;
    this.#options = parts.options;
    ({
      cli: this.cli,
      run: this.run,
      createKey: this.createKey,
    } = createCommands(this.dataDir, parts.options.env));
  }

  get url(): string {
    return this.line.url.replace(/\/$/, '');
  }

  /** The first API key; throws if the data directory had been opened before. */
  get apiKey(): string {
    return getPrinted(this.line.api_key, 'api_key');
  }

  get adminKey(): string {
    return getPrinted(this.line.admin_key, 'admin_key');
  }

  get dataDir(): string {
    return this.line.data_dir;
  }

  get pid(): number {
    return this.process.pid ?? 0;
  }

  /** The process's standard error so far. */
  get log(): string {
    return this.#output.stderr;
  }

  get exited(): boolean {
    return this.process.exitCode !== null || this.process.signalCode !== null;
  }

  /** A request with the first API key. */
  async request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    if (!headers.has('authorization') && this.line.api_key !== undefined) {
      headers.set('authorization', `Bearer ${this.line.api_key}`);
    }
    return fetch(`${this.url}${path}`, { ...init, headers });
  }

  async post(path: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
    return this.request(path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...headers },
    });
  }

  /** Resolves when the process has exited, or after this time. */
  async waitForExit(limitMs: number): Promise<void> {
    if (this.exited) return;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(), limitMs);
    await once(this.process, 'exit', { signal: late.signal }).catch(() => undefined);
    clearTimeout(timer);
  }

  /** Sends SIGTERM; resolves with the exit code. */
  async stop(): Promise<number | null> {
    return this.#end('SIGTERM');
  }

  /** Sends SIGKILL: nothing can be settled. */
  async kill(): Promise<void> {
    await this.#end('SIGKILL');
  }

  async #end(signal: NodeJS.Signals): Promise<number | null> {
    if (!this.exited) {
      const closed = this.waitForExit(STOP_TIMEOUT_MS);
      this.process.kill(signal);
      await closed;
    }
    if (this.exited) return this.process.exitCode;
    const closed = once(this.process, 'exit');
    this.process.kill('SIGKILL');
    await closed;
    throw new Error(`the gateway did not end within ${STOP_TIMEOUT_MS} ms of ${signal}\n${this.log}`);
  }

  /** Stops the process and a database still running, and removes a data directory created for it. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
    if (this.#options.dataDir === undefined) await stopOrphanDatabase(this.dataDir);
    this.#folder.remove();
  }
}

function getPrinted(value: string | undefined, name: string): string {
  if (value === undefined) throw new Error(`the gateway printed no ${name}: its data directory is not new`);
  return value;
}

/** Starts a gateway and waits for its first line. */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const folder = createTemporaryFolder('sluice-gateway-');
  const args = ['start', '--json', '--port', String(options.port ?? 0)];
  if (options.dataDir === undefined) await seedCluster(`${folder.path}/data`);
  args.push('--data-dir', options.dataDir ?? `${folder.path}/data`);
  const configFile = folder.write('sluice.yaml', options.config ?? 'providers: []\n');
  args.push('--config', configFile, ...(options.flags ?? []));
  const nodeOptions = [...START_OPTIONS, ...(options.nodeOptions ?? [])];
  const program = options.program ?? (await getProgram());
  const command = [process.execPath, ...nodeOptions, program, ...args];
  if (options.descriptors !== undefined)
    command.unshift('sh', '-c', `ulimit -n ${options.descriptors} && exec "$0" "$@"`);
  const [file = '', ...rest] = command;
  const child = own(
    spawn(file, rest, {
      cwd: root,
      detached: true,
      env: createEnvironment(options.env),
      ...options.user,
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  const output = { stderr: '' };
  child.stderr.on('data', (bytes: Buffer) => (output.stderr += bytes.toString()));
  const line = await readStartLine(child, output).catch((error: unknown) => {
    child.kill('SIGKILL');
    folder.remove();
    throw error;
  });
  return new Gateway({ process: child, line, folder, configFile, output, options });
}

function readStartOptions(): string[] {
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
    scripts: { start: string };
  };
  return scripts.start.split(' ').filter((word) => word.startsWith('--'));
}

async function readStartLine(child: ChildProcess, output: { stderr: string }): Promise<StartLine> {
  if (!child.stdout) throw new Error('the gateway has no standard output');
  const lines = createInterface({ input: child.stdout });
  const { promise, resolve, reject } = Promise.withResolvers<StartLine>();
  const timer = setTimeout(() => {
    reject(new Error(`no first line within ${START_TIMEOUT_MS} ms\n${output.stderr}`));
  }, START_TIMEOUT_MS);
  lines.once('line', (line) => {
    const parsed = parseJsonObject(line);
    // Earlier versions, which upgrades start from, print other names.
    if (typeof parsed?.['url'] === 'string') resolve(toSnakeCaseMembers(parsed) as unknown as StartLine);
    else reject(new Error(`the first line is not the announced object: ${line}`));
  });
  child.once('exit', (code) => {
    reject(new Error(`the gateway left with code ${String(code)} before it started\n${output.stderr}`));
  });
  return promise.finally(() => clearTimeout(timer));
}

interface MockProvider {
  id?: string;
  format?: UpstreamFormat;
  models?: readonly string[];
  cancellation?: Cancellation;
}

/** A `sluice.yaml` with providers whose models are priced, for mock upstreams. */
export function createProviderConfig(
  baseUrl: string,
  ...providers: [MockProvider, ...MockProvider[]]
): string {
  const rows = providers.flatMap(
    ({ id = 'mock', format = 'chat', models = ['mock-model'], cancellation = 'all' }) => [
      `  - id: ${id}`,
      `    format: ${format}`,
      `    baseUrl: ${baseUrl}`,
      '    apiKey: mock-key',
      `    cancellation: ${cancellation}`,
      '    models:',
      ...models.flatMap((model) => [
        `      - id: ${model}`,
        '        contextLength: 200000',
        '        maxOutput: 32000',
        '        price: { input: "3", output: "15", cacheRead: "0.3", cacheWrite5m: "3.75", cacheWrite1h: "6" }',
      ]),
    ],
  );
  return ['providers:', ...rows, ''].join('\n');
}

/** A provider of each format, with a model named after it. */
export function configureFormats({ baseUrl }: { baseUrl: string }): string {
  return createProviderConfig(
    baseUrl,
    { id: 'talker', format: 'chat', models: ['chat-model'] },
    { id: 'writer', format: 'messages', models: ['messages-model'] },
    { id: 'responder', format: 'responses', models: ['responses-model'] },
    { id: 'twin', format: 'gemini', models: ['gemini-model'] },
  );
}
