import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { type NamedRecord, type NamedPath, useName, useNames } from './use-names.ts';

interface NamePickerProps {
  label: string;
  path: NamedPath;
  filter?: Readonly<Record<string, string>>;
  value: string | undefined;
  choose(id: string | undefined): void;
}

const CALM_MS = 200;
const ALL: NamedRecord = { id: '', name: 'All' };

/** One record of a list by its name; the gateway searches for what is typed, so that it is found in a long list, too. */
export function NamePicker({ label, path, filter, value, choose }: NamePickerProps) {
  const [typed, setTyped] = useState('');
  const [isOpen, setOpen] = useState(false);
  const found = useName(value);
  const named = value === undefined || found === undefined ? undefined : { id: value, name: found };
  const own = value === undefined ? ALL : named;
  const [search] = useDebouncedValue(isOpen && typed !== own?.name ? typed : '', CALM_MS);
  const { names } = useNames(path, { search, ...(filter && { filter }) });
  const isMissing = named !== undefined && !names.some(({ id }) => id === named.id);
  const offered = [ALL, ...(isMissing ? [named] : []), ...names];
  return (
    <Select
      label={label}
      searchable
      allowDeselect={false}
      value={value ?? ALL.id}
      data={offered.map(({ id, name }) => ({ value: id, label: name }))}
      searchValue={typed}
      onSearchChange={setTyped}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      filter={({ options }) => options}
      onChange={(id) => choose(id === null || id === ALL.id ? undefined : id)}
    />
  );
}
