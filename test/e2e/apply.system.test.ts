import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { type CommandResult, runCommand } from '../support/command-line.ts';
import { type Gateway, createProviderConfig, startGateway } from '../support/gateway.ts';
import { type MockUpstream, startMockUpstream } from '../support/mock-upstream.ts';
import { type TemporaryFolder, createTemporaryFolder } from '../support/temporary.ts';
import { answer } from '../support/upstream-replies.ts';
import { until } from '../support/until.ts';

const ACME = `organizations:
  - name: Acme
    plan: pro
    overflow: true
    rateLimits: { requestsPerMinute: 600 }
    rules: [{ type: deny-models, values: [gpt-*] }]
    members:
      - { name: Ada, email: ada@example.com, role: admin, limit: "100", recurringLimit: 5/day }
      - name: Charles
    projects:
      - name: web
        cacheTtlSeconds: 60
        routing: { fallback_models: [other], max_price: { prompt: 3 } }
        keys:
          - label: backend
            member: Ada
            limit: "25"
            recurringLimit: 5/week
            rateLimits: { concurrency: 3 }
            routing: { sort: price, ignore: [nobody] }
            expiresAt: 2099-01-01
            rules: [{ type: max-output-price, values: ["99"] }]
          - label: spare
            disabled: true
`;

let upstream: MockUpstream;
let gateway: Gateway;
let folder: TemporaryFolder;

before(async () => {
  upstream = await startMockUpstream();
  upstream.script({ reply: answer({ text: 'one two three', chunks: 3 }) });
  gateway = await startGateway({ config: createProviderConfig(upstream.baseUrl, {}) });
  folder = createTemporaryFolder('sluice-apply-');
});
after(async () => {
  await gateway[Symbol.asyncDispose]();
  await upstream.close();
  folder.remove();
});

function write(text: string, name = 'acme.yaml'): string {
  const file = `${folder.path}/${name}`;
  writeFileSync(file, text);
  return file;
}

const apply = (file: string, ...options: string[]): Promise<CommandResult> =>
  gateway.cli('apply', '-f', file, '--config', gateway.configFile, ...options);

interface PrintedChange {
  action: string;
  title: string;
  id?: string;
  secret?: string;
  settings?: Record<string, unknown>;
}

/** The changes that an apply printed. */
async function applyWell(
  file: string,
  ...options: string[]
): Promise<{ changes: PrintedChange[]; done: PrintedChange[] }> {
  const { code, json, stderr } = await apply(file, ...options);
  assert.equal(code, 0, stderr);
  return json as unknown as { changes: PrintedChange[]; done: PrintedChange[] };
}

async function exportText(...options: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCommand(['export', '--data-dir', gateway.dataDir, ...options]);
  assert.equal(code, 0, stderr);
  return stdout;
}

async function ask(apiKey: string): Promise<number> {
  const body = { model: 'mock-model', max_tokens: 10, messages: [{ role: 'user', content: 'hello' }] };
  const response = await gateway.post('/v1/chat/completions', body, { authorization: `Bearer ${apiKey}` });
  await response.text();
  return response.status;
}

/** A change made by a command reaches the gateway by a notification. */
const awaitStatus = (key: string, status: number): Promise<void> =>
  until(`the status ${status}`, async () => (await ask(key)) === status);

let apiKey = '';

test('without --yes and with --dry-run nothing changes, and the changes are printed', async () => {
  const file = write(ACME);
  const before = await exportText();
  const { changes, done } = await applyWell(file, '--dry-run');
  assert.deepEqual(done, []);
  assert.deepEqual(
    changes.map(({ action, title }) => `${action} ${title}`),
    [
      'create Acme',
      'set Acme',
      'set Acme',
      'addRule Acme',
      'create Acme / Ada',
      'create Acme / Charles',
      'create Acme / web',
      'set Acme / web',
      'set Acme / web',
      'create Acme / web / backend',
      'set Acme / web / backend',
      'addRule Acme / web / backend',
      'create Acme / web / spare',
      'set Acme / web / spare',
    ],
  );
  const backend = changes.find(({ title }) => title === 'Acme / web / backend');
  assert.equal(backend?.settings?.['expiresAt'], '2099-01-01T00:00:00.000Z', 'what a key is made with');
  const refused = await apply(file);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /nothing was changed: add --yes/);
  assert.equal(await exportText(), before);
});

test('apply creates what the file defines, prints each new key once, and then has nothing to do', async () => {
  const file = write(ACME);
  const { done } = await applyWell(file, '--yes');
  const keys = done.flatMap((each) => each.secret ?? []);
  assert.equal(keys.length, 2);
  apiKey = keys[0] ?? '';
  assert.equal(await ask(apiKey), 200);
  assert.equal(await ask(keys[1] ?? ''), 401, 'spare is disabled');
  const again = await applyWell(file, '--yes');
  assert.deepEqual([again.changes, again.done], [[], []]);

  const { json } = await gateway.cli('plans', 'show', '--org', done[0]?.id ?? '');
  assert.deepEqual([json?.['plan'], json?.['overflow']], ['pro', true]);
  const audit = await gateway.cli('audit', '--subject', done.find((each) => each.secret)?.id ?? '');
  assert.match(audit.stdout, /command line/);
  assert.ok(!audit.stdout.includes(apiKey));
});

test('what is exported is applied without a change, gives the same file again, and holds no secret', async () => {
  const text = await exportText();
  assert.match(
    text,
    /label: backend\n\s+member: ada@example\.com\n\s+limit: "25"\n\s+recurringLimit: 5\/week/,
  );
  assert.ok(!text.includes('slc_'));
  const { changes } = await applyWell(write(text, 'all.yaml'), '--yes');
  assert.deepEqual(changes, []);
  assert.equal(await exportText(), text);

  const { json } = await gateway.cli('export', '-o', `${folder.path}/written.yaml`);
  assert.equal(json?.['file'], `${folder.path}/written.yaml`);
  assert.equal(readFileSync(`${folder.path}/written.yaml`, 'utf8'), text);
  const asJson = await gateway.cli('export');
  assert.deepEqual((await applyWell(write(asJson.stdout, 'all.json'))).changes, []);
});

test('an export names the credits that files cannot contain', async () => {
  const { json } = await gateway.cli('orgs', 'create', 'Partial');
  const id = json?.['id'] as string;
  await gateway.cli('credits', 'add', '12.5', '--org', id);
  const options = ['--data-dir', gateway.dataDir, '--org', id];
  const { code, stderr } = await runCommand(['export', ...options]);
  assert.equal(code, 0, stderr);
  assert.match(stderr, /^Partial: credits of 12.5 USD left out; a new organization is not metered$/m);
});

test('applying an export reproduces the accounts in another installation', async () => {
  const text = await exportText();
  await using other = await startGateway();
  const applied = await other.cli('apply', '-f', write(text, 'move.yaml'), '--yes');
  assert.equal(applied.code, 0, applied.stderr);
  const exported = await runCommand(['export', '--data-dir', other.dataDir]);
  assert.equal(exported.stdout, text);
});

test('a limit and a rule that change are changed, and the gateway heeds them', async () => {
  await awaitStatus(apiKey, 200);
  const text = ACME.replace('limit: "25"', 'limit: "0"').replace('[gpt-*]', '[o3, mock-*]');
  const { done } = await applyWell(write(text), '--yes');
  assert.deepEqual(
    done.map(({ action, title }) => `${action} ${title}`),
    ['addRule Acme', 'removeRule Acme', 'set Acme / web / backend'],
  );
  await awaitStatus(apiKey, 403);
  await applyWell(write(text.replace(', mock-*', '')), '--yes');
  await awaitStatus(apiKey, 402);
  await applyWell(write(ACME), '--yes');
  await awaitStatus(apiKey, 200);
});

test('a folder is applied as a whole, and the output lists what changes and what does not', async () => {
  const parts = createTemporaryFolder('sluice-apply-parts-');
  writeFileSync(
    `${parts.path}/acme.yaml`,
    'organizations: [{ name: Acme, projects: [{ name: web, routing: { ignore: [a, b] } }] }]\n',
  );
  writeFileSync(
    `${parts.path}/beta.yml`,
    'organizations: [{ name: Beta, plan: pro, overflow: true, rateLimits: { concurrency: 2 } }]\n',
  );
  const { code, stdout, stderr } = await runCommand([
    'apply',
    '-f',
    parts.path,
    '--yes',
    '--data-dir',
    gateway.dataDir,
  ]);
  parts.remove();
  assert.equal(code, 0, stderr);
  assert.match(stdout, /^\+ organization Beta$/m);
  assert.match(stdout, /^~ organization Beta: rateLimits none → concurrency 2$/m);
  assert.match(stdout, /^ {2}not managed: key Acme \/ web \/ backend \(key_/m);
  assert.match(stdout, /^~ organization Beta: plan none → pro with overflow$/m);
  assert.match(
    stdout,
    /^~ project Acme \/ web: routing .*max_price {"prompt":3}.* → ignore a,b$/m,
    'a file states the whole routing',
  );
  assert.match(stdout, /^4 changes made$/m);
});

test('a change that fails undoes all of an apply, which names the file, the line and the resource', async () => {
  const before = await exportText();
  const broken = `organizations:
  - name: Gamma
    plan: pro
    projects: [{ name: web, keys: [{ label: first }, { label: second }] }]
  - name: Acme
    rateLimits: { requestsPerMinute: 1 }
    projects: [{ name: web, keys: [{ label: backend, limit: "1" }] }]
  - name: Zeta
    members: [{ name: Eve, email: nobody }]
`;
  const failed = await apply(write(broken), '--yes');
  assert.equal(failed.code, 1);
  assert.match(
    failed.stderr,
    /^error: acme\.yaml:9:\d+: \+ member Zeta \/ Eve \(email nobody\): .*e-mail address/,
  );
  assert.match(failed.stderr, /^error: nothing was changed$/m);
  const { done: made, failure } = failed.json ?? {};
  assert.deepEqual([made, typeof failure], [[], 'string']);
  assert.equal(await exportText(), before);
  assert.equal(await ask(apiKey), 200, 'nor for the gateway');
  const { done } = await applyWell(write(broken.replace(', email: nobody', '')), '--yes');
  assert.equal(done.length, 9);
  await applyWell(write(ACME), '--yes');
});

test('a file that cannot be used is refused by line, and nothing is changed', async () => {
  const wrong = await apply(write('organizations:\n  - name: Delta\n    plam: pro\n'), '--yes');
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /error: acme\.yaml:3:5: unknown key "plam"; did you mean "plan"\?/);
  const absent = await apply(`${folder.path}/nowhere.yaml`);
  assert.match(absent.stderr, /there is no .*nowhere\.yaml/);

  await gateway.cli('orgs', 'create', 'Twin');
  await gateway.cli('orgs', 'create', 'Twin');
  const twice = await apply(write('organizations: [{ name: Twin }]'), '--yes');
  assert.match(
    twice.stderr,
    /acme\.yaml:1:\d+: more than one organization is named "Twin": org_\w+ and org_\w+/,
  );
  const exported = await exportText();
  assert.deepEqual((await applyWell(write(exported), '--yes')).changes, []);
  assert.ok(!exported.includes('Delta'));
});
