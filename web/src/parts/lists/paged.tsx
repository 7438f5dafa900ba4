import type { ReactNode } from 'react';
import type { Records } from './records.ts';
import { ShowMore } from './show-more.tsx';
import { Failure, Loading } from '../state.tsx';

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
