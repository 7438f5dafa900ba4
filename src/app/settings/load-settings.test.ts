import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createTemporaryFolder } from '../../../test/support/temporary.ts';
import { countConnections, readDescriptorLimit } from './descriptors.ts';
import { loadSettings } from './load-settings.ts';
import type { SettingsFlags } from './settings.ts';
import { SettingsError } from './settings-problem.ts';

interface Given {
  yaml?: string;
  environment?: Record<string, string>;
  flags?: SettingsFlags;
}

async function load({ yaml, environment = {}, flags = {} }: Given) {
  using folder = createTemporaryFolder();
  if (yaml !== undefined) folder.write('sluice.yaml', yaml);
  return await loadSettings({ environment, flags, workingDirectory: folder.path });
}

async function findProblems(given: Given): Promise<string[]> {
  try {
    await load(given);
  } catch (error) {
    assert.ok(error instanceof SettingsError, String(error));
    return error.message.split('\n');
  }
  return [];
}

test('nothing given: the loopback, port 8787, ./data and no provider', async () => {
  const settings = await load({});
  assert.equal(settings.host, '127.0.0.1');
  assert.equal(settings.port, 8787);
  assert.match(settings.dataDir, /\/data$/);
  assert.equal(settings.credentials.size, 0);
  assert.equal(settings.sources.get('server.port'), 'default');
});

test('a file of another encoding is refused with what to do', async () => {
  using folder = createTemporaryFolder();
  for (const bytes of [
    Buffer.from('\ufefflogLevel: debug\n', 'utf16le'),
    Buffer.from('# caf\u00e9\n', 'latin1'),
  ]) {
    writeFileSync(join(folder.path, 'sluice.yaml'), bytes);
    await assert.rejects(loadSettings({ environment: {}, flags: {}, workingDirectory: folder.path }), {
      message: 'sluice.yaml: is not UTF-8 text; save it as UTF-8',
    });
  }
  assert.equal((await load({ yaml: '\ufefflogLevel: debug\n' })).logLevel, 'debug');
});

test('a flag overrides the environment, the environment overrides the file', async () => {
  const yaml = 'server: { port: 1001 }\nlogLevel: debug\n';
  assert.equal((await load({ yaml })).port, 1001);
  assert.equal((await load({ yaml, environment: { SLUICE_PORT: '1002' } })).port, 1002);
  const settings = await load({ yaml, environment: { SLUICE_PORT: '1002' }, flags: { port: '1003' } });
  assert.equal(settings.port, 1003);
  assert.equal(settings.sources.get('server.port'), '--port');
  assert.equal(settings.sources.get('logLevel'), 'sluice.yaml:2:11');
});

test('no proxy is trusted by default, and an invalid network is reported with its path', async () => {
  assert.deepEqual((await load({})).trustedProxies, []);
  const yaml = 'server: { trustedProxies: [10.0.0.0/8, "::1"] }\n';
  assert.deepEqual((await load({ yaml })).trustedProxies, ['10.0.0.0/8', '::1']);
  assert.deepEqual(await findProblems({ yaml: yaml.replace('10.0.0.0/8', 'proxy.local') }), [
    'sluice.yaml:1:27: server.trustedProxies: "proxy.local" must be an address or a network such as 10.0.0.0/8',
  ]);
});

test('a gateway that shuts down stays reachable for 5 s under Kubernetes, and otherwise not by default', async () => {
  assert.equal((await load({})).readyDelayMs, 0);
  const environment = { KUBERNETES_SERVICE_HOST: '10.96.0.1' };
  assert.equal((await load({ environment })).readyDelayMs, 5_000);
  const yaml = 'server: { readyDelaySeconds: 1.5 }\n';
  assert.equal((await load({ yaml, environment })).readyDelayMs, 1_500);
});

test('as many callers may be connected as the descriptors of the process allow with their providers', async () => {
  assert.equal(countConnections(256), 96);
  assert.equal(countConnections(64), 16);
  assert.equal(countConnections(Infinity), 100_000);
  assert.equal((await load({})).maxConnections, countConnections(readDescriptorLimit()));
  assert.equal((await load({ yaml: 'server: { maxConnections: 7 }\n' })).maxConnections, 7);
});

test('a host of `server.hosts` has no scheme and no port', async () => {
  const yaml = 'server: { hosts: ["sluice.example", "*.team.example", "10.0.0.7", "[::1]", "*"] }\n';
  assert.equal((await load({ yaml })).hosts.length, 5);
  for (const host of ['https://sluice.example', 'sluice.example:443', 'a.*.example', ''])
    assert.match((await findProblems({ yaml: `server: { hosts: ["${host}"] }\n` })).join(), /hosts/, host);
});

test('a configuration file given by name must exist', async () => {
  assert.match(
    (await findProblems({ flags: { config: 'other.yaml' } })).join(),
    /^--config: there is no file .*other\.yaml; create it, or name another$/,
  );
});

test('an empty file is a configuration', async () => {
  assert.equal((await load({ yaml: '# nothing yet\n' })).port, 8787);
});

test('an unknown key is an error at its line and column, with the key that was meant', async () => {
  const yaml = 'allowUnpriced: true\nproviders:\n  - id: openai\n    baseURL: http://127.0.0.1:1/v1\n';
  assert.deepEqual(await findProblems({ yaml }), [
    'sluice.yaml:4:5: unknown key "baseURL"; did you mean "baseUrl"?',
  ]);
});

test('all problems are reported together, each with its position', async () => {
  const yaml = [
    'server:',
    '  prot: 9000',
    'drainSeconds: soon',
    'providers:',
    '  - id: acme',
    '    format: chatt',
    '    baseUrl: localhost',
    '    apiKey: ${ACME_KEY}',
    '    models:',
    '      - { id: large, price: { input: true, output: "15" } }',
    '      - { contextLength: 5 }',
  ].join('\n');
  const problems = await findProblems({ yaml });
  assert.deepEqual(problems.toSorted(), [
    'sluice.yaml:10:38: providers[0].models[0].price.input must be text; write it in quotes',
    'sluice.yaml:11:9: providers[0].models[1] "id" is missing',
    'sluice.yaml:2:3: unknown key "prot"; did you mean "port"?',
    'sluice.yaml:3:15: drainSeconds must be a whole number',
    'sluice.yaml:6:13: providers[0].format must be one of chat, messages, responses, gemini, converse',
    'sluice.yaml:7:14: providers[0].baseUrl is malformed: An address, such as https://api.example.com/v1.',
    'sluice.yaml:8:13: the environment variable ACME_KEY is not set; set it, or write ${ACME_KEY:-default}',
  ]);
});

test('text that is no YAML is an error at its place', async () => {
  const [problem = ''] = await findProblems({ yaml: 'server:\n  port: 1\n port: 2\n' });
  assert.match(problem, /^sluice\.yaml:3:\d+: /);
});

test('an unquoted variable inside { } is reported once, with the correct form', async () => {
  const problems = await findProblems({ yaml: 'server: { port: ${PORT} }\n', environment: { PORT: '1' } });
  assert.equal(problems.length, 1);
  assert.match(problems[0] ?? '', /^sluice\.yaml:1:18: .*inside \{ \} write "\$\{NAME\}" in quotes/);
});

test('${NAME} reads the environment, ${NAME:-default} does without, and a number stays one', async () => {
  const yaml = [
    'server:',
    '  port: ${PORT}',
    'allowUnpriced: ${FREE:-true}',
    'providers:',
    '  - { id: openai, apiKey: "${KEY}", headers: { x-team: "a-${TEAM:-none}" } }',
    '  - { id: groq, apiKey: "${DIGITS}" }',
    'timeouts: { idleMs: "${DIGITS}" }',
  ].join('\n');
  const settings = await load({ yaml, environment: { PORT: '1234', KEY: 'sk-1', DIGITS: '42' } });
  assert.equal(settings.port, 1234);
  assert.equal(settings.allowUnpriced, true);
  assert.equal(settings.credentials.get('openai'), 'sk-1');
  assert.equal(settings.credentials.get('groq'), '42');
  assert.equal(settings.timeouts.idleMs, 42);
  assert.deepEqual(settings.providerHeaders.get('openai'), { 'x-team': 'a-none' });
});

test('a secret is read from the file that NAME_FILE names, and from ${file:/path}', async () => {
  using folder = createTemporaryFolder();
  const file = (name: string, text: string): string => folder.write(name, text);
  const yaml = `providers:\n  - { id: groq, apiKey: "\${file:${file('groq', 'gsk-1\n')}}" }\n  - { id: xai, apiKey: "\${MINE}" }\n`;
  const environment = {
    OPENAI_API_KEY_FILE: file('openai', 'sk-1\r\n'),
    MINE_FILE: file('mine', 'xai-1'),
    SLUICE_SECRET_FILE: file('secret', 's'.repeat(32)),
    DATABASE_URL_FILE: file('database', 'postgres://sluice:pw@db/sluice\n'),
    SSL_CERT_FILE: '/nowhere', // belongs to another program
  };
  const settings = await load({ yaml, environment });
  assert.equal(settings.credentials.get('openai'), 'sk-1');
  assert.equal(settings.credentials.get('groq'), 'gsk-1');
  assert.equal(settings.credentials.get('xai'), 'xai-1');
  assert.equal(settings.secret, 's'.repeat(32));
  assert.equal(settings.databaseUrl, 'postgres://sluice:pw@db/sluice');
});

test('a secret file that cannot be used is named, and its content is not', async () => {
  using folder = createTemporaryFolder();
  const empty = folder.write('empty', '\n');
  const cases: [environment: Record<string, string>, problem: RegExp][] = [
    [
      { OPENAI_API_KEY_FILE: '/nowhere/key' },
      /^OPENAI_API_KEY_FILE: the file \/nowhere\/key cannot be read: ENOENT/,
    ],
    [
      { DATABASE_URL_FILE: empty },
      /^DATABASE_URL_FILE: the file .*\/empty is empty; write the value into it$/,
    ],
    [{ SLUICE_SECRET_FILE: 'secret' }, /^SLUICE_SECRET_FILE: "secret" is not an absolute path/],
    [
      { GROQ_API_KEY_FILE: empty, GROQ_API_KEY: 'gsk' },
      /^GROQ_API_KEY_FILE: GROQ_API_KEY is set, too; unset one/,
    ],
  ];
  for (const [environment, problem] of cases)
    assert.match((await findProblems({ environment })).join('\n'), problem);
  const yaml = 'providers:\n  - { id: openai, apiKey: "${file:relative}" }\n';
  assert.match(
    (await findProblems({ yaml })).join('\n'),
    /^sluice\.yaml:2:27: "relative" is not an absolute path/,
  );
});

test('a value from the environment cannot add to the file’s structure', async () => {
  const yaml = 'providers:\n  - { id: openai, apiKey: "${KEY}" }\n';
  const settings = await load({ yaml, environment: { KEY: 'x", baseUrl: "http://evil.example' } });
  assert.equal(settings.credentials.get('openai'), 'x", baseUrl: "http://evil.example');
  assert.equal(settings.providers[0]?.baseUrl, undefined);
});

test('the providers of the guide: an override of the catalogue’s and one of one’s own', async () => {
  const yaml = [
    'providers:',
    '  - id: openai',
    '    baseUrl: http://127.0.0.1:9000/v1/',
    '    apiKey: ${OPENAI_API_KEY}',
    '  - id: acme',
    '    format: chat',
    '    baseUrl: http://127.0.0.1:9001/v1',
    '    apiKey: ${ACME_KEY}',
    '    models:',
    '      - id: acme-large',
    '        contextLength: 200000',
    '        maxOutput: 32000',
    '        price: { input: "3", output: "15", cacheRead: "0.3", cacheWrite5m: "3.75", cacheWrite1h: "6" }',
  ].join('\n');
  const settings = await load({ yaml, environment: { OPENAI_API_KEY: 'sk-o', ACME_KEY: 'sk-a' } });
  assert.deepEqual(
    settings.providers.map(({ id, baseUrl }) => [id, baseUrl]),
    [
      ['openai', 'http://127.0.0.1:9000/v1'],
      ['acme', 'http://127.0.0.1:9001/v1'],
    ],
  );
  assert.equal(settings.providers[1]?.models?.[0]?.price?.cacheWrite1h, '6');
  assert.deepEqual(
    [...settings.credentials],
    [
      ['openai', 'sk-o'],
      ['acme', 'sk-a'],
    ],
  );
});

test('a provider key in the environment enables the provider; a key in the file takes precedence', async () => {
  const environment = { ANTHROPIC_API_KEY: 'sk-env', OPENAI_API_KEY: '' };
  const fromEnvironment = await load({ environment });
  assert.equal(fromEnvironment.credentials.get('anthropic'), 'sk-env');
  assert.equal(fromEnvironment.credentialSources.get('anthropic'), 'ANTHROPIC_API_KEY');
  assert.equal(fromEnvironment.credentials.has('openai'), false);
  const fromFile = await load({ environment, yaml: 'providers: [{ id: anthropic, apiKey: sk-file }]\n' });
  assert.equal(fromFile.credentials.get('anthropic'), 'sk-file');
  assert.equal(fromFile.credentialSources.get('anthropic'), 'sluice.yaml:1:19');
});

test('an unknown provider without an address is an error that names the nearest one', async () => {
  const [problem = ''] = await findProblems({ yaml: 'providers:\n  - id: antropic\n' });
  assert.match(
    problem,
    /^sluice\.yaml:2:9: the provider "antropic" is not in the catalogue \(did you mean "anthropic"\?\)/,
  );
});

test('a provider configured twice is an error', async () => {
  const problems = await findProblems({ yaml: 'providers: [{ id: openai }, { id: openai }]\n' });
  assert.match(problems.join(), /configured twice/);
});

for (const host of ['0.0.0.0', '::', '192.168.1.7', 'gateway.example']) {
  test(`listening on ${host} is refused unless publicBind is set`, async () => {
    const [problem = ''] = await findProblems({ flags: { host } });
    assert.match(problem, /^--host: .*--public/);
    assert.equal((await load({ flags: { host, public: true } })).host, host);
    assert.equal((await load({ flags: { host }, environment: { SLUICE_PUBLIC_BIND: 'true' } })).host, host);
    assert.equal((await load({ yaml: `server: { host: "${host}", publicBind: true }\n` })).host, host);
  });
}

for (const host of ['127.0.0.1', '::1', 'localhost', '127.8.8.8']) {
  test(`listening on ${host} needs no permission`, async () => {
    assert.equal((await load({ flags: { host } })).host, host);
  });
}

test('malformed variables and flags are named', async () => {
  const problems = await findProblems({
    flags: { port: '99999' },
    environment: { SLUICE_LOG_LEVEL: 'loud', DATABASE_URL: 'mysql://x', SLUICE_SECRET: 'short' },
  });
  const places = problems.map((problem) => problem.split(':')[0]);
  assert.deepEqual(places.toSorted(), ['--port', 'DATABASE_URL', 'SLUICE_LOG_LEVEL', 'SLUICE_SECRET']);
  assert.doesNotMatch(problems.join(), /short|mysql/, 'a value that may be a secret is not repeated');
});
