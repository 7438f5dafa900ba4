import { useQuery } from '@tanstack/react-query';
import { catalogueQuery } from '../models/catalogue.ts';
import { type Named, type NamedPath, useName, useNames } from '../parts/use-names.ts';
import type { FilterName } from './requests-search.ts';

const FINISHES = [
  'completed',
  'length',
  'tool_calls',
  'content_filter',
  'canceled',
  'client_error',
  'upstream_error',
  'gateway_error',
];

/** Filters whose values are records with names. */
const LISTS: { readonly [Filter in FilterName]?: NamedPath } = {
  key_id: '/admin/v1/keys',
  project_id: '/admin/v1/projects',
  organization_id: '/admin/v1/organizations',
  member_id: '/admin/v1/members',
};

/** The name of a value, where it is that of a record. */
export const useValueName = (filter: FilterName, value: string): string | undefined =>
  useName(LISTS[filter] && value);

/**
 * The values that are offered for a filter, those whose name contains a text; none where there is no list, or the session may
 * not read it.
 */
export function useOffers(filter: FilterName, search: string): readonly Named[] {
  const list = LISTS[filter];
  const { names } = useNames(list ?? '/admin/v1/keys', { enabled: list !== undefined, search });
  const models = useQuery({
    ...catalogueQuery,
    enabled: filter === 'model' || filter === 'provider_id',
  });
  if (list !== undefined) return names;
  if (filter === 'finish_reason') return FINISHES.map(toOffer);
  const catalogue = models.data?.data ?? [];
  if (filter === 'model') return catalogue.map(({ id }) => toOffer(id));
  if (filter !== 'provider_id') return [];
  const providers = catalogue.flatMap((model) => model.providers.map(({ providerId }) => providerId));
  return [...new Set(providers)].sort().map(toOffer);
}

const toOffer = (id: string): Named => ({ id, name: id });

/** As it is offered: names need not be unique. */
export const describeOffer = ({ id, name }: Named): string => (id === name ? id : `${name} (${id})`);

/** The value that a text means: that of an offer, or the text itself. */
export function readOffer(text: string, offers: readonly Named[]): string {
  const typed = text.trim();
  const named = offers.filter(({ name }) => name.toLowerCase() === typed.toLowerCase());
  const [only, ...others] = named;
  const chosen = offers.find((offer) => describeOffer(offer) === typed);
  return chosen?.id ?? (others.length === 0 ? only?.id : undefined) ?? typed;
}
