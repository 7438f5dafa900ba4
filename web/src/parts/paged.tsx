import type { InfiniteData } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type Tried, findFault } from './find-fault.ts';
import { ShowMore } from './show-more.tsx';
import { Failure, Loading } from './state.tsx';

/** The loaded records of a list, and how to load more. */
export interface Records<Shown> {
  /** Absent until the first page is loaded. */
  records: readonly Shown[] | undefined;
  error: Error | null;
  retry(): void;
  more: { load(): void; isLoading: boolean } | undefined;
}

interface Pages<Shown> extends Tried {
  data: InfiniteData<{ data: readonly Shown[] }> | undefined;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  refetch(): unknown;
  fetchNextPage(): unknown;
}

/** What a query has read page by page. */
export function toRecords<Shown>(query: Pages<Shown>): Records<Shown> {
  const { data, refetch, hasNextPage, isFetchingNextPage, fetchNextPage } = query;
  return {
    records: data?.pages.flatMap((page) => page.data),
    error: findFault(query),
    retry: () => void refetch(),
    more: hasNextPage ? { load: () => void fetchNextPage(), isLoading: isFetchingNextPage } : undefined,
  };
}

interface PagedProps<Shown> {
  list: Records<Shown>;
  /** What the records are called, in the plural. */
  what: string;
  /** What an empty list means and what to do about it. */
  empty: ReactNode;
  children(records: readonly Shown[]): ReactNode;
}

/** A list while it loads, if it fails, if it is empty, and page by page. */
export function Paged<Shown>({ list, what, empty, children }: PagedProps<Shown>) {
  const { records, error, retry, more } = list;
  return (
    <>
      {error && <Failure error={error} retry={retry} isOld={records !== undefined} />}
      {!records && !error && <Loading what={what} />}
      {records?.length === 0 && empty}
      {records && records.length > 0 && children(records)}
      {more && <ShowMore {...more}>Show more {what}</ShowMore>}
    </>
  );
}
