import type { FilterName, FilterSpec, ModelName, RequestFilter, Stores } from '#app';
import { FILTER_NAMES, REQUEST_FILTERS, findModelName } from '#app';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type CommonOptions, toOrigin } from '../terminal/command.ts';
import { remark } from '../terminal/output.ts';

type OptionName<Flags> = Flags extends `--${infer Name} <${string}` ? CamelCase<Name> : never;
type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

/** The values of the options, under the names that commander gives them. Times are milliseconds since the Unix epoch. */
export type FilterOptions = {
  [Name in FilterName as OptionName<(typeof REQUEST_FILTERS)[Name][0]>]?: string | undefined;
} & { since?: number | undefined; until?: number | undefined };

type Filter = RequestFilter & { since?: number; until?: number };

/** Adds options that select requests. */
export function addFilters(command: Command, names: readonly FilterName[]): Command {
  for (const name of names) command.addOption(createFilterOption(name));
  return command;
}

function createFilterOption(name: FilterName): Option {
  const [flags, only, , values]: FilterSpec = REQUEST_FILTERS[name];
  const option = new Option(flags, `only ${only}`);
  if (values === undefined) return option;
  return option.argParser((text) => {
    if (values.includes(text)) return text;
    throw new InvalidArgumentError(`Known are ${values.join(', ')}.`);
  });
}

/** The filter that a command's options ask for; other options are ignored. */
export function toFilter(options: FilterOptions): Filter {
  const { since, until } = options;
  const filter: Partial<Record<FilterName, string>> = {};
  for (const name of FILTER_NAMES) {
    const value = options[createFilterOption(name).attributeName() as keyof typeof options];
    if (typeof value === 'string') filter[name] = value;
  }
  return {
    ...(filter as RequestFilter),
    ...(since !== undefined && { since }),
    ...(until !== undefined && { until }),
  };
}

/** Names that are in no list of ids: how a request has them, and what lists them. */
const NAMES = [
  { name: 'model', has: 'was answered by the model', by: 'model' },
  { name: 'providerId', has: 'was answered by the provider', by: 'provider' },
  { name: 'clientName', has: 'came from the client', by: 'client' },
] as const;

/**
 * Called where a filter finds nothing. Throws `not_found` for an id that never existed, and remarks on a name that no
 * request has.
 */
export async function explainEmptyResult(
  stores: Stores,
  filter: Filter,
  options: CommonOptions,
): Promise<void> {
  const { accounts, usage, database } = stores;
  await accounts.directory.requireKnown(filter);
  for (const { name, has, by } of NAMES) {
    const value = filter[name];
    if (value === undefined || value === '') continue;
    const { total } = await usage.report({ [name]: value }, 'all');
    if (total) continue;
    const meant = name === 'model' ? await findModelName(toOrigin(options), database, value) : undefined;
    const hint = meant ? describeMeant(meant) : `npx sluice usage --by ${by} lists what there is`;
    remark(`no request ${has} ${JSON.stringify(value)}; ${hint}`);
  }
}

const describeMeant = ({ modelId, providerId }: ModelName): string =>
  providerId === undefined
    ? `it is another name of ${modelId}: ask for that`
    : `ask for the model ${modelId} and the provider ${providerId}`;
