import { Button, Popover, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';

interface ConfirmButtonProps {
  name: string;
  /** What it is done to, for who cannot see the row. */
  about: string;
  /** What it will do. */
  explains: string;
  isBusy: boolean;
  onConfirm(): void;
}

/** A button that explains its change before it makes it. */
export function ConfirmButton({ name, about, explains, isBusy, onConfirm }: ConfirmButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const ref = useRef<HTMLButtonElement>(null);
  const isConfirmed = useRef(false);
  const confirm = (): void => {
    setOpen(false);
    isConfirmed.current = true;
    onConfirm();
  };
  // While it is busy it cannot have the focus that the question had.
  useEffect(() => {
    if (isBusy || !isConfirmed.current) return;
    isConfirmed.current = false;
    if (document.activeElement === document.body) ref.current?.focus();
  }, [isBusy]);
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus withArrow width={260}>
      <Popover.Target>
        <Button
          ref={ref}
          variant="default"
          size="xs"
          loading={isBusy}
          onClick={() => setOpen(!isOpen)}
          aria-label={`${name} ${about}`}
        >
          {name}
        </Button>
      </Popover.Target>
      <Popover.Dropdown aria-label={`${name} ${about}`}>
        <Stack gap="xs">
          <Text size="sm">{explains}</Text>
          <Button size="xs" onClick={confirm}>
            {name} now
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
