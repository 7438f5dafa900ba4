import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQueries } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { useCan, useIsMember, useSeesAll } from '../parts/use-can.ts';
import { type NamedPath, useNames } from '../parts/names/use-names.ts';
import type { Part } from '../access/access-search.ts';

/** A key, member, project or organization that the palette can open. */
interface FoundRecord {
  id: string;
  name: string;
  kind: string;
  /** Its page. */
  path: string;
}

interface List {
  path: NamedPath;
  kind: string;
  part?: Part;
  organization?: string;
}

const LISTS: readonly List[] = [
  { path: '/admin/v1/keys', kind: 'key', part: 'keys' },
  { path: '/admin/v1/members', kind: 'member', part: 'members' },
  { path: '/admin/v1/projects', kind: 'project', part: 'projects' },
  { path: '/admin/v1/organizations', kind: 'organization' },
];

/** While somebody types, lists are not read at every letter. */
const CALM_MS = 150;
const LEAST_LETTERS = 2;
const MOST = '5';

/** The projects of so many organizations are searched by who sees all. */
const MOST_ORGANIZATIONS = 10;

/** Records whose names contain a text; of a member only its own keys have a page. */
export function useFoundRecords(text: string): readonly FoundRecord[] {
  const [search] = useDebouncedValue(text.trim(), CALM_MS);
  const canRead = useCan()('accounts', 'read');
  const enabled = canRead && search.length >= LEAST_LETTERS;
  const lists = useLists(enabled);
  const read = useQueries({
    queries: lists.map(({ path, organization }) => {
      const query = {
        search,
        limit: MOST,
        ...(organization !== undefined && { organization_id: organization }),
      };
      return {
        queryKey: ['names', path, query],
        queryFn: () => call('get', path, { query }),
        placeholderData: keepPreviousData,
        enabled,
      };
    }),
  });
  if (!enabled) return [];
  return lists.flatMap((list, index) => (read[index]?.data?.data ?? []).map((one) => toFound(one, list)));
}

/** Projects are listed by organization. */
function useLists(enabled: boolean): readonly List[] {
  const isMember = useIsMember();
  const seesAll = useSeesAll();
  const { names } = useNames('/admin/v1/organizations', { enabled: enabled && seesAll });
  if (isMember) return LISTS.filter(({ part }) => part === 'keys');
  if (!seesAll) return LISTS;
  return LISTS.flatMap((list) =>
    list.part === 'projects'
      ? names.slice(0, MOST_ORGANIZATIONS).map(({ id }) => ({ ...list, organization: id }))
      : [list],
  );
}

type ListedRecord = { id: string; organization_id?: string } & ({ name: string } | { label: string });

function toFound(record: ListedRecord, { kind, part }: List): FoundRecord {
  const { id, organization_id: organization = id } = record;
  const place = new URLSearchParams({ organization, ...(part && { part, open: id }) });
  const name = 'name' in record ? record.name : record.label;
  return { id, name, kind, path: `/access?${place.toString()}` };
}
