import { useLocation } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';

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
  /** Those in sight and a few around them; all of them on paper. */
  shown: readonly { index: number; start: number }[];
  /** Brings a row into sight and gives it the focus: it has its index as `data-index`. */
  focusOn(index: number): void;
}

/** How many rows beyond those in sight are in the document, and how many rows ahead pages load. */
export const AHEAD = 20;

/** Where lists were left, by entries of the history: browsers restore only what the page itself was scrolled by. */
const offsets = new Map<string, number>();

/** Whether the page is being printed; what is shown then is in the document before it is. */
function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    const begin = (): void => flushSync(() => setPrinting(true));
    const end = (): void => setPrinting(false);
    globalThis.addEventListener('beforeprint', begin);
    globalThis.addEventListener('afterprint', end);
    return () => {
      globalThis.removeEventListener('beforeprint', begin);
      globalThis.removeEventListener('afterprint', end);
    };
  }, []);
  return isPrinting;
}

/**
 * A long list of rows of one height, of which only those in sight are in the document, until it is printed. Going back finds
 * it where it was.
 */
export function useRows({ count, rowPx, keyOf }: RowsOptions): Rows {
  const place = useRef<HTMLDivElement>(null);
  const isPrinting = usePrinting();
  const entry = useLocation({ select: ({ state }) => state.__TSR_key ?? '' });
  const virtual = useVirtualizer({
    count,
    initialOffset: () => offsets.get(entry) ?? 0,
    getScrollElement: () => place.current,
    estimateSize: () => rowPx,
    overscan: AHEAD,
    ...(keyOf && { getItemKey: keyOf }),
  });
  useEffect(() => () => void offsets.set(entry, virtual.scrollOffset ?? 0), [entry, virtual]);
  return {
    place,
    height: virtual.getTotalSize(),
    shown: isPrinting
      ? Array.from({ length: count }, (_, index) => ({ index, start: index * rowPx }))
      : virtual.getVirtualItems(),
    focusOn: (index) => {
      virtual.scrollToIndex(index);
      requestAnimationFrame(() =>
        place.current?.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus(),
      );
    },
  };
}
