import type { ModelName, Stores } from '#app';
import { findModelName } from '#app';
import { type CommonOptions, toOrigin } from '../terminal/command.ts';
import { remark } from '../terminal/output.ts';

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
  filter: Readonly<{ [name: string]: unknown }>,
  options: CommonOptions,
): Promise<void> {
  const { accounts, usage, database } = stores;
  await accounts.directory.requireKnown(filter);
  for (const { name, has, by } of NAMES) {
    const value = filter[name];
    if (typeof value !== 'string' || value === '') continue;
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
