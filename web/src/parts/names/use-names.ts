import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { type AnswerOf, call } from '../../api/client.ts';
import { useCan } from '../use-can.ts';

/** Lists whose records have names, and can be searched for them. */
export type NamedPath =
  | '/admin/v1/organizations'
  | '/admin/v1/projects'
  | '/admin/v1/keys'
  | '/admin/v1/members';

export interface NamedRecord {
  id: string;
  name: string;
}

interface NamesOptions {
  enabled?: boolean;
  search?: string;
  filter?: Readonly<Record<string, string | undefined>>;
}

const MOST = '100';
const MOST_IDS = 100;
/** Names hardly change. */
const NAMES_MS = 60_000;

/** The first 100 names of a list, or of those that contain a text. */
export function useNames(
  path: NamedPath,
  { enabled = true, search = '', filter = {} }: NamesOptions = {},
): { names: readonly NamedRecord[]; hasMore: boolean } {
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

/** Names of keys, projects, members and organizations by their ids, as far as they are read and the session may read them. */
export function useNamesOf(ids: readonly string[]): ReadonlyMap<string, string> {
  const enabled = useCan()('accounts', 'read');
  const asked = enabled ? [...new Set(ids)].sort() : [];
  const pages = Array.from({ length: Math.ceil(asked.length / MOST_IDS) }, (_, page) =>
    asked.slice(page * MOST_IDS, (page + 1) * MOST_IDS).join(','),
  );
  return useQueries({
    queries: pages.map((page) => ({
      queryKey: ['names-of', page],
      queryFn: () => call('get', '/admin/v1/names', { query: { ids: page } }),
      placeholderData: keepPreviousData,
      staleTime: NAMES_MS,
    })),
    combine: combineNames,
  });
}

const combineNames = (
  pages: readonly { data: AnswerOf<'/admin/v1/names', 'get'> | undefined }[],
): ReadonlyMap<string, string> =>
  new Map(
    pages
      .flatMap(({ data }) => data?.data ?? [])
      .map(({ id, name, removed }) => [id, removed ? `${name} (removed)` : name]),
  );

/** The name of one record; absent until it is read, or where it may not be. */
export function useName(id: string | undefined): string | undefined {
  const names = useNamesOf(id === undefined ? [] : [id]);
  return id === undefined ? undefined : names.get(id);
}

type ListedRecord = { id: string } & ({ name: string } | { label: string });

const toNamed = (record: ListedRecord): NamedRecord => ({
  id: record.id,
  name: 'name' in record ? record.name : record.label,
});
