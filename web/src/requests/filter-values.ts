import { useQuery } from '@tanstack/react-query';
import { catalogueQuery } from '../models/catalogue.ts';
import { ERROR_CODES, FINISH_REASONS, describeError, describeFinish } from '../parts/endings.ts';
import { type NamedRecord, type NamedPath, useName, useNames } from '../parts/names/use-names.ts';
import type { FilterName } from './requests-search.ts';

/** Filters whose values are records with names. */
const LISTS: { readonly [Filter in FilterName]?: NamedPath } = {
  key_id: '/admin/v1/keys',
  project_id: '/admin/v1/projects',
  organization_id: '/admin/v1/organizations',
  member_id: '/admin/v1/members',
};

/** What a value is called, where that is not the value itself. */
export function useValueName(filter: FilterName, value: string): string | undefined {
  const name = useName(LISTS[filter] && value);
  if (filter === 'error_code') return describeError(value);
  return filter === 'finish_reason' ? describeFinish(value) : name;
}

/**
 * The values that are offered for a filter, those whose name contains a text; none where there is no list, or the session may
 * not read it.
 */
export function useOffers(filter: FilterName, search: string): readonly NamedRecord[] {
  const list = LISTS[filter];
  const { names } = useNames(list ?? '/admin/v1/keys', { enabled: list !== undefined, search });
  const models = useQuery({
    ...catalogueQuery,
    enabled: filter === 'model' || filter === 'provider_id',
  });
  if (list !== undefined) return names;
  if (filter === 'finish_reason') return FINISH_REASONS.map((id) => ({ id, name: describeFinish(id) }));
  if (filter === 'error_code') return ERROR_CODES.map((id) => ({ id, name: describeError(id) }));
  const catalogue = models.data?.data ?? [];
  if (filter === 'model') return catalogue.map(({ id }) => toOffer(id));
  if (filter !== 'provider_id') return [];
  const providers = catalogue.flatMap((model) => model.providers.map(({ providerId }) => providerId));
  return [...new Set(providers)].sort().map(toOffer);
}

const toOffer = (id: string): NamedRecord => ({ id, name: id });

/** As it is offered: names need not be unique. */
export const describeOffer = ({ id, name }: NamedRecord): string => (id === name ? id : `${name} (${id})`);

/** The value that a text means: that of an offer, or the text itself. */
export function readOffer(text: string, offers: readonly NamedRecord[]): string {
  const typed = text.trim();
  const named = offers.filter(({ name }) => name.toLowerCase() === typed.toLowerCase());
  const [only, ...others] = named;
  const chosen = offers.find((offer) => describeOffer(offer) === typed);
  return chosen?.id ?? (others.length === 0 ? only?.id : undefined) ?? typed;
}
