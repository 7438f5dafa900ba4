import { type RouterEvents, useRouter } from '@tanstack/react-router';
import { type RefObject, useEffect } from 'react';

/** How long a list that still loads is waited for. */
const WAIT_MS = 5_000;

interface Arrival {
  main: HTMLElement;
  /** The address of the page that was left, of which a link may be on this one; only on the way back. */
  from: string | undefined;
}

/**
 * A new page removes what had the focus. It goes to the content then, and on the way back to the link that had led away, so that
 * the keyboard and screen readers go on there instead of at the top.
 */
export function usePageFocus(main: RefObject<HTMLElement | null>): void {
  const router = useRouter();
  useEffect(() => {
    let isBack = false;
    let stop = (): void => undefined;
    const arrive = ({
      fromLocation: from,
      toLocation: to,
      hrefChanged,
    }: RouterEvents['onResolved']): void => {
      stop();
      if (!from || !hrefChanged || !main.current) return;
      const isUp = isBack || from.pathname.startsWith(to.pathname);
      const href = isUp ? router.history.createHref(from.href) : undefined;
      stop = giveFocus({ main: main.current, from: href });
    };
    const ends = [
      router.history.subscribe(({ action }) => (isBack = action.type === 'BACK')),
      router.subscribe('onResolved', arrive),
      () => stop(),
    ];
    return () => ends.forEach((end) => end());
  }, [router, main]);
}

/** Ends as it has found the link, as the user goes on, or in time. */
function giveFocus({ main, from }: Arrival): () => void {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  const look = (): void => {
    const active = document.activeElement;
    if (active !== document.body && active !== main) return; // of the palette, or of what is on both pages
    const link = from === undefined ? null : main.querySelector<HTMLElement>(`a[href="${CSS.escape(from)}"]`);
    if (link) {
      (link.closest<HTMLElement>('[role=row][tabindex]') ?? link).focus({ preventScroll: true });
      end();
    } else if (active !== main) main.focus({ preventScroll: true });
  };
  const seen = new MutationObserver(look);
  seen.observe(document.body, { childList: true, subtree: true });
  ended.signal.addEventListener('abort', () => seen.disconnect());
  for (const event of ['keydown', 'pointerdown'])
    document.addEventListener(event, end, { signal: ended.signal, capture: true });
  setTimeout(end, WAIT_MS);
  look();
  return end;
}
