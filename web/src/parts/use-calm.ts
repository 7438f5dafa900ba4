import { useCallback, useEffect, useRef } from 'react';

/** Runs at once, and then not again for this many milliseconds. */
export function useCalm(run: () => void, everyMs: number): () => void {
  const latest = useRef(run);
  const timer = useRef<number | undefined>(undefined);
  const isAsked = useRef(false);
  useEffect(() => {
    latest.current = run;
  }, [run]);
  useEffect(() => () => clearTimeout(timer.current), []);
  return useCallback(() => {
    const begin = (): void => {
      isAsked.current = false;
      latest.current();
      timer.current = window.setTimeout(() => {
        timer.current = undefined;
        if (isAsked.current) begin();
      }, everyMs);
    };
    if (timer.current === undefined) begin();
    else isAsked.current = true;
  }, [everyMs]);
}
