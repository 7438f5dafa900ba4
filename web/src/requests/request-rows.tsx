import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useVirtualizer } from '@tanstack/react-virtual';
import { useEffect, useRef } from 'react';
import type { LogLine } from '../now/first-request.tsx';
import { isFailed } from '../now/sums.ts';
import { formatMoment, formatMs, shortenUsd } from '../parts/format.ts';

const ROW_PX = 40;
const AHEAD = 20;

interface RowsProps {
  rows: readonly LogLine[];
  /** Loads the next page; absent while one loads, and after the last. */
  more: (() => void) | undefined;
}

/** Only the rows in sight are in the document, however many are loaded. */
export function RequestRows({ rows, more }: RowsProps) {
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
  return (
    <div ref={place} className="rows" role="group" aria-label="Requests, newest first" tabIndex={0}>
      <div
        ref={(space) => space?.style.setProperty('height', `${virtual.getTotalSize()}px`)}
        className="row-space"
      >
        {shown.map(({ index, start }) => {
          const row = rows[index];
          return row && <RequestRow key={row.id} row={row} start={start} />;
        })}
      </div>
    </div>
  );
}

function RequestRow({ row, start }: { row: LogLine; start: number }) {
  const { local, utc } = formatMoment(row.started_at);
  const model = row.model_id ?? row.requested_model;
  const failed = isFailed(row.finish_reason);
  return (
    <Link
      to="/requests/$id"
      params={{ id: row.id }}
      className="row figures"
      style={{ height: ROW_PX, transform: `translateY(${start}px)` }}
    >
      <span title={utc}>{local}</span>
      <span title={model}>{model}</span>
      <span>{row.provider_id ?? '–'}</span>
      <Text span inherit className={failed ? 'failed' : ''}>
        {failed ? (row.error_code ?? row.finish_reason) : row.finish_reason}
      </Text>
      <span className="end" title={`${row.cost} USD`}>
        {shortenUsd(row.cost)}
      </span>
      <span className="end">{formatMs(row.duration_ms)}</span>
    </Link>
  );
}
