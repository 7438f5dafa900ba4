import { useMutation } from '@tanstack/react-query';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { Refusal } from '../../parts/state.tsx';
import { useRefresh } from '../access-queries.ts';

interface ConfirmActionProps {
  name: string;
  /** What it is done to, for who cannot see the row. */
  about: string;
  /** What it will do. */
  explains: string;
  run(): Promise<unknown>;
}

/** A button that explains its action, runs it, and shows a refusal. */
export function ConfirmAction({ run, ...texts }: ConfirmActionProps) {
  const refresh = useRefresh();
  const { mutate, isPending, error } = useMutation({ mutationFn: run, onSuccess: refresh });
  return (
    <>
      <ConfirmButton {...texts} isBusy={isPending} onConfirm={mutate} />
      {error && <Refusal error={error} />}
    </>
  );
}
