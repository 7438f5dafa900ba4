import type { Command } from 'commander';
import type { ModelEntry } from '#app';
import { listConfiguredModels } from '#app';
import { type CommonOptions, defineCommand, toOrigin } from '../terminal/command.ts';
import { print } from '../terminal/output.ts';
import { formatTable } from '../terminal/table.ts';

interface ModelsOptions extends CommonOptions {
  mapped?: boolean;
  live?: boolean;
  includeDeactivated?: boolean;
  excludeDeprecated?: boolean;
  /** How commander parses --no-training. */
  training: boolean;
}

export function createModelsCommand(): Command {
  return defineCommand({
    name: 'models',
    summary: 'List models, with the filters of GET /v1/models.',
    examples: ['models', 'models claude --live', 'models --mapped --exclude-deprecated'],
  })
    .argument('[text]', 'only models whose id or alias contains this')
    .option('--mapped', 'one row per provider, named provider/model')
    .option('--live', 'only models of providers that have a key here')
    .option('--include-deactivated', 'deactivated models too')
    .option('--exclude-deprecated', 'without deprecated models')
    .option('--no-training', 'only providers that do not train on API data')
    .action(async (text: string | undefined, options: ModelsOptions) => {
      const entries = await listConfiguredModels(toOrigin(options), {
        mapped: options.mapped === true,
        live: options.live === true,
        includeDeactivated: options.includeDeactivated === true,
        excludeDeprecated: options.excludeDeprecated === true,
        noTraining: !options.training,
      });
      const data = text === undefined ? entries : entries.filter((entry) => isNamed(entry, text));
      print(options, { object: 'list', data }, () =>
        data.length === 0 ? ['no models'] : formatModels(data),
      );
    });
}

function isNamed({ id, aliases }: ModelEntry, text: string): boolean {
  return [id, ...aliases].some((name) => name.toLowerCase().includes(text.toLowerCase()));
}

/** A provider that offers a model under several names, such as in regions, is named once. */
export function formatModels(entries: readonly ModelEntry[]): string[] {
  return formatTable(
    ['model', 'context', 'output', 'usd/m in', 'usd/m out', 'providers'],
    entries.map((entry) => [
      entry.id,
      entry.context_length === 0 ? '?' : String(entry.context_length),
      entry.max_output === 0 ? '?' : String(entry.max_output),
      ...formatPrices(entry),
      [...new Set(entry.providers.map(({ providerId }) => providerId))].join(', '),
    ]),
  );
}

/** The prices per token; dashes for a model that is priced by other units. */
function formatPrices({ pricing, free }: ModelEntry): string[] {
  const prices = [pricing.prompt, pricing.completion].map(formatPerMillion);
  return !free && prices.every((price) => price === '0') ? ['–', '–'] : prices;
}

/** USD per token as USD per million tokens: the point moves six places. */
export function formatPerMillion(perToken: string): string {
  const [whole = '0', fraction = ''] = perToken.split('.');
  const moved = `${whole}${fraction.slice(0, 6).padEnd(6, '0')}`.replace(/^0+(?=\d)/, '');
  const rest = fraction.slice(6).replace(/0+$/, '');
  return rest === '' ? moved : `${moved}.${rest}`;
}
