import { Button, CopyButton } from '@mantine/core';

/** Copies a text and confirms it for a moment. */
export function CopyText({ name, text }: { name: string; text: string }) {
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Button size="xs" variant="default" onClick={copy} aria-live="polite">
          {copied ? 'Copied' : name}
        </Button>
      )}
    </CopyButton>
  );
}
