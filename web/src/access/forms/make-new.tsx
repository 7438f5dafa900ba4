import { Button } from '@mantine/core';
import { type ChangePath, useRefresh } from '../access-queries.ts';
import { ChangeForm } from './change-form.tsx';
import type { Field } from '../fields/field.ts';
import { useOpened } from './use-opened.ts';

export interface MakeNewOptions {
  /** The label of the button that opens the form. */
  name: string;
  fields: readonly Field[];
  path: ChangePath;
  id?: string;
  fixed?: Readonly<Record<string, unknown>>;
  verb: string;
  isMain?: boolean;
  onDone?(answer: unknown): void;
}

/** A button and the form that it opens. */
export function useMakeNew({ name, isMain = true, onDone, ...form }: MakeNewOptions) {
  const refresh = useRefresh();
  const { isOpen, close, opener } = useOpened();
  const finish = (answer: unknown): void => {
    close();
    onDone?.(answer);
    void refresh();
  };
  return {
    button: !isOpen && (
      <Button {...(!isMain && { variant: 'default', size: 'xs' })} {...opener}>
        {name}
      </Button>
    ),
    form: isOpen && <ChangeForm title={name} {...form} onDone={finish} onCancel={close} />,
  };
}
