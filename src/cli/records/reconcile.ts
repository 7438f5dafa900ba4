import type { Command } from 'commander';
import {
  type ReconcileRequest,
  encodeLedgerCheck,
  encodeReconciliation,
  loadStoreSettings,
  reconcileProvider,
  sumDifferences,
} from '#app';
import { type PicoUsd } from '#base';
import { type CommonOptions, defineCommand, defineGroup, toOrigin } from '../terminal/command.ts';
import { checkLedger, describeLedgerCheck } from './check-ledger.ts';
import { formatReconciliation } from './format-reconciliation.ts';
import { interruptible } from '../terminal/interruption.ts';
import { print } from '../terminal/output.ts';
import { readAmount } from '../terminal/read-amount.ts';
import { createStartOption, readSince } from '../terminal/read-time.ts';
import { withStores } from '../terminal/with-stores.ts';

interface ReconcileOptions extends CommonOptions {
  since?: number;
  until?: number;
  file?: string[];
  provider?: string;
  apiKeyId?: string[];
  workspace?: string[];
  providerProject?: string[];
  baseUrl?: string;
  toleranceUsd?: PicoUsd;
}

export function createReconcileCommand(): Command {
  const anthropic = createAccount({
    source: 'anthropic',
    reports: 'the usage and cost reports of Anthropic’s Admin API',
    variable: 'ANTHROPIC_ADMIN_KEY',
    examples: [
      'reconcile anthropic',
      'reconcile anthropic --since 2026-11-01 --until 2026-11-08 --workspace wrkspc_…',
      'reconcile anthropic --file usage-1.json usage-2.json costs.json --json',
    ],
  }).option('--workspace <id...>', 'only these workspaces of the account');
  const openai = createAccount({
    source: 'openai',
    reports: 'the usage and costs of OpenAI’s administration API',
    variable: 'OPENAI_ADMIN_KEY',
    examples: [
      'reconcile openai',
      'reconcile openai --since 30d --provider-project proj_…',
      'reconcile openai --file usage.json costs.json --tolerance-usd 0.01',
    ],
  }).option('--provider-project <id...>', 'only these projects of the account');
  return defineGroup('reconcile', 'Compare what providers bill with the rows of this gateway.', [
    anthropic,
    openai,
    createCsv(),
  ]);
}

interface AccountSpec {
  source: 'anthropic' | 'openai';
  reports: string;
  /** Holds the key they are fetched with. */
  variable: string;
  examples: readonly string[];
}

function createAccount({ source, reports, variable, examples }: AccountSpec): Command {
  const summary =
    `Compare with ${reports}: of the last 7 days, fetched with ${variable}, or from files. ` +
    'Exit code 1 if a difference has no explanation.';
  return withCommon(defineCommand({ name: source, summary, examples }))
    .option('--file <page...>', 'pages as the API returned them, instead of fetching them')
    .option('--api-key-id <id...>', 'only these API keys of the account')
    .option('--base-url <url>', 'of the API')
    .option('--provider <id>', `the provider here (default: ${source})`)
    .action((options: ReconcileOptions) => run(options, { source, files: options.file ?? [] }));
}

function createCsv(): Command {
  return withCommon(
    defineCommand({
      name: 'csv',
      summary:
        'Compare with a CSV file of any provider: a line per request (upstream_id, time or hour), or per bucket ' +
        '(hour or day), with any of model, requests, input_tokens, cache_read_tokens, cache_write_tokens, ' +
        'cache_write_5m_tokens, cache_write_1h_tokens, output_tokens, web_searches and cost_usd. ' +
        'Exit code 1 if a difference has no explanation.',
      examples: [
        'reconcile csv requests.csv --provider mistral',
        'reconcile csv hours.csv --provider acme --json',
      ],
    }),
  )
    .argument('<file...>', 'the files')
    .requiredOption('--provider <id>', 'the provider here')
    .action((files: string[], options: ReconcileOptions) => run(options, { source: 'csv', files }));
}

function withCommon(command: Command): Command {
  return command
    .addOption(createStartOption('from this time: 7d, a day or an ISO time'))
    .option('--until <time>', 'before this time', readSince)
    .option('--tolerance-usd <amount>', 'the difference allowed in a cost (default: 0)', readAmount);
}

async function run(
  options: ReconcileOptions,
  { source, files }: Pick<ReconcileRequest, 'source' | 'files'>,
): Promise<void> {
  const { since, until, provider = source, apiKeyId, workspace, providerProject, baseUrl } = options;
  const request: ReconcileRequest = {
    source,
    files,
    since,
    until,
    baseUrl,
    providerId: provider,
    apiKeyIds: apiKeyId,
    partIds: workspace ?? providerProject,
    tolerance: options.toleranceUsd ?? 0n,
  };
  const found = await withStores(options, (stores) => reconcileProvider(toOrigin(options), stores, request));
  const books = await interruptible((signal) => checkLedger(loadStoreSettings(toOrigin(options)), signal));
  const isAgreed = sumDifferences(found.differences).unexplained === 0;
  if (!isAgreed || books.differences.length > 0) process.exitCode = 1;
  print(options, { ...encodeReconciliation(found), ledger: encodeLedgerCheck(books) }, () => [
    ...formatReconciliation(found),
    '',
    ...describeLedgerCheck(books).map((line, at) => (at === 0 ? `ledger check: ${line}` : line)),
  ]);
}
