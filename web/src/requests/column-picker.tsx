import { Button, Checkbox, Popover, Stack } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { type ColumnId, USUAL_COLUMNS, getColumn, listColumns, readColumns } from './columns.ts';

/** The columns that this browser shows. */
export function useColumns() {
  const [kept, keep] = useLocalStorage({ key: 'sluice-request-columns', defaultValue: '' });
  return { columns: readColumns(kept), choose: (ids: readonly ColumnId[]) => keep(ids.join(',')) };
}

interface ColumnPickerProps {
  columns: readonly ColumnId[];
  choose(columns: readonly ColumnId[]): void;
}

export function ColumnPicker({ columns, choose }: ColumnPickerProps) {
  const toggle = (id: ColumnId): void =>
    choose(columns.includes(id) ? columns.filter((one) => one !== id) : [...columns, id]);
  return (
    <Popover position="bottom-end" withArrow trapFocus>
      <Popover.Target>
        <Button variant="default">Columns</Button>
      </Popover.Target>
      <Popover.Dropdown aria-label="Columns" className="picker">
        <Stack gap="xs">
          {listColumns().map((id) => (
            <Checkbox
              key={id}
              label={getColumn(id).name}
              checked={columns.includes(id)}
              // The last one stays: no column is no list.
              disabled={columns.length === 1 && columns.includes(id)}
              onChange={() => toggle(id)}
            />
          ))}
          <Button variant="default" size="xs" onClick={() => choose(USUAL_COLUMNS)}>
            Default columns
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
