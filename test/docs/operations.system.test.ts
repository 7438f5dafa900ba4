import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { getProgram } from '../support/built-program.ts';
import { type Gateway, startGateway } from '../support/gateway.ts';
import { own } from '../support/owned.ts';
import { createEnvironment } from '../support/process-environment.ts';
import { type SharedDatabase, createSharedDatabase } from '../support/shared-server.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

const page = readFileSync(fileURLToPath(new URL('../../docs/operations.md', import.meta.url)), 'utf8');
const EXAMPLE_ADDRESS = 'postgres://sluice:password@db.internal:5432/sluice';

const folder = createTemporaryFolder();
const done = new Set<string>();
let gateway: Gateway;
let external: SharedDatabase;

before(async () => {
  // The program that the page calls `npx sluice`.
  folder.write('bin/npx', `#!/bin/sh\nshift\nexec '${process.execPath}' '${await getProgram()}' "$@"\n`);
  chmodSync(join(folder.path, 'bin/npx'), 0o755);
  gateway = await startGateway();
  external = await createSharedDatabase();
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  await external[Symbol.asyncDispose]();
  folder.remove();
});

/** The commands of a section, block by block. */
function listBlocks(section: string): string[] {
  const [, text = ''] = page.split(new RegExp(`^## ${section}\n`, 'm'));
  const own = text.split(/^## /m)[0] ?? '';
  return [...own.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
}

interface Facts {
  [word: string]: string;
}

/** Runs a block as it stands, in a folder of its own and with the ids and addresses of this test. */
async function runBlock(section: string, number: number, facts: Facts = {}): Promise<string> {
  const block = listBlocks(section)[number];
  assert.ok(block !== undefined, `${section} has a block ${number}`);
  done.add(block);
  const words = { '/srv': join(folder.path, 'srv'), ...facts };
  const script = Object.entries(words).reduce((text, [word, value]) => text.replaceAll(word, value), block);
  const child = own(
    spawn('sh', ['-e', '-c', script], {
      cwd: folder.path,
      detached: true,
      env: {
        ...createEnvironment({ SLUICE_DATA_DIR: gateway.dataDir, SLUICE_CONFIG: gateway.configFile }),
        PATH: `${join(folder.path, 'bin')}:${process.env['PATH'] ?? ''}`,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
  await once(child, 'close');
  assert.equal(child.exitCode, 0, `${script}\n${output}`);
  return output;
}

const addressOf = ({ connection: { host, port, user, password, database } }: SharedDatabase): string =>
  `postgres://${user}:${encodeURIComponent(password)}@${encodeURIComponent(host)}:${port}/${database}`;

test('the commands of operations.md do what the page says, in its order, on one installation', async () => {
  const asked = await gateway.post('/v1/chat/completions', {
    model: 'local/echo',
    messages: [{ role: 'user', content: 'hello' }],
  });
  assert.equal(asked.status, 200);

  assert.match(await runBlock('Back up', 0), /2026-11-24\.backup: \d+ rows/);
  copyFileSync(join(gateway.dataDir, 'secret'), join(folder.path, 'secret'));
  mkdirSync(join(folder.path, 'srv'), { recursive: true });
  assert.match(await runBlock('Restore', 0), /restored: \d+ rows as of [\s\S]*the books agree/);

  await runBlock('Upgrade', 0);
  assert.match(await runBlock('Upgrade', 1), /the books agree/);
  const [{ id: adminKey } = { id: '' }] = (await gateway.run('admin-keys', 'list'))['data'] as {
    id: string;
  }[];
  const { id: key } = await gateway.createKey();
  assert.match(
    await runBlock('Rotate secrets', 0, { ADMIN_KEY: adminKey, KEY: key }),
    /encrypted with the key \w+: \d+ credentials?/,
  );
  assert.match(await runBlock('Full disk', 0), /disk space: \d+ MB are free/);
  await runBlock('Full disk', 1, { PROJECT: gateway.line.project_id });
  assert.match(await runBlock('Send a support bundle', 0), /sluice-support\.json/);

  await gateway.stop();
  const facts = { [EXAMPLE_ADDRESS]: addressOf(external) };
  const section = 'Move to another PostgreSQL';
  assert.match(
    await runBlock(section, 0, facts),
    /and every row the same[\s\S]*the books agree[\s\S]*set DATABASE_URL/,
  );
  mkdirSync(join(folder.path, 'srv/sluice'));
  copyFileSync(join(gateway.dataDir, 'secret'), join(folder.path, 'srv/sluice/secret'));
  assert.match(
    await runBlock(section, 1, facts),
    /and every row the same[\s\S]*start the gateway without DATABASE_URL/,
  );
});

test('no command of the page is left out', () => {
  const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block = '']) => block);
  assert.deepEqual(
    blocks.filter((block) => !done.has(block)),
    [],
  );
});
