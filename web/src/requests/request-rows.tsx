import { type CSSProperties, useEffect } from 'react';
import type { LogLine } from '../api/log-line.ts';
import { isFailed } from '../now/sums.ts';
import { useNamesOf } from '../parts/names/use-names.ts';
import { useNarrow } from '../parts/lists/use-narrow.ts';
import { AHEAD, useRows } from '../parts/lists/use-rows.ts';
import { type ColumnId, getColumn, listNamed, widthOf } from './columns.ts';
import { useRequestHref, useRowKeys } from './row-keys.ts';

const ROW_PX = 40;
const NARROW_PX = 60;
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
    <RowList key="narrow" rows={rows} more={more} rowPx={NARROW_PX} columns={[]} />
  ) : (
    <RowList key="wide" rows={rows} more={more} columns={columns} rowPx={ROW_PX} />
  );
}

/** Without columns, rows have two lines and no heads. */
function RowList({ rows, columns, more, rowPx }: RowsProps & { rowPx: number }) {
  const list = useRows({
    count: rows.length,
    rowPx,
    keyOf: (index) => rows[index]?.id ?? index,
  });
  const { place, height, shown } = list;
  const names = useNamesOf(listNamed(columns, rows));
  const { stop, ...acts } = useRowKeys(rows, list);
  const hrefOf = useRequestHref();
  const last = shown.at(-1)?.index ?? 0;
  useEffect(() => {
    if (last >= rows.length - AHEAD && rows.length > AHEAD) more?.();
  }, [last, rows.length, more]);
  const { grid, minWidth } = layOut(columns);
  const heads = columns.length > 0 ? 1 : 0;
  return (
    <div ref={place} className="rows">
      <div role="grid" aria-label="Requests, newest first" aria-rowcount={more ? -1 : rows.length + heads}>
        {heads > 0 && <Heads columns={columns} style={{ gridTemplateColumns: grid, minWidth }} />}
        <div role="rowgroup" className="row-space" style={{ height, minWidth }} {...acts}>
          {shown.map(({ index, start }) => {
            const row = rows[index];
            return (
              row && (
                <div
                  key={row.id}
                  role="row"
                  className={`row figures ${heads > 0 ? '' : 'row-narrow'}`}
                  data-index={index}
                  aria-rowindex={index + 1 + heads}
                  tabIndex={index === stop ? 0 : -1}
                  style={{
                    height: rowPx,
                    transform: `translateY(${start}px)`,
                    ...(heads > 0 && { gridTemplateColumns: grid }),
                  }}
                >
                  <Cells row={row} names={names} columns={columns} href={hrefOf(row.id)} />
                </div>
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}

/** As CSS has it. */
function layOut(columns: readonly ColumnId[]) {
  const wide = columns.map((id) => getColumn(id));
  const grid = wide.map(({ width, grow }) =>
    grow === undefined ? `${width}rem` : `minmax(${width}rem, ${grow}fr)`,
  );
  return { grid: grid.join(' '), minWidth: `${widthOf(columns)}rem` };
}

function Heads({ columns, style }: Pick<RowsProps, 'columns'> & { style: CSSProperties }) {
  return (
    <div role="row" className="row row-head" style={style}>
      {columns.map((id) => (
        <span key={id} role="columnheader" className={getColumn(id).isFigure === true ? 'end' : ''}>
          {getColumn(id).name}
        </span>
      ))}
    </div>
  );
}

interface CellsProps {
  row: LogLine;
  names: ReadonlyMap<string, string>;
  columns: readonly ColumnId[];
  href: string;
}

/** Each is a link for the mouse, which can open it elsewhere; the keyboard has the row. */
function Cells({ columns, href, ...rest }: CellsProps) {
  if (columns.length > 0)
    return columns.map((id) => (
      <Cell key={id} {...rest} id={id} isEnd={getColumn(id).isFigure === true} href={href} />
    ));
  return (
    <span role="gridcell">
      <a href={href} tabIndex={-1}>
        {NARROW.map((ids) => (
          <span key={ids[0]} className="row-line">
            {ids.map((id, index) => (
              <Cell key={id} {...rest} id={id} isEnd={index > 0 && index === ids.length - 1} />
            ))}
          </span>
        ))}
      </a>
    </span>
  );
}

interface CellProps extends Pick<CellsProps, 'row' | 'names'> {
  id: ColumnId;
  isEnd: boolean;
  /** Absent inside of a link. */
  href?: string;
}

function Cell({ row, names, id, isEnd, href }: CellProps) {
  const { show, title = show } = getColumn(id);
  const isFault = (id === 'finish' && isFailed(row.finish_reason)) || id === 'error';
  const marks = [isEnd && 'end', isFault && 'failed'].filter(Boolean).join(' ');
  const text = show(row, names);
  return (
    <span title={title(row, names)} className={marks} {...(href !== undefined && { role: 'gridcell' })}>
      {href === undefined ? (
        text
      ) : (
        <a href={href} tabIndex={-1}>
          {text}
        </a>
      )}
    </span>
  );
}
