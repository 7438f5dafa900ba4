import { Button, Group, Paper, Stack, Table, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ApiError } from '../../api/client.ts';
import { onSubmit } from '../../parts/on-submit.ts';
import { Refusal } from '../../parts/state.tsx';
import { type ChangePath, sendChange } from '../access-queries.ts';
import { type Change, findChanges, findFaults, findNamed, isSet, toBody, toDraft } from './changes.ts';
import type { Draft, Facts, Field } from '../fields/field.ts';
import { FieldInput } from '../fields/field-input.tsx';

interface ChangeFormProps {
  title: string;
  fields: readonly Field[];
  path: ChangePath;
  id?: string;
  /** The record that is changed; without it, the form makes a new one. */
  record?: Facts;
  /** Members of the body that are not asked for. */
  fixed?: Readonly<Record<string, unknown>>;
  /** The label of the button that submits it. */
  verb: string;
  onDone(answer: unknown): void;
  onCancel(): void;
}

/** Edits fields, shows what each change does, and then sends those that changed. */
export function ChangeForm(props: ChangeFormProps) {
  const { title, fields, record, verb, onCancel } = props;
  const form = useChangeForm(props);
  const { draft, changes, faults, isReviewed, mutation } = form;
  const isNew = record === undefined;
  const ref = useFocus(isReviewed, form.checks, mutation.error);
  const refused = mutation.error && !form.named ? mutation.error : undefined;
  return (
    <Paper withBorder p="md" mb="md" className="form">
      <form ref={ref} tabIndex={-1} onSubmit={onSubmit(form.submit)} aria-label={title} noValidate>
        <Stack gap="sm">
          <Text fw={600}>{title}</Text>
          {!isReviewed &&
            fields.map((field) => (
              <FieldInput
                key={field.name}
                field={field}
                value={draft[field.name] ?? ''}
                error={faults[field.name]}
                onChange={(value) => form.set(field.name, value)}
              />
            ))}
          {isReviewed && <Review changes={changes} />}
          {isNew && <Effects of={changes} />}
          {form.isUnchanged && <Text role="status">Nothing is changed yet.</Text>}
          {refused && <Refusal error={refused} />}
          <Group gap="sm">
            <Button type="submit" loading={mutation.isPending}>
              {isReviewed || isNew ? verb : 'Review the change'}
            </Button>
            <Button variant="default" onClick={isReviewed ? form.back : onCancel}>
              {isReviewed ? 'Back' : 'Cancel'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}

/**
 * What had the focus is gone as the form opens or turns: its first field has it then, or the form if it asks for nothing. A
 * refusal moves it to the first field that is wrong.
 */
function useFocus(isReviewed: boolean, checks: number, error: Error | null) {
  const ref = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const { current: form } = ref;
    if (document.activeElement !== document.body) return;
    (form?.querySelector<HTMLElement>('input, select, textarea') ?? form)?.focus();
  }, [isReviewed]);
  useEffect(() => focusWrong(ref.current), [checks]);
  useEffect(() => {
    if (error && !isReviewed) focusWrong(ref.current);
  }, [error, isReviewed]);
  return ref;
}

function focusWrong(form: HTMLElement | null): void {
  const wrong = form?.querySelector<HTMLElement>('[aria-invalid=true]');
  wrong?.focus({ preventScroll: true });
  // With its label and what is wrong, and not below the head of the page.
  wrong?.scrollIntoView({ block: 'center' });
}

/** Where the form is: edited, or reviewed and about to be sent. */
function useChangeForm({ fields, path, id, record, fixed, onDone }: ChangeFormProps) {
  const [from] = useState(() => toDraft(fields, record));
  const [draft, setDraft] = useState<Draft>(from);
  const [checks, setChecks] = useState(0);
  const [isReviewed, setReviewed] = useState(false);
  const changes = findChanges({ fields, from: record ? from : {}, to: draft, record });
  const mutation = useMutation({
    mutationFn: () => sendChange(path, { ...(id !== undefined && { id }), body: compose() }),
    onSuccess: onDone,
    onError: () => setReviewed(false),
  });
  const compose = (): Record<string, unknown> => {
    const changed = new Set(changes.map(({ field }) => field.name));
    const sent = fields.filter(({ name, isAlwaysSent }) =>
      record ? changed.has(name) || isAlwaysSent === true : isSet(draft[name]),
    );
    return { ...fixed, ...toBody(sent, draft) };
  };
  const wrong = checks > 0 ? findFaults(fields, draft) : {};
  const named = nameFault(fields, mutation.error);
  const submit = (): void => {
    setChecks(checks + 1);
    if (Object.keys(findFaults(fields, draft)).length > 0 || (record && changes.length === 0)) return;
    if (record && !isReviewed) setReviewed(true);
    else mutation.mutate();
  };
  return {
    draft,
    changes,
    isReviewed,
    checks,
    isUnchanged: checks > 0 && record !== undefined && changes.length === 0,
    mutation,
    named,
    faults: { ...wrong, ...named },
    submit,
    back: () => setReviewed(false),
    set: (name: string, value: Draft[string]) => {
      mutation.reset();
      setDraft({ ...draft, [name]: value });
    },
  };
}

/** The refusal of the gateway at the field that it names. */
function nameFault(fields: readonly Field[], error: Error | null): Record<string, string> | undefined {
  const field = error instanceof ApiError ? findNamed(fields, error.param) : undefined;
  return field && error ? { [field.name]: error.message } : undefined;
}

/** Before and after, and what it does. */
function Review({ changes }: { changes: readonly Change[] }) {
  return (
    <>
      <Table aria-label="What changes" className="records">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Setting</Table.Th>
            <Table.Th>Before</Table.Th>
            <Table.Th>After</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {changes.map(({ field, from, to }) => (
            <Table.Tr key={field.name}>
              <Table.Th scope="row">{field.label}</Table.Th>
              <Table.Td>{from}</Table.Td>
              <Table.Td>{to}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Effects of={changes} />
    </>
  );
}

function Effects({ of }: { of: readonly Change[] }) {
  const effects = of.flatMap(({ field, effect }) => (effect === undefined ? [] : [{ field, effect }]));
  if (effects.length === 0) return null;
  return (
    <ul className="effects" aria-label="What it does" aria-live="polite">
      {effects.map(({ field, effect }) => (
        <li key={field.name}>{effect}</li>
      ))}
    </ul>
  );
}
