import { Link } from '@tanstack/react-router';
import { useEffect } from 'react';
import type { LogLine } from '../api/log-line.ts';
import { isFailed } from '../now/sums.ts';
import { useNamesOf } from '../parts/use-names.ts';
import { useNarrow } from '../parts/use-narrow.ts';
import { AHEAD, useRows } from '../parts/use-rows.ts';
import { type ColumnId, getColumn, listNamed } from './columns.ts';

const ROW_PX = 40;
const NARROW_PX = 60;
/** Narrower columns would show nothing. */
const LEAST_REM = 8;
/** The lines of a row on a small screen. */
const NARROW: readonly (readonly ColumnId[])[] = [
  ['time', 'model'],
  ['provider', 'cost', 'finish'],
];

interface RowsProps {
  rows: readonly LogLine[];
  columns: readonly ColumnId[];
  /** Loads the next page; absent while one loads, and after the last. */
  more: (() => void) | undefined;
}

/** Rows in columns, or in two lines where the screen is narrow. */
export function RequestRows({ rows, columns, more }: RowsProps) {
  const isNarrow = useNarrow();
  return isNarrow ? (
    <RowList key="narrow" {...{ rows, more }} rowPx={NARROW_PX} columns={[]} />
  ) : (
    <RowList key="wide" {...{ rows, more, columns }} rowPx={ROW_PX} />
  );
}

/** Without columns, rows have two lines and no heads. */
function RowList({ rows, columns, more, rowPx }: RowsProps & { rowPx: number }) {
  const { place, height, shown } = useRows({
    ...{ count: rows.length, rowPx },
    keyOf: (index) => rows[index]?.id ?? index,
  });
  const names = useNamesOf(listNamed(columns, rows));
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - AHEAD && rows.length > AHEAD) more?.();
  }, [last, rows.length, more]);
  const grid = columns.map((id) => getColumn(id).width).join(' ');
  const minWidth = `${columns.length * LEAST_REM}rem`;
  return (
    <div ref={place} className="rows" role="group" aria-label="Requests, newest first" tabIndex={0}>
      {columns.length > 0 && (
        <div className="row row-head" style={{ gridTemplateColumns: grid, minWidth }}>
          {columns.map((id) => (
            <span key={id} className={getColumn(id).isFigure === true ? 'end' : ''}>
              {getColumn(id).name}
            </span>
          ))}
        </div>
      )}
      <div className="row-space" style={{ height, minWidth }}>
        {shown.map(({ index, start }) => {
          const row = rows[index];
          const style = { height: rowPx, transform: `translateY(${start}px)` };
          if (!row) return null;
          return columns.length === 0 ? (
            <NarrowRow key={row.id} {...{ row, names }} style={style} />
          ) : (
            <WideRow
              key={row.id}
              {...{ row, columns, names }}
              style={{ ...style, gridTemplateColumns: grid }}
            />
          );
        })}
      </div>
    </div>
  );
}

interface RowProps {
  row: LogLine;
  names: ReadonlyMap<string, string>;
  style: { height: number; transform: string; gridTemplateColumns?: string };
}

function WideRow({ row, names, columns, style }: RowProps & { columns: readonly ColumnId[] }) {
  return (
    <Link to="/requests/$id" params={{ id: row.id }} className="row figures" style={style}>
      {columns.map((id) => (
        <Cell key={id} {...{ row, names, id }} isEnd={getColumn(id).isFigure === true} />
      ))}
    </Link>
  );
}

function NarrowRow({ row, names, style }: RowProps) {
  return (
    <Link to="/requests/$id" params={{ id: row.id }} className="row row-narrow figures" style={style}>
      {NARROW.map((ids) => (
        <span key={ids[0]} className="row-line">
          {ids.map((id, index) => (
            <Cell key={id} {...{ row, names, id }} isEnd={index > 0 && index === ids.length - 1} />
          ))}
        </span>
      ))}
    </Link>
  );
}

interface CellProps extends Omit<RowProps, 'style'> {
  id: ColumnId;
  isEnd: boolean;
}

function Cell({ row, names, id, isEnd }: CellProps) {
  const { show, title = show } = getColumn(id);
  const isFault = (id === 'finish' && isFailed(row.finish_reason)) || id === 'error';
  const marks = [isEnd && 'end', isFault && 'failed'];
  return (
    <span title={title(row, names)} className={marks.filter(Boolean).join(' ')}>
      {show(row, names)}
    </span>
  );
}
