import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { LogLine } from '../now/first-request.tsx';
import { isFailed } from '../now/sums.ts';
import { type ColumnId, getColumn } from './columns.ts';

const ROW_PX = 40;
const AHEAD = 20;

interface RowsProps {
  rows: readonly LogLine[];
  columns: readonly ColumnId[];
  /** Loads the next page; absent while one loads, and after the last. */
  more: (() => void) | undefined;
}

/** Only the rows in sight are in the document, however many are loaded. */
export function RequestRows({ rows, columns, more }: RowsProps) {
  const place = useRef<HTMLDivElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => place.current,
    estimateSize: () => ROW_PX,
    // A row that is inserted above does not move what is read.
    getItemKey: (index) => rows[index]?.id ?? index,
    overscan: AHEAD,
  });
  const shown = virtual.getVirtualItems();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - AHEAD && rows.length > AHEAD) more?.();
  }, [last, rows.length, more]);
  const grid = columns.map((id) => getColumn(id).width).join(' ');
  const least = columns.length * LEAST_REM;
  return (
    <div ref={place} className="rows" role="group" aria-label="Requests, newest first" tabIndex={0}>
      <div className="row row-head" style={{ gridTemplateColumns: grid, minWidth: `${least}rem` }}>
        {columns.map((id) => (
          <span key={id} className={getColumn(id).isFigure === true ? 'end' : ''}>
            {getColumn(id).name}
          </span>
        ))}
      </div>
      <div className="row-space" style={{ height: virtual.getTotalSize(), minWidth: `${least}rem` }}>
        {shown.map(({ index, start }) => {
          const row = rows[index];
          return row && <RequestRow key={row.id} {...{ row, start, columns, grid }} />;
        })}
      </div>
    </div>
  );
}

/** Narrower columns would show nothing. */
const LEAST_REM = 8;

interface RowProps {
  row: LogLine;
  start: number;
  columns: readonly ColumnId[];
  grid: string;
}

function RequestRow({ row, start, columns, grid }: RowProps) {
  const failed = isFailed(row.finish_reason);
  return (
    <Link
      to="/requests/$id"
      params={{ id: row.id }}
      className="row figures"
      style={{ height: ROW_PX, transform: `translateY(${start}px)`, gridTemplateColumns: grid }}
    >
      {columns.map((id) => {
        const { isFigure, show, title = show } = getColumn(id);
        const marks = [isFigure === true && 'end', id === 'finish' && failed && 'failed'];
        return (
          <span key={id} title={title(row)} className={marks.filter(Boolean).join(' ')}>
            {show(row)}
          </span>
        );
      })}
    </Link>
  );
}
