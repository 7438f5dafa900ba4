import { useNavigate, useRouter } from '@tanstack/react-router';
import { type FocusEvent, type KeyboardEvent, type MouseEvent, useState } from 'react';
import type { LogLine } from '../api/log-line.ts';
import type { useRows } from '../parts/lists/use-rows.ts';

type ShownRows = Pick<ReturnType<typeof useRows>, 'shown' | 'focusOn'>;

/** How far keys move in a list. */
const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
  Home: -Infinity,
  End: Infinity,
};

const indexOf = (target: EventTarget): number =>
  Number((target as Element).closest('[data-index]')?.getAttribute('data-index') ?? NaN);

const isModified = ({ altKey, ctrlKey, metaKey, shiftKey }: KeyboardEvent | MouseEvent): boolean =>
  altKey || ctrlKey || metaKey || shiftKey;

/**
 * A list of requests is one stop of the Tab key, at the row that had the focus last, or at one in sight; within it keys move
 * from row to row, and Enter or a click opens one.
 */
export function useRowKeys(rows: readonly LogLine[], { shown, focusOn }: ShownRows) {
  const [active, setActive] = useState<string | undefined>(undefined);
  const navigate = useNavigate();
  const open = (index: number): void => {
    const id = rows[index]?.id;
    if (id !== undefined) void navigate({ to: '/requests/$id', params: { id } });
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    const step = STEPS[event.key];
    const index = indexOf(event.target);
    if (isModified(event) || (step === undefined && event.key !== 'Enter')) return;
    event.preventDefault();
    if (step === undefined) open(index);
    else focusOn(Math.max(0, Math.min(rows.length - 1, index + step)));
  };
  const onClick = (event: MouseEvent): void => {
    if (isModified(event)) return; // a browser opens the link elsewhere
    event.preventDefault();
    open(indexOf(event.target));
  };
  const onFocus = ({ target }: FocusEvent): void => setActive(rows[indexOf(target)]?.id);
  return { stop: findStop(rows, shown, active), onKeyDown, onClick, onFocus };
}

function findStop(rows: readonly LogLine[], shown: ShownRows['shown'], active: string | undefined): number {
  const found =
    shown.find(({ index }) => rows[index]?.id === active) ?? shown.find(({ index }) => index === 0);
  return (found ?? shown[Math.floor(shown.length / 2)])?.index ?? 0;
}

/** The address of a request, for links that a browser opens elsewhere. */
export function useRequestHref(): (id: string) => string {
  const router = useRouter();
  return (id) =>
    router.history.createHref(router.buildLocation({ to: '/requests/$id', params: { id } }).href);
}
