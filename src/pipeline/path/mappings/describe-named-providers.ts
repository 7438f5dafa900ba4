import type { AccessRefusal, AccessRule } from '#accounts';
import type { Mapping } from '#catalogue';
import type { LiveSettings } from '../../request/ports.ts';
import { formatFirst } from '#base';

const MOST_NAMED = 10;

/** The members of a request's `provider` object that name providers, by the rule that each becomes. */
const MEMBERS: Readonly<Record<string, string>> = {
  'allow-providers': 'only',
  'deny-providers': 'ignore',
};

interface Offered {
  live: Pick<LiveSettings, 'catalogue' | 'own'>;
  /** What the caller could use if the request named no providers. */
  mappings: readonly Mapping[];
}

/** Where a request names the providers that leave it none; undefined if it does not. */
export function findNamingMember({ layer, type }: AccessRefusal): string | undefined {
  const member = layer === 'request' ? MEMBERS[type] : undefined;
  return member === undefined ? undefined : `provider.${member}`;
}

/** The rules of a request but for those that name providers. */
export const withoutNames = (rules: readonly AccessRule[]): readonly AccessRule[] =>
  rules.filter((rule) => findNamingMember(rule) === undefined);

/** Which of the providers that a request names do not exist or do not serve its model, and which do. */
export function describeNamedProviders({ type, values }: AccessRefusal, { live, mappings }: Offered): string {
  const usable = [...new Set(mappings.map(({ providerId }) => providerId))];
  const isOnly = MEMBERS[type] === 'only';
  const unknown = isOnly ? values.filter((name) => !name.includes('*') && !exists(live, name)) : [];
  const unable = isOnly ? values.filter((name) => !unknown.includes(name)) : [];
  return [
    ...(unknown.length > 0 ? [`no provider is named ${formatFirst(unknown, MOST_NAMED)}`] : []),
    ...(unable.length > 0 ? [`not available for it: ${formatFirst(unable, MOST_NAMED)}`] : []),
    usable.length > 0
      ? `available for it: ${formatFirst(usable, MOST_NAMED)}`
      : 'no other is available for it either',
  ].join('; ');
}

function exists({ catalogue, own }: Offered['live'], name: string): boolean {
  const ids = [...catalogue.providers.keys(), ...(own?.providers.keys() ?? [])];
  return ids.some((providerId) => providerId.toLowerCase() === name);
}
