import { Button, Checkbox, Popover, Stack } from '@mantine/core';
import { useLocalStorage, useViewportSize } from '@mantine/hooks';
import { type ColumnId, getColumn, listColumns, readColumns } from './columns.ts';

const REM_PX = 16;
/** Beside the list, with its frame and a bar to scroll it. */
const MARGIN_REM = 3;

/** The columns that this browser shows: those chosen in it, or the usual ones that fit. */
export function useColumns() {
  const [kept, keep] = useLocalStorage({ key: 'sluice-request-columns', defaultValue: '' });
  const { width } = useViewportSize();
  const room = (width || globalThis.innerWidth) / REM_PX - MARGIN_REM;
  return { columns: readColumns(kept, room), choose: (ids: readonly ColumnId[]) => keep(ids.join(',')) };
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
          <Button variant="default" size="xs" onClick={() => choose([])}>
            Default columns
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
