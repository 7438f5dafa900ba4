import { Autocomplete, Button, CloseButton, Group, Menu } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type KeyboardEvent, type Ref, useRef, useState } from 'react';
import { onSubmit } from '../parts/on-submit.ts';
import { useIsMember, useSeesAll } from '../parts/use-can.ts';
import { describeOffer, readOffer, useOffers, useValueName } from './filter-values.ts';
import { FILTERS, FILTER_NAMES, type FilterName, type RequestsSearch } from './requests-search.ts';

interface FilterChipsProps {
  search: RequestsSearch;
  apply(change: Partial<Record<FilterName, string>>): void;
}

/** The filters in force, each to change or remove, and a menu of the others. */
export function FilterChips({ search, apply }: FilterChipsProps) {
  const [edited, edit] = useState<FilterName | undefined>(undefined);
  const adder = useRef<HTMLButtonElement>(null);
  const names = useFilters();
  const free = names.filter((name) => search[name] === undefined && name !== edited);
  const used = FILTER_NAMES.filter((name) => search[name] !== undefined);
  const close = (): void => {
    edit(undefined);
    // What was focused is gone.
    adder.current?.focus();
  };
  const set = (name: FilterName, value: string): void => {
    close();
    apply({ [name]: value });
  };
  return (
    <Group gap="xs" role="group" aria-label="Filters">
      {used
        .filter((name) => name !== edited)
        .map((name) => (
          <Chip
            key={name}
            filter={name}
            value={search[name] ?? ''}
            change={() => edit(name)}
            remove={() => set(name, '')}
          />
        ))}
      {edited !== undefined && (
        <Editor
          key={edited}
          filter={edited}
          value={search[edited] ?? ''}
          set={(value) => set(edited, value)}
          cancel={close}
        />
      )}
      <AddFilter adder={adder} names={free} add={edit} />
      {used.length > 1 && (
        <Button
          variant="subtle"
          size="xs"
          onClick={() => apply(Object.fromEntries(used.map((name) => [name, ''])))}
        >
          Remove all
        </Button>
      )}
    </Group>
  );
}

/** Those that can distinguish requests that the session sees. */
function useFilters(): FilterName[] {
  const isMember = useIsMember();
  const seesAll = useSeesAll();
  return FILTER_NAMES.filter(
    (name) => (name !== 'organization_id' || seesAll) && (name !== 'member_id' || !isMember),
  );
}

interface AddFilterProps {
  adder: Ref<HTMLButtonElement>;
  names: readonly FilterName[];
  add(name: FilterName): void;
}

function AddFilter({ adder, names, add }: AddFilterProps) {
  return (
    <Menu
      position="bottom-start"
      withinPortal={false}
      withInitialFocusPlaceholder={false}
      returnFocus={false}
    >
      <Menu.Target>
        <Button ref={adder} variant="default" size="xs">
          Add filter
        </Button>
      </Menu.Target>
      <Menu.Dropdown className="picker">
        {names.map((name) => (
          <Menu.Item key={name} onClick={() => add(name)}>
            {FILTERS[name]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface ChipProps {
  filter: FilterName;
  value: string;
  change(): void;
  remove(): void;
}

/** Delete or Backspace removes it, too. */
function Chip({ filter, value, change, remove }: ChipProps) {
  const name = useValueName(filter, value) ?? value;
  const onKeyDown = ({ key }: KeyboardEvent): void => {
    if (key === 'Delete' || key === 'Backspace') remove();
  };
  return (
    <Group gap={0} className="chip" wrap="nowrap">
      <Button
        variant="subtle"
        size="xs"
        color="gray"
        title={value}
        aria-label={`Change filter ${FILTERS[filter]}: ${name}`}
        onClick={change}
        onKeyDown={onKeyDown}
      >
        {FILTERS[filter]}: {name}
      </Button>
      <CloseButton
        size="sm"
        aria-label={`Remove filter ${FILTERS[filter]}`}
        onClick={remove}
        onKeyDown={onKeyDown}
      />
    </Group>
  );
}

interface EditorProps {
  filter: FilterName;
  value: string;
  set(value: string): void;
  cancel(): void;
}

/** Mantine wants each option once, and shows so many at most. */
const MOST_OFFERED = 50;
/** While somebody types, the list is not read at every letter. */
const CALM_MS = 200;

function Editor({ filter, value, set, cancel }: EditorProps) {
  const [text, setText] = useState(value);
  const [search] = useDebouncedValue(text === value ? '' : text.trim(), CALM_MS);
  const offers = useOffers(filter, search);
  const submit = onSubmit(() => set(readOffer(text, offers)));
  return (
    <form onSubmit={submit} aria-label={`Filter ${FILTERS[filter]}`}>
      <Group gap="xs" wrap="nowrap">
        <Autocomplete
          size="xs"
          autoFocus
          aria-label={FILTERS[filter]}
          placeholder={HINTS[filter] ?? FILTERS[filter]}
          data={[...new Set(offers.map(describeOffer))]}
          limit={MOST_OFFERED}
          comboboxProps={{ withinPortal: false }}
          value={text}
          onChange={setText}
          onOptionSubmit={(chosen) => set(readOffer(chosen, offers))}
          onKeyDown={({ key }) => {
            if (key === 'Escape') cancel();
          }}
        />
        <Button type="submit" size="xs" variant="default">
          Apply
        </Button>
      </Group>
    </form>
  );
}

const HINTS: Partial<Record<FilterName, string>> = {
  client_name: 'claude-code',
  tag: 'key or key=value',
  user_agent: 'how it begins',
  search: 'in errors, names and ids',
};
