import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useRef } from 'react';

interface RowsOptions {
  count: number;
  rowPx: number;
  /** What a row is known by when others are inserted above it; by default its place. */
  keyOf?: (index: number) => string | number;
}

interface Rows {
  /** Of the element that scrolls. */
  place: RefObject<HTMLDivElement | null>;
  /** Of all rows together. */
  height: number;
  /** Those in sight and a few around them. */
  shown: readonly { index: number; start: number }[];
  scrollTo(index: number): void;
}

/** How many rows beyond those in sight are in the document, and how many rows ahead pages load. */
export const AHEAD = 20;

/** A long list of rows of one height, of which only those in sight are in the document. */
export function useRows({ count, rowPx, keyOf }: RowsOptions): Rows {
  const place = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => place.current,
    estimateSize: () => rowPx,
    overscan: AHEAD,
    ...(keyOf && { getItemKey: keyOf }),
  });
  return {
    place,
    height: virtual.getTotalSize(),
    shown: virtual.getVirtualItems(),
    scrollTo: (index) => virtual.scrollToIndex(index),
  };
}
