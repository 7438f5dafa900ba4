import { type ReactNode, useState } from 'react';
import { type MakeNewOptions, useMakeNew } from './make-new.tsx';
import { Secret } from './secret.tsx';

type MakeSecretOptions = Omit<MakeNewOptions, 'onDone'> & {
  /** Above the secret. */
  title: string;
  note?: ReactNode;
  /** What is shown of it: by default, the secret itself. */
  show?(secret: string): string;
};

/** A button, the form that it opens, and the secret that is made, once. */
export function useMakeSecret({ title, note, show = (secret) => secret, ...options }: MakeSecretOptions) {
  const [secret, setSecret] = useState<string>();
  const { button, form } = useMakeNew({
    ...options,
    onDone: (answer) => setSecret((answer as { secret: string }).secret),
  });
  const shown = secret !== undefined && (
    <Secret title={title} secret={show(secret)} note={note} onClose={() => setSecret(undefined)} />
  );
  return {
    button,
    form: (
      <>
        {shown}
        {form}
      </>
    ),
  };
}
