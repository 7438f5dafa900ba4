import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useState } from 'react';
import { RANGES, type Range, type RequestsSearch } from './requests-search.ts';

type Times = Pick<RequestsSearch, 'range' | 'since' | 'until'>;

interface TimeRangeProps {
  search: RequestsSearch;
  apply(change: { [Name in keyof Times]: Times[Name] | '' }): void;
}

const CHOICES = [
  { value: '', label: 'Any time' },
  ...(Object.keys(RANGES) as Range[]).map((range) => ({ value: range, label: RANGES[range].name })),
  { value: 'custom', label: 'From – to' },
];

/** A span before now, or from one time to another. */
export function TimeRange({ search, apply }: TimeRangeProps) {
  const { range, since, until } = search;
  const [isOpen, setOpen] = useState(false);
  const isCustom = range === undefined && (isOpen || since !== undefined || until !== undefined);
  const choose = (value: string): void => {
    setOpen(value === 'custom');
    if (value !== 'custom') apply({ range: value as Range | '', since: '', until: '' });
    else if (range !== undefined) apply({ range: '', since: '', until: '' });
  };
  return (
    <Group gap="xs">
      <NativeSelect
        size="xs"
        aria-label="Time"
        value={isCustom ? 'custom' : (range ?? '')}
        onChange={({ currentTarget }) => choose(currentTarget.value)}
        data={CHOICES}
      />
      {isCustom && (
        <>
          <TimeInput label="From" value={since} set={(value) => apply({ since: value })} />
          <TimeInput label="To" value={until} set={(value) => apply({ until: value })} />
        </>
      )}
    </Group>
  );
}

interface TimeInputProps {
  label: string;
  value: string | undefined;
  set(value: string): void;
}

/** In the viewer's zone; the address has it in UTC. It counts when it is left: while it is typed, it is incomplete. */
function TimeInput({ label, value, set }: TimeInputProps) {
  const [text, setText] = useState(toLocal(value));
  const done = (): void => set(text === '' ? '' : new Date(text).toISOString());
  return (
    <TextInput
      size="xs"
      type="datetime-local"
      aria-label={label}
      value={text}
      onChange={({ currentTarget }) => setText(currentTarget.value)}
      onBlur={done}
      onKeyDown={({ key }) => {
        if (key === 'Enter') done();
      }}
    />
  );
}

const MINUTE_MS = 60_000;

/** As the input wants it: without a zone. */
function toLocal(iso: string | undefined): string {
  if (iso === undefined) return '';
  const date = new Date(iso);
  return new Date(date.getTime() - date.getTimezoneOffset() * MINUTE_MS).toISOString().slice(0, 16);
}
