import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { call } from '../api/client.ts';

/** Lists whose records have names, and can be searched for them. */
export type NamedPath =
  | '/admin/v1/organizations'
  | '/admin/v1/projects'
  | '/admin/v1/keys'
  | '/admin/v1/members';

export interface Named {
  id: string;
  name: string;
}

interface NamesOptions {
  enabled?: boolean;
  search?: string;
  filter?: Readonly<Record<string, string | undefined>>;
}

const MOST = '100';

/** The first 100 names of a list, or of those that contain a text. */
export function useNames(
  path: NamedPath,
  { enabled = true, search = '', filter = {} }: NamesOptions = {},
): { names: readonly Named[]; hasMore: boolean } {
  const { data } = useQuery({
    queryKey: ['names', path, search, filter],
    queryFn: () => call('get', path, { query: { ...filter, search, limit: MOST } }),
    enabled,
    placeholderData: keepPreviousData,
  });
  return {
    names: (data?.data ?? []).map(toNamed),
    hasMore: data?.has_more ?? true,
  };
}

/** One record of a list; absent until it is read, or where it may not be. */
export function useName(path: NamedPath, id: string | undefined): Named | undefined {
  const { data } = useQuery({
    queryKey: ['name', path, id],
    queryFn: () => call('get', `${path}/{id}`, { id: id ?? '' }),
    enabled: id !== undefined,
  });
  return data && id !== undefined ? toNamed(data) : undefined;
}

type Listed = { id: string } & ({ name: string } | { label: string });

const toNamed = (record: Listed): Named => ({
  id: record.id,
  name: 'name' in record ? record.name : record.label,
});
