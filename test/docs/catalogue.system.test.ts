import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { getProgram } from '../support/built-program.ts';
import { own } from '../support/owned.ts';
import { createEnvironment } from '../support/process-environment.ts';
import { type SharedDatabase, createSharedDatabase } from '../support/shared-server.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

const page = readFileSync(fileURLToPath(new URL('../../docs/catalogue.md', import.meta.url)), 'utf8');
const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);

const folder = createTemporaryFolder();
let database: SharedDatabase;
let environment: NodeJS.ProcessEnv;

before(async () => {
  // The program that the page calls `npx sluice`.
  folder.write('bin/npx', `#!/bin/sh\nshift\nexec '${process.execPath}' '${await getProgram()}' "$@"\n`);
  chmodSync(join(folder.path, 'bin/npx'), 0o755);
  database = await createSharedDatabase();
  const { host, port, user, password, database: name } = database.connection;
  environment = {
    ...createEnvironment({
      SLUICE_DATA_DIR: folder.path,
      SLUICE_SECRET: 'a secret of thirty-two characters',
      DATABASE_URL: `postgres://${user}:${encodeURIComponent(password)}@${encodeURIComponent(host)}:${port}/${name}`,
    }),
    PATH: `${join(folder.path, 'bin')}:${process.env['PATH'] ?? ''}`,
  };
});
after(async () => {
  await database[Symbol.asyncDispose]();
  folder.remove();
});

async function run(script: string): Promise<{ code: number | null; output: string }> {
  const options = { cwd: folder.path, detached: true, env: environment };
  const child = own(spawn('sh', ['-e', '-c', script], { ...options, stdio: ['ignore', 'pipe', 'pipe'] }));
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
  await once(child, 'close');
  return { code: child.exitCode, output };
}

async function runBlock(number: number): Promise<string> {
  const { code, output } = await run(blocks[number] ?? 'exit 99');
  assert.equal(code, 0, `${blocks[number] ?? ''}\n${output}`);
  return output;
}

const signed = join(folder.path, 'feed.json');

/** As LiteLLM writes its own. */
const LIST = {
  'claude-opus-4-8': {
    litellm_provider: 'anthropic',
    input_cost_per_token: 6e-6,
    output_cost_per_token: 2.5e-5,
  },
  'claude-haiku-4-5': {
    litellm_provider: 'anthropic',
    input_cost_per_token: 1e-6,
    output_cost_per_token: 5e-6,
  },
};

/** A price of the feed that was signed, as another publisher would have it. */
function changePrice(text: string, times: number): string {
  return text.replace(
    /("id":"claude-opus-4-8".*?"price":\{"input":")([\d.]+)"/,
    (_all, start: string, price: string) => {
      return `${start}${Number(price) * times}"`;
    },
  );
}

test('the commands of catalogue.md do what the page says, in its order', async () => {
  const [publicKey = ''] = /ed25519:\S+/.exec(await runBlock(0)) ?? [];
  folder.write('sluice.yaml', `catalogue: { publicKey: "${publicKey}" }\n`);
  assert.match(await runBlock(1), /feed\.json and feed\.json\.sig: \d+ models, sequence \d+/);
  const output = await runBlock(2);
  assert.match(output, /the feed \d+ changes nothing[^]*the feed \d+ is stored[^]*is known and in force/);
  folder.write('list.json', JSON.stringify(LIST));
  assert.match(
    await runBlock(3),
    /anthropic\/claude-opus-4-8: input 5, listed 6\n1 of 2 prices differ from the list\n[^]*"compared":2/,
  );
  assert.equal(blocks.length, 4);
});

test('wrong keys, files and feeds are refused with what to do', async () => {
  const original = readFileSync(signed, 'utf8');
  const cases: [command: string, expected: RegExp][] = [
    [
      'catalogue keygen feed.pem',
      /error: feed\.pem exists; name a file that does not, so that no key is lost/,
    ],
    ['catalogue sign other.json --key sluice.yaml', /no Ed25519 private key in PEM; make one with/],
    ['catalogue sign other.json --key feed.pem --directory missing', /error: .*missing/],
    ['catalogue diff', /`catalogue\.url` is not configured; name the file of a feed/],
    ['catalogue diff sluice.yaml', /error: sluice\.yaml is not a feed: it is not a JSON object/],
    ['catalogue diff missing.json', /there is no file missing\.json/],
    ['catalogue diff --prices sluice.yaml', /sluice\.yaml is not a list of prices: neither/],
    ['catalogue update changed.json', /its signature does not fit its content/],
  ];
  writeFileSync(join(folder.path, 'changed.json'), changePrice(original, 2));
  writeFileSync(join(folder.path, 'changed.json.sig'), readFileSync(`${signed}.sig`));
  for (const [command, expected] of cases) {
    const { code, output } = await run(`npx sluice ${command}`);
    assert.equal(code, 1, `${command}\n${output}`);
    assert.match(output, expected, command);
  }
});

test('a difference names the model, the amounts and the moment, and what needs to be accepted', async () => {
  const original = readFileSync(signed, 'utf8');
  writeFileSync(join(folder.path, 'expensive.json'), changePrice(original, 20));
  const { output } = await run('npx sluice catalogue diff expensive.json');
  assert.match(
    output,
    /REQUESTS +COST, USD +THEN, USD +CHANGE\n0 +0 +– +anthropic\/claude-opus-4-8: input 5 → 100 from 20\S+Z \(needs catalogue update --accept\)/,
  );
  const { output: json } = await run('npx sluice catalogue diff expensive.json --json');
  const { data } = JSON.parse(json) as { data: { amounts: object[] }[] };
  assert.deepEqual(data[0]?.amounts, [{ name: 'input', before: '5', after: '100', needs_acceptance: true }]);
});
