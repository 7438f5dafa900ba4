import { Autocomplete, Group, NativeSelect, PasswordInput, TagsInput, TextInput } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Field, Value } from './field.ts';
import { joinPrices, listPrices, split } from './field-kinds.ts';

interface FieldInputProps {
  field: Field;
  value: Value;
  error: string | undefined;
  onChange(value: Value): void;
}

const DEFAULT_PERIOD = 'day';

/** The input of a field, by its kind. */
export function FieldInput({ field, value, error, onChange }: FieldInputProps): ReactNode {
  const { kind, label, help, none } = field;
  const shared = { label, description: help, error, withAsterisk: none === undefined };
  if (typeof value !== 'string') {
    return <List shared={shared} value={value} onChange={onChange} suggestions={field.suggestions ?? []} />;
  }
  const typed = { value, onChange: (event: Typed) => onChange(event.currentTarget.value) };
  switch (kind) {
    case 'choice':
    case 'seconds':
    case 'flag':
      return <NativeSelect {...shared} {...typed} data={optionsOf(field)} />;
    case 'secret':
      return <PasswordInput {...shared} {...typed} autoComplete="off" />;
    case 'moment':
      return <TextInput {...shared} {...typed} type="datetime-local" />;
    case 'recurring':
      return <Recurring shared={shared} value={value} onChange={onChange} options={field.options ?? []} />;
    case 'prices':
      return <Prices shared={shared} value={value} onChange={onChange} />;
    case 'usd':
    case 'count':
      return <TextInput {...shared} {...trimmed(value, onChange)} inputMode="decimal" />;
    default:
      return field.suggestions ? (
        <Autocomplete
          {...shared}
          openOnFocus={false}
          value={value}
          onChange={onChange}
          data={[...field.suggestions]}
        />
      ) : (
        <TextInput {...shared} {...typed} />
      );
  }
}

type Typed = { currentTarget: { value: string } };

interface ListProps {
  shared: Shared;
  value: readonly string[];
  suggestions: readonly string[];
  onChange(value: readonly string[]): void;
}

/** A list of texts; what is being typed counts as one of them, so that the form shows what it does. */
function List({ shared, value, suggestions, onChange }: ListProps) {
  const [tags, setTags] = useState<readonly string[]>(value);
  const [typed, setTyped] = useState('');
  const emit = (next: readonly string[], text: string): void => {
    setTags(next);
    setTyped(text);
    const rest = text.trim();
    onChange(rest === '' || next.includes(rest) ? next : [...next, rest]);
  };
  return (
    <TagsInput
      {...shared}
      {...LIST}
      value={[...tags]}
      onChange={(next) => emit(next, '')}
      searchValue={typed}
      onSearchChange={(text) => emit(tags, text)}
      data={[...suggestions]}
    />
  );
}

/** A list that opened with the focus would cover what is wrong, and the buttons. */
const LIST = { splitChars: [',', ' '], maxDropdownHeight: 200, limit: 20, openOnFocus: false };

const trimmed = (value: string, onChange: (value: string) => void) => ({
  value,
  onChange: ({ currentTarget }: Typed) => onChange(currentTarget.value.trim()),
});

function optionsOf({ kind, options = [], none }: Field): { value: string; label: string }[] {
  const listed =
    kind === 'flag'
      ? [
          { value: 'true', label: 'on' },
          { value: 'false', label: 'off' },
        ]
      : options;
  return none === undefined ? [...listed] : [{ value: '', label: none }, ...listed];
}

interface Shared {
  label: string;
  description: string | undefined;
  error: string | undefined;
}

interface PairProps {
  shared: Shared;
  value: string;
  onChange(value: string): void;
}

interface RecurringProps extends PairProps {
  options: NonNullable<Field['options']>;
}

/** An amount per period. */
function Recurring({ shared, value, onChange, options }: RecurringProps) {
  const [amount, period] = split(value);
  const { label } = shared;
  const change = (next: string, per: string): void => onChange(next === '' ? '' : `${next}/${per}`);
  return (
    <Group align="end" gap="xs" wrap="nowrap">
      <TextInput
        {...shared}
        {...trimmed(amount, (next) => change(next, period || DEFAULT_PERIOD))}
        inputMode="decimal"
        className="grow"
      />
      <NativeSelect
        aria-label={`Period of: ${label}`}
        value={period || DEFAULT_PERIOD}
        onChange={({ currentTarget }) => change(amount, currentTarget.value)}
        data={options.map(({ value }) => ({ value, label: `per ${value}` }))}
      />
    </Group>
  );
}

/** The highest prices of input and output, of a request and of an image. */
function Prices({ shared, value, onChange }: PairProps) {
  const prices = listPrices(value);
  const change = (name: string, next: string): void =>
    onChange(joinPrices(prices.map((one) => (one.name === name ? next : one.price))));
  const { label: what, ...rest } = shared;
  return (
    <Group align="end" gap="xs">
      {prices.map(({ name, label, price }, at) => (
        <TextInput
          key={name}
          {...(at === 0 && rest)}
          label={`${what}, ${label}`}
          {...trimmed(price, (next) => change(name, next))}
          inputMode="decimal"
          flex="1 1 9rem"
        />
      ))}
    </Group>
  );
}
