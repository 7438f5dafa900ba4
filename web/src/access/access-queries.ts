import { useDebouncedValue } from '@mantine/hooks';
import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  useInfiniteQuery,
  useQueryClient,
} from '@tanstack/react-query';
import { useState } from 'react';
import { type AnswerOf, call } from '../api/client.ts';
import { type Records, toRecords } from '../parts/lists/records.ts';
import type { paths } from '../api/schema.ts';

type ListPath =
  | '/admin/v1/keys'
  | '/admin/v1/members'
  | '/admin/v1/projects'
  | '/admin/v1/organizations'
  | '/admin/v1/rules'
  | '/admin/v1/provider_keys'
  | '/admin/v1/custom_providers'
  | '/admin/v1/custom_models'
  | '/admin/v1/admin_keys'
  | '/admin/v1/dashboard_sessions'
  | '/admin/v1/session_tokens'
  | '/admin/v1/audit_logs';

export type RecordOf<Path extends ListPath> = AnswerOf<Path, 'get'>['data'][number];
export type Key = RecordOf<'/admin/v1/keys'>;
export type Member = RecordOf<'/admin/v1/members'>;
export type Project = RecordOf<'/admin/v1/projects'>;
export type Organization = RecordOf<'/admin/v1/organizations'>;
export type Rule = RecordOf<'/admin/v1/rules'>;

interface Page<Shown> {
  data: readonly Shown[];
  has_more: boolean;
  last_id: string | null;
}

type Filter = Readonly<Record<string, string | undefined>>;

const MOST = '100';

/** A list, page by page. */
const recordsQuery = <Path extends ListPath>(path: Path, filter: Filter = {}) =>
  infiniteQueryOptions({
    queryKey: ['records', path, filter],
    queryFn: ({ pageParam }) =>
      call('get', path, { query: { ...filter, limit: MOST, after: pageParam } }) as unknown as Promise<
        Page<RecordOf<Path>>
      >,
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ has_more: hasMore, last_id: last }) => (hasMore ? (last ?? undefined) : undefined),
    placeholderData: keepPreviousData,
  });

export function useRecords<Path extends ListPath>(
  path: Path,
  filter?: Filter,
  enabled = true,
): Records<RecordOf<Path>> {
  return toRecords(useInfiniteQuery({ ...recordsQuery(path, filter), enabled }));
}

/** While somebody types, the list is not read at every letter. */
const CALM_MS = 200;

/** The records of a list, or those whose name contains what is typed. */
export function useSearchedRecords<Path extends ListPath>(
  path: Path,
  filter?: Filter,
): { list: Records<RecordOf<Path>>; search: { text: string; set(text: string): void } } {
  const [text, set] = useState('');
  const [search] = useDebouncedValue(text.trim(), CALM_MS);
  return { list: useRecords(path, { ...filter, search }), search: { text, set } };
}

type RecordPath =
  | '/admin/v1/keys/{id}'
  | '/admin/v1/members/{id}'
  | '/admin/v1/projects/{id}'
  | '/admin/v1/organizations/{id}';

export const recordQuery = <Path extends RecordPath>(path: Path, id: string) =>
  queryOptions({ queryKey: ['record', path, id], queryFn: () => call('get', path, { id }) });

/** Reads again what is shown: a change of one record may show in others. */
export function useRefresh(): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries();
}

type PostBody<Path extends keyof paths> = paths[Path] extends {
  post: { requestBody: { content: { 'application/json': infer Body } } };
}
  ? Body
  : never;

/** The paths that change something with a body. */
export type ChangePath = {
  [Path in keyof paths]: Path extends `/admin/v1/${string}`
    ? PostBody<Path> extends never
      ? never
      : Path
    : never;
}[keyof paths];

/** The members of a body, and those of the objects in it. */
export type BodyMember<Path extends ChangePath> = Members<PostBody<Path>>;
type Members<Body> = {
  [Name in keyof Body & string]-?:
    | Name
    | (NonNullable<Body[Name]> extends readonly unknown[] | string | number | boolean
        ? never
        : `${Name}.${keyof NonNullable<Body[Name]> & string}`);
}[keyof Body & string];

interface ChangeOptions {
  id?: string;
  body: Readonly<Record<string, unknown>>;
}

/** Sends a body that a form composed; the gateway checks it. */
export const sendChange = (path: ChangePath, { id, body }: ChangeOptions): Promise<unknown> =>
  call('post', path, { ...(id !== undefined && { id }), body: body as never });
