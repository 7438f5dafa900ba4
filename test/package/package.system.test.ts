import assert from 'node:assert/strict';
import { existsSync, globSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, suite, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { createProviderConfig, startGateway } from '../support/gateway.ts';
import { type InstalledPackage, installPackage, measureFolder } from '../support/installed-package.ts';
import { startMockUpstream } from '../support/mock-upstream.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { answer } from '../support/upstream-replies.ts';

const MEGABYTE = 1_000_000;
const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** Node options that let a program see another platform, or another version of Node. */
function pretend(change: string): string[] {
  return ['--import', `data:text/javascript,${encodeURIComponent(change)}`];
}

const OLD_NODE = "Object.defineProperty(process.versions, 'node', { value: '20.1.0' });";

/** What a command may take on a quiet machine. */
const COMMAND_US = 350_000;

/** The files that a file loads before it runs, and what `main.js` runs. */
function listLoaded(folder: string, first: string): string[] {
  const loaded = new Set<string>();
  const load = (name: string): void => {
    if (loaded.has(name)) return;
    loaded.add(name);
    const text = readFileSync(join(folder, name), 'utf8');
    const pattern = name === first ? /import\("\.\/([^"]+)"\)/g : /^(?:\} from|import) "\.\/([^"]+)";/gm;
    for (const [, next = ''] of text.matchAll(pattern)) load(next);
  };
  load(first);
  return [...loaded];
}

suite('the published package', () => {
  let installed: InstalledPackage;
  before(async () => (installed = await installPackage()));
  after(() => installed[Symbol.dispose]());

  const read = (name: string): string => readFileSync(join(installed.path, name), 'utf8');

  test('starts on an empty data directory and answers through a provider', async (t) => {
    await using upstream = await startMockUpstream();
    using folder = createTemporaryFolder();
    const config = `${createProviderConfig(upstream.baseUrl, { models: ['mock-model'] })}metrics: { port: 0 }\n`;
    await using gateway = await startGateway({
      program: installed.program,
      dataDir: join(folder.path, 'data'),
      config,
    });
    upstream.script({ reply: answer({ text: 'the first answer' }) });
    await t.test('a request', async () => {
      const messages = [{ role: 'user', content: 'hello' }];
      const response = await gateway.post('/v1/chat/completions', { model: 'mock-model', messages });
      const text = await response.text();
      assert.equal(response.status, 200, text);
      assert.match(text, /the first answer/);
    });
    await t.test('an estimate of tokens, from the tokenizer’s thread', async () => {
      const messages = [{ role: 'user', content: 'hello world' }];
      const response = await gateway.post('/v1/messages/count_tokens', { model: 'mock-model', messages });
      const { input_tokens: tokens } = (await response.json()) as { input_tokens: number };
      assert.ok(tokens >= 2, String(tokens));
    });
    await t.test('a command on the running gateway', async () => {
      const { code, stdout, stderr } = await installed.run(['logs', '--json', '--data-dir', gateway.dataDir]);
      assert.equal(code, 0, stderr);
      assert.match(stdout, /mock-model/);
    });
    await t.test('metrics', async () => {
      const response = await fetch(gateway.line.metrics_url ?? '');
      assert.match(await response.text(), /^sluice_requests_total\{.*\} 1$/m);
    });
  });

  test('loads each of its parts, also those that are loaded on demand', async () => {
    const lib = join(installed.path, 'lib');
    const parts = readdirSync(lib).filter((name) => name.startsWith('chunk-'));
    assert.ok(parts.length > 10, String(parts.length));
    const load = parts.map((name) => `await import(${JSON.stringify(pathToFileURL(join(lib, name)).href)});`);
    const { code, stderr } = await installed.run(['version'], pretend(load.join('\n')));
    assert.equal(code, 0, stderr);
  });

  test('has undici’s clients without its fetch, WebSockets, caches and mocks, which would load with each start', () => {
    const names = readdirSync(join(installed.path, 'lib'));
    const text = names.map((name) => read(`lib/${name}`)).join('\n');
    const parts = [...text.matchAll(/^\/\/ \S*node_modules\/undici\/(\S+)/gm)].map(([, path]) => path ?? '');
    assert.ok(parts.includes('lib/dispatcher/pool.js'));
    const superfluous = /^index|^lib\/(?:mock|cache|web\/(?:fetch\/index|websocket|cache))/;
    assert.deepEqual(
      parts.filter((path) => superfluous.test(path)),
      [],
    );
  });

  test('takes at most 110 MB with the embedded PostgreSQL, and 50 MB without', () => {
    const own = measureFolder(installed.path);
    const postgres = measureFolder(installed.postgres);
    assert.ok(own + postgres <= 110 * MEGABYTE, `${own} + ${postgres} bytes`);
    assert.ok(own <= 50 * MEGABYTE, `${own} bytes`);
  });

  test('a command takes at most 3.5 s of processor time, and loads no package that only some gateways use', async () => {
    const report = `process.on('exit', () => console.error(JSON.stringify(process.cpuUsage())));`;
    await installed.run(['version']); // fills the cache of compiled code
    const { code, stderr } = await installed.run(['version'], pretend(report));
    assert.equal(code, 0, stderr);
    const { user, system } = JSON.parse(stderr) as NodeJS.CpuUsage;
    assert.ok(user + system <= 10 * COMMAND_US, `${user + system} µs`);
    const loaded = listLoaded(join(installed.path, 'lib'), 'main.js');
    const text = loaded.map((name) => read(`lib/${name}`)).join('\n');
    assert.ok(text.length <= 6 * MEGABYTE, `${text.length} characters`);
    const packages = new Set(
      [...text.matchAll(/^\/\/ (?:\S*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)/gm)].map(([, name]) => name),
    );
    assert.ok(packages.has('commander'));
    assert.deepEqual(
      [
        'gpt-tokenizer',
        'google-auth-library',
        '@smithy/core',
        'ioredis',
        'openid-client',
        'prom-client',
      ].filter((name) => packages.has(name)),
      [],
    );
  });

  test('contains every file that its documents link to', () => {
    const documents = globSync('{*.md,{bench,deploy,docs}/**/*.md}', { cwd: installed.path });
    const links = documents.flatMap((path) =>
      [...read(path).matchAll(/\]\((?![a-z]+:)([^)#\s]+)/g)].map(([, link = '']) =>
        join(dirname(path), link),
      ),
    );
    assert.ok(links.includes('docs/sluice.schema.json') && links.includes('docs/routing.md'));
    assert.deepEqual(
      links.filter((link) => !existsSync(join(installed.path, link))),
      [],
    );
  });

  test('contains every file and folder that the program reads beside its code', () => {
    const sources = globSync('src/**/*.ts', { cwd: checkout }).map((path) =>
      readFileSync(join(checkout, path), 'utf8'),
    );
    const places = sources.flatMap((text) =>
      [...text.matchAll(/new URL\('([^']+)', packageRoot\)/g)].map(([, place = '']) => place),
    );
    assert.deepEqual(new Set(places).size, 4, places.join(', '));
    assert.deepEqual(
      places.filter((place) => !existsSync(join(installed.path, place))),
      [],
    );
  });

  test('contains the licence text of each package that the program uses, and a parts list', () => {
    const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
      dependencies: Record<string, string>;
    };
    const licences = read('THIRD-PARTY-LICENSES.md');
    for (const [name, version] of Object.entries(manifest.dependencies))
      assert.match(licences, new RegExp(`^## ${name} ${version} \\(.+\\)\\n\\n\`\`\`text\\n.`, 'm'), name);
    assert.match(read('LICENSE'), /MIT/);
    const { components } = JSON.parse(read('sbom.cdx.json')) as { components: { purl: string }[] };
    const purls = new Set(components.map(({ purl }) => purl));
    for (const [name, version] of Object.entries(manifest.dependencies))
      assert.ok(purls.has(`pkg:npm/${name.replace('@', '%40')}@${version}`), name);
  });

  test('names what is missing in one sentence on an old Node and on Windows', async () => {
    const { optionalDependencies } = JSON.parse(
      readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
    ) as { optionalDependencies: Record<string, string> };
    const first = await installed.run(['version'], pretend(OLD_NODE));
    assert.equal(first.code, 1);
    const [, bundled = ''] =
      /^error: Sluice needs Node 24 or newer, and this is Node 20\.1\.0: run npm install (\S+) in this folder\.\n$/.exec(
        first.stderr,
      ) ?? [];
    const [name = '', version] = bundled.split('@');
    assert.equal(optionalDependencies[name], version, first.stderr);
    const windows = "Object.defineProperty(process, 'platform', { value: 'win32' });";
    const second = await installed.run(['start'], pretend(windows));
    assert.equal(second.code, 1);
    assert.match(second.stderr, /^error: Sluice runs on Linux and macOS, not on Windows: .+\.\n$/);
  });

  test('on an old Node it runs with the bundled one that is installed beside it, and ends as that ends', async () => {
    using folder = createTemporaryFolder();
    const [name = ''] =
      /node-\S+-\S+(?=@)/.exec((await installed.run(['version'], pretend(OLD_NODE))).stderr) ?? [];
    const bundled = join(dirname(installed.path), name);
    mkdirSync(join(bundled, 'bin'), { recursive: true });
    writeFileSync(join(bundled, 'package.json'), '{}');
    const script = `#!/bin/sh\nIS_BUNDLED=1 exec ${process.execPath} "$@"\n`;
    writeFileSync(join(bundled, 'bin/node'), script, { mode: 0o755 });
    const nodeOptions = pretend(`if (!process.env.IS_BUNDLED) ${OLD_NODE}`);
    const first = await installed.run(['version'], nodeOptions);
    assert.deepEqual([first.code, first.stderr], [0, '']);
    const second = await installed.run(['no-such-command'], nodeOptions);
    assert.equal(second.code, 2);
    const gateway = await startGateway({
      program: installed.program,
      dataDir: join(folder.path, 'data'),
      nodeOptions,
    });
    assert.equal(await gateway.stop(), 0);
    await assert.rejects(fetch(`${gateway.url}/livez`), 'SIGTERM has reached the gateway');
    rmSync(bundled, { recursive: true });
  });
});
