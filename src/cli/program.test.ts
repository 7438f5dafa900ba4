import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Command, CommanderError } from 'commander';
import { createProgram } from './program.ts';

function listLeaves(command: Command, path: readonly string[] = []): { path: string; command: Command }[] {
  const children = command.commands;
  if (children.length === 0) return [{ path: path.join(' '), command }];
  return children.flatMap((child) => listLeaves(child, [...path, child.name()]));
}

function readHelp(command: Command): string {
  let text = '';
  command.configureOutput({ writeOut: (part) => (text += part), getOutHelpWidth: () => 80 });
  command.outputHelp();
  return text;
}

function listAll(command: Command): Command[] {
  return [command, ...command.commands.flatMap(listAll)];
}

test('every help text fits 80 columns except for command lines to copy, and shows defaults as they are typed', () => {
  for (const command of listAll(createProgram())) {
    for (const line of readHelp(command).split('\n')) {
      assert.ok(line.length <= 80 || line.includes('$ npx sluice'), `${command.name()}: ${line}`);
      assert.doesNotMatch(line, /default: (\d{5}|\[)/, command.name());
    }
  }
});

test('commands are listed by what they are for, each in a few words', () => {
  const help = readHelp(createProgram());
  for (const heading of ['Clients:', 'Organizations, keys and limits:', 'Usage and cost:', 'Operation:'])
    assert.ok(help.includes(`\n${heading}\n  `), heading);
  assert.doesNotMatch(help, /\n +\S.*\n {10,}.*\n {10,}.*\n {10,}/, 'more than three lines of one command');
});

const LEAVES = listLeaves(createProgram());

test('what has names is searched by them', () => {
  for (const group of ['orgs', 'projects', 'keys', 'members']) {
    const list = LEAVES.find(({ path }) => path === `${group} list`);
    assert.ok(
      list?.command.options.some(({ long }) => long === '--search'),
      group,
    );
  }
});

test('a time that ends before it starts is refused by every command that takes both ends', async () => {
  const spans = LEAVES.filter(({ command }) => command.options.some(({ long }) => long === '--until'));
  assert.ok(spans.length >= 8);
  for (const span of spans) {
    for (const start of ['--last', '--since']) {
      const text = await refuse(span, start, '2026-11-03', '--until', '2026-11-02');
      const times = '--since (2026-11-03 00:00:00) is after --until (2026-11-02 00:00:00)';
      assert.ok(text.includes(times), `${span.path}: ${text}`);
    }
  }
});

test('a time that ends before its usual start is refused, with the option that sets the start', async () => {
  const usual: Record<string, string> = {
    advise: '7d',
    'cache-misses': '7d',
    'sessions list': '1d',
    'what-if': '30d',
  };
  for (const [path, age] of Object.entries(usual)) {
    const leaf = LEAVES.find((one) => one.path === path);
    assert.ok(leaf, path);
    const message =
      `error: --until (2020-01-01 00:00:00) is before the usual start, ${age} ago; ` +
      'name one with --since (times are UTC)';
    assert.ok((await refuse(leaf, '--until', '2020-01-01')).includes(message), path);
  }
});

test('the start of a time has the same two names in every command', () => {
  const options = LEAVES.flatMap(({ command }) => command.options);
  const starts = options.filter(({ flags }) => /--(last|since)\b/.test(flags));
  assert.ok(starts.length >= 12, String(starts.length));
  assert.deepEqual([...new Set(starts.map(({ flags }) => flags))], ['--last, --since <time>']);
});

/** What a command prints when it refuses its options. */
async function refuse({ path, command }: (typeof LEAVES)[number], ...options: string[]): Promise<string> {
  const needed = command.options.flatMap(({ mandatory, long }) => (mandatory ? [long ?? '', 'x'] : []));
  const words = [...path.split(' '), ...command.registeredArguments.map(() => 'x'), ...needed];
  const program = createProgram();
  let text = '';
  for (const one of listAll(program)) one.configureOutput({ writeErr: (part) => (text += part) });
  await assert.rejects(program.parseAsync([...words, ...options], { from: 'user' }), CommanderError, path);
  return text;
}

test('the help of an unknown command says that it is unknown, of the program and of a group', async () => {
  for (const words of [
    ['help', 'nope'],
    ['keys', 'help', 'nope'],
  ]) {
    const program = createProgram();
    let text = '';
    for (const one of listAll(program)) one.configureOutput({ writeErr: (part) => (text += part) });
    await assert.rejects(program.parseAsync(words, { from: 'user' }), CommanderError);
    assert.match(text, /^error: unknown command 'nope'\n+\(add --help for /);
  }
});

test('every command that was promised is there', () => {
  assert.deepEqual(
    LEAVES.map(({ path }) => path).sort(),
    [
      'start',
      'dashboard',
      'orgs create',
      'orgs list',
      'orgs recurring',
      'orgs remove',
      'orgs rename',
      'orgs limits',
      'plans set',
      'plans show',
      'plans list',
      'credits add',
      'projects create',
      'projects limit',
      'projects list',
      'projects recurring',
      'projects remove',
      'projects rename',
      'projects min-output',
      'projects routing',
      'projects continue',
      'projects cache-marks',
      'cache set',
      'payloads set',
      'payloads delete',
      'keys create',
      'keys list',
      'keys rotate',
      'keys expire',
      'keys disable',
      'keys enable',
      'keys delete',
      'keys rename',
      'keys limit',
      'keys recurring',
      'keys limits',
      'keys routing',
      'members add',
      'members list',
      'members rename',
      'members role',
      'members budget',
      'members limit',
      'members recurring',
      'members remove',
      'session-tokens create',
      'session-tokens list',
      'session-tokens revoke',
      'budgets',
      'rules add',
      'rules list',
      'rules remove',
      'provider-keys set',
      'provider-keys list',
      'provider-keys remove',
      'provider-keys test',
      'custom-providers add',
      'custom-providers update',
      'custom-providers list',
      'custom-providers remove',
      'custom-providers test',
      'custom-models add',
      'custom-models list',
      'custom-models remove',
      'admin-keys create',
      'admin-keys list',
      'admin-keys disable',
      'admin-keys enable',
      'dashboard-sessions list',
      'dashboard-sessions end',
      'audit',
      'apply',
      'export',
      'providers list',
      'providers test',
      'models',
      'catalogue diff',
      'catalogue update',
      'catalogue sign',
      'catalogue keygen',
      'route explain',
      'secrets rotate',
      'logs',
      'usage',
      'sessions list',
      'sessions show',
      'what-if',
      'replay',
      'cache-misses',
      'advise',
      'experiments',
      'exports list',
      'exports reset',
      'alerts list',
      'alerts test',
      'ledger check',
      'ledger explain',
      'reconcile anthropic',
      'reconcile openai',
      'reconcile csv',
      'videos list',
      'videos cancel',
      'videos webhook',
      'backup',
      'restore',
      'database move',
      'config check',
      'doctor',
      'support-bundle',
      'claude',
      'codex',
      'opencode',
      'gemini',
      'env',
      'version',
    ].sort(),
    'a command of a release stays; add a new one to this list',
  );
});

for (const { path, command } of LEAVES) {
  test(`sluice ${path} --help has a description, the common options and an example`, () => {
    const help = readHelp(command);
    assert.ok(command.description().length > 10);
    for (const option of ['--json', '--data-dir <dir>', '--config <file>'])
      assert.ok(help.includes(option), option);
    assert.match(help, new RegExp(`\\$ npx sluice ${path}`));
  });

  test(`the examples of sluice ${path} are valid command lines`, () => {
    const examples = [...readHelp(command).matchAll(/\$ npx sluice (.*)/g)].map(([, line]) => line ?? '');
    for (const example of examples) parseWithoutRunning(splitWords(example));
  });
}

/** Throws where an option or argument is unknown or malformed. */
function parseWithoutRunning(words: string[]): void {
  const program = createProgram();
  for (const { command } of listLeaves(program)) {
    command.action(() => undefined).configureOutput({ writeErr: () => undefined });
  }
  program.parse(words, { from: 'user' });
}

function splitWords(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
}

test('arguments of Claude Code are passed on, also those that look like options', () => {
  const program = createProgram();
  const claude = program.commands.find((command) => command.name() === 'claude');
  let passed: unknown;
  claude?.action((args: string[]) => {
    passed = args;
  });
  program.parse(['claude', '--run', '--model', 'm', '-p', 'hello', '--output-format', 'json'], {
    from: 'user',
  });
  assert.deepEqual(passed, ['-p', 'hello', '--output-format', 'json']);
});
