import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { catalogueQuery } from '../models/catalogue.ts';
import type { Suggestions } from './fields/routing-fields.ts';

/** Names of models and providers that the gateway knows. */
export function useSuggestions(): Suggestions {
  const { data } = useQuery(catalogueQuery);
  return useMemo(() => {
    const models = data?.data ?? [];
    const providers = models.flatMap((model) => model.providers.map(({ providerId }) => providerId));
    return { models: models.map(({ id }) => id), providers: [...new Set(providers)].sort() };
  }, [data]);
}
