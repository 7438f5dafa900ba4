import { useEffect } from 'react';

interface Shortcuts {
  /** Pages by the key that follows `g`. */
  pages: readonly { to: string; key: string }[];
  go(to: string): void;
  openPalette(): void;
}

/** How long the second key may take. */
const SEQUENCE_MS = 1_500;

/** Ctrl or Command with K opens the palette, `g` and a letter a page; where somebody types, only the first. */
export function useShortcuts({ pages, go, openPalette }: Shortcuts): void {
  useEffect(() => {
    let startedMs = -Infinity;
    const onKey = (event: KeyboardEvent): void => {
      const { key, ctrlKey, metaKey, altKey, target, timeStamp } = event;
      if ((ctrlKey || metaKey) && key.toLowerCase() === 'k') {
        event.preventDefault();
        openPalette();
        return;
      }
      if (ctrlKey || metaKey || altKey || isTyping(target)) return;
      const page = timeStamp - startedMs < SEQUENCE_MS ? pages.find((one) => one.key === key) : undefined;
      startedMs = key === 'g' ? timeStamp : -Infinity;
      if (page) go(page.to);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [pages, go, openPalette]);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest('input, textarea, select, [contenteditable]') !== null
  );
}
