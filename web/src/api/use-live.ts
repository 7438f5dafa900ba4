import { useDocumentVisibility } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import type { LogLine } from './log-line.ts';
import { LiveStream, type LiveState } from './live-stream.ts';
import { SESSION_KEY } from './queries.ts';

interface LiveOptions {
  /** Filters of the list. */
  query?: Readonly<Record<string, string | undefined>>;
  isOn?: boolean;
  /** Requests that have ended, the latest last. */
  onRows(rows: readonly LogLine[]): void;
  /** What is shown may lack some. */
  onGap(): void;
}

/** Rows that come in this time are shown together. */
const GATHER_MS = 150;

/** Follows requests as they end, while the page is seen: browsers open only six connections to a host. */
export function useLive({ query = {}, isOn = true, onRows, onGap }: LiveOptions): LiveState {
  const client = useQueryClient();
  const [state, setState] = useState<LiveState>('connecting');
  const isSeen = useDocumentVisibility() !== 'hidden';
  const given = Object.entries(query).filter((pair): pair is [string, string] => Boolean(pair[1]));
  const search = new URLSearchParams(given).toString();
  const listeners = useRef({ onRows, onGap });
  useEffect(() => {
    listeners.current = { onRows, onGap };
  });
  useEffect(() => {
    if (!isOn || !isSeen) {
      setState('off');
      return undefined;
    }
    const gathered: LogLine[] = [];
    let timer: number | undefined;
    const show = (): void => {
      timer = undefined;
      listeners.current.onRows(gathered.splice(0));
    };
    const stream = new LiveStream<LogLine>({
      query: search,
      onState: setState,
      onRow: (row) => {
        gathered.push(row);
        timer ??= window.setTimeout(show, GATHER_MS);
      },
      onGap: () => listeners.current.onGap(),
      onEnd: () => void client.invalidateQueries({ queryKey: SESSION_KEY }),
    });
    return () => {
      stream.close();
      clearTimeout(timer);
    };
  }, [client, isOn, isSeen, search]);
  return state;
}
