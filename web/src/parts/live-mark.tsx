import { Text } from '@mantine/core';
import type { LiveState } from '../api/live-stream.ts';

const WORDS: Readonly<Record<LiveState, string>> = {
  off: 'Not live',
  connecting: 'Connecting…',
  live: 'Live',
  lost: 'Connection lost; trying again',
};

/** Whether what is shown moves by itself. */
export function LiveMark({ state }: { state: LiveState }) {
  return (
    <Text size="sm" role="status" className={`live live-${state}`}>
      {WORDS[state]}
    </Text>
  );
}
