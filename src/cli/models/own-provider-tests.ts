import type { Command } from 'commander';
import { loadSettings, testOwnProvider } from '#app';
import { type CommonOptions, defineCommand, toOrigin } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { getOrganizationId, withStores } from '../terminal/with-stores.ts';
import { encodeResult, formatTests } from './providers.ts';

interface TestOptions extends CommonOptions {
  org?: string;
  model?: string;
}

/** `provider-keys test` */
export const createProviderKeyTest = (): Command =>
  createTest('<provider>', 'the provider the key is for', {
    summary:
      'Send the smallest request with an organization’s own key (a few tokens). Exit code 1 where it fails.',
    examples: ['provider-keys test --org org_… openai --model gpt-5-mini'],
  });

/** `custom-providers test` */
export const createCustomProviderTest = (): Command =>
  createTest('<name>', 'the provider', {
    summary: 'Send the smallest request to a custom provider (a few tokens). Exit code 1 where it fails.',
    examples: [
      'custom-providers test --org org_… acme',
      'custom-providers test --org org_… acme --model large',
    ],
  });

function createTest(
  argument: string,
  description: string,
  help: { summary: string; examples: string[] },
): Command {
  return defineCommand({ name: 'test', ...help })
    .option('--org <id>', 'the organization (default: the first)')
    .option('--model <name>', 'the model to ask (default: the cheapest)')
    .argument(argument, description)
    .action(testOwn);
}

async function testOwn(providerId: string, options: TestOptions): Promise<void> {
  const { model } = options;
  const settings = await loadSettings(toOrigin(options));
  const result = await withStores(options, async (stores, { org }) => {
    const organizationId = await getOrganizationId(stores.accounts.directory, org);
    const wanted = { organizationId, providerId, ...(model !== undefined && { model }) };
    return testOwnProvider(settings, stores, wanted);
  });
  if (!result.ok) process.exitCode = 1;
  const json = { object: 'provider_test', provider: result.providerId, ...encodeResult(result) };
  print(options, json, () => formatTests([result]));
}
