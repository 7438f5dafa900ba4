import type { Command } from 'commander';
import type { ProviderTest } from '#app';
import { listTestableProviders, loadSettings, summarizeProviders, testProviders } from '#app';
import { encodeMembers } from '#base';
import { type CommonOptions, defineCommand, defineGroup, toOrigin } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';

interface ListOptions extends CommonOptions {
  all?: boolean;
}

interface TestOptions extends CommonOptions {
  model?: string;
}

export function createProvidersCommand(): Command {
  return defineGroup('providers', 'List and test providers.', [createList(), createTest()]);
}

function createList(): Command {
  return defineCommand({
    name: 'list',
    summary: 'List the providers that can be called here.',
    examples: ['providers list', 'providers list --all'],
  })
    .option('--all', 'those without a key too')
    .action(async (options: ListOptions) => {
      const all = await summarizeProviders(await loadSettings(toOrigin(options), 'show'));
      const data = options.all === true ? all : all.filter(({ live }) => live);
      const json = data.map(({ baseUrl, ...rest }) => ({ object: 'provider', ...rest, base_url: baseUrl }));
      print(options, { object: 'list', data: json }, () =>
        formatTable(
          ['provider', 'format', 'models', 'key from', 'address'],
          data.map(({ id, format, models, credential, credentials, baseUrl }) => [
            id,
            format,
            String(models),
            (credential ?? '–') + (credentials.length > 0 ? ` (${credentials.join(', ')})` : ''),
            baseUrl ?? 'built in',
          ]),
        ),
      );
    });
}

function createTest(): Command {
  return defineCommand({
    name: 'test',
    summary: 'Send the smallest request to each provider (a few tokens). Exit code 1 where one fails.',
    examples: ['providers test', 'providers test openai --model gpt-5-mini'],
  })
    .argument('[id]', 'only this provider')
    .option('--model <name>', 'the model to ask (default: its cheapest)')
    .action(async (id: string | undefined, options: TestOptions) => {
      const settings = await loadSettings(toOrigin(options));
      const ids = id === undefined ? await listTestableProviders(settings) : [id];
      const data = await testProviders(settings, ids, options.model);
      if (data.some(({ ok }) => !ok)) process.exitCode = 1;
      print(options, { object: 'list', data: data.map(encodeTest) }, () =>
        data.length === 0 ? ['no provider is set up'] : formatTests(data),
      );
    });
}

function encodeTest(test: ProviderTest): object {
  return {
    object: 'provider_test',
    ...encodeMembers(test, ['providerId', 'credential']),
    ...encodeResult(test),
  };
}

/** The result of a test, as JSON. */
export const encodeResult = (test: ProviderTest): object =>
  encodeMembers(test, ['ok', 'model', 'durationMs', 'status', 'message']);

export function formatTests(tests: readonly ProviderTest[]): string[] {
  return formatTable(
    ['provider', 'result', 'model', 'ms', 'message'],
    tests.map(({ providerId, credential, ok, model, durationMs, status, message }) => [
      credential === undefined ? providerId : `${providerId} (${credential})`,
      ok ? 'ok' : status === undefined || status < 300 ? 'failed' : `failed (${status})`,
      model ?? '–',
      String(durationMs),
      message ?? '',
    ]),
  );
}
