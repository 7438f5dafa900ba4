import { Alert, Button, Code, CopyButton, Group, Modal, SegmentedControl, Stack } from '@mantine/core';
import { useState } from 'react';
import type { RequestBody } from './compose-request.ts';
import { LANGUAGES, type Language, exportCode } from './export-code.ts';

interface ExportViewProps {
  /** Throws where the question cannot be sent. */
  compose(): RequestBody;
}

/** The request as a program. */
export function ExportView({ compose }: ExportViewProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button variant="default" onClick={() => setOpen(true)}>
        Export as code
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title="The request as code"
        size="xl"
        // Locking it takes a style sheet that the policy refuses.
        lockScroll={false}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {isOpen && <Program compose={compose} />}
      </Modal>
    </>
  );
}

function Program({ compose }: ExportViewProps) {
  const [language, setLanguage] = useState<Language>('curl');
  const code = toCode(language, compose);
  if (code instanceof Error) return <Alert color="red" variant="outline" title={code.message} />;
  return (
    <Stack>
      <Group justify="space-between">
        <SegmentedControl
          data={[...LANGUAGES]}
          value={language}
          onChange={(name) => setLanguage(name)}
          aria-label="Language"
        />
        <CopyButton value={code}>
          {({ copied, copy }) => <Button onClick={copy}>{copied ? 'Copied' : 'Copy'}</Button>}
        </CopyButton>
      </Group>
      <Code block tabIndex={0} aria-label="Code">
        {code}
      </Code>
    </Stack>
  );
}

function toCode(language: Language, compose: () => RequestBody): string | Error {
  try {
    return exportCode(language, compose());
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
