import { Button, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { onSubmit } from '../parts/on-submit.ts';
import type { ToolCall } from './stream-answer.ts';
import type { ToolResult } from './use-conversation.ts';

interface ToolResultsProps {
  calls: readonly ToolCall[];
  onResults(results: readonly ToolResult[]): void;
}

/** The results of the tools that a model called, written by hand: a page runs no tool. */
export function ToolResults({ calls, onResults }: ToolResultsProps) {
  const [texts, setTexts] = useState<readonly string[]>(() => calls.map(() => ''));
  if (calls.length === 0) return null;
  const send = (): void => onResults(calls.map(({ id }, index) => ({ id, content: texts[index] ?? '' })));
  return (
    <form onSubmit={onSubmit(send)} aria-label="Tool results">
      <Stack gap="xs">
        {calls.map(({ id, name }, index) => (
          <Textarea
            key={id}
            label={`What ${name} returns`}
            autosize
            maxRows={8}
            value={texts[index] ?? ''}
            onChange={({ currentTarget: { value } }) => setTexts(texts.with(index, value))}
          />
        ))}
        <div>
          <Button type="submit" size="xs">
            Send the results
          </Button>
        </div>
      </Stack>
    </form>
  );
}
