import type { InfiniteData } from '@tanstack/react-query';
import { type Tried, findFault } from '../find-fault.ts';

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
