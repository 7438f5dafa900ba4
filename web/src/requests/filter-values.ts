import { useQuery } from '@tanstack/react-query';
import { allProjectsQuery, keysQuery, membersQuery, organizationsQuery } from '../api/queries.ts';
import { catalogueQuery } from '../models/catalogue.ts';
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

/** A value of a filter, and its name. */
interface Offer {
  id: string;
  name: string;
}

/** The values that are offered for a filter; none where there is no list, or the session may not read it. */
export function useOffers(filter: FilterName): readonly Offer[] {
  const keys = useQuery({ ...keysQuery, enabled: filter === 'key_id' });
  const projects = useQuery({ ...allProjectsQuery, enabled: filter === 'project_id' });
  const organizations = useQuery({ ...organizationsQuery, enabled: filter === 'organization_id' });
  const members = useQuery({ ...membersQuery, enabled: filter === 'member_id' });
  const models = useQuery({
    ...catalogueQuery,
    enabled: filter === 'model' || filter === 'provider_id',
  });
  if (filter === 'key_id') return (keys.data?.data ?? []).map(({ id, label }) => ({ id, name: label }));
  if (filter === 'project_id') return projects.data?.data ?? [];
  if (filter === 'organization_id') return organizations.data?.data ?? [];
  if (filter === 'member_id') return members.data?.data ?? [];
  if (filter === 'finish_reason') return FINISHES.map(toOffer);
  const catalogue = models.data?.data ?? [];
  if (filter === 'model') return catalogue.map(({ id }) => toOffer(id));
  if (filter !== 'provider_id') return [];
  const providers = catalogue.flatMap((model) => model.providers.map(({ providerId }) => providerId));
  return [...new Set(providers)].sort().map(toOffer);
}

const toOffer = (id: string): Offer => ({ id, name: id });

/** As it is offered: names need not be unique. */
export const describeOffer = ({ id, name }: Offer): string => (id === name ? id : `${name} (${id})`);

/** The value that a text means: that of an offer, or the text itself. */
export function readOffer(text: string, offers: readonly Offer[]): string {
  const typed = text.trim();
  const named = offers.filter(({ name }) => name.toLowerCase() === typed.toLowerCase());
  const [only, ...others] = named;
  const chosen = offers.find((offer) => describeOffer(offer) === typed);
  return chosen?.id ?? (others.length === 0 ? only?.id : undefined) ?? typed;
}
