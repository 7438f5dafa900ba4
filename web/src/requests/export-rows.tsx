import { Button, Group, Menu, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { call } from '../api/client.ts';
import type { LogLine } from '../api/log-line.ts';
import { countOf, formatCount } from '../parts/format.ts';
import { saveFile } from '../parts/save-file.ts';
import { type RequestsSearch, toLogQuery } from './requests-search.ts';
import { CSV_HEAD, toCsvLine } from './to-csv.ts';

const PAGE = '100';
/** At a hundred a page this takes about a minute. */
const MOST_ROWS = 100_000;

/** Why an export stops whose page is no longer shown. */
const LEFT = 'left';

type Kind = 'csv' | 'ndjson';

/** Saves the requests that fit the filters, the newest first. */
export function ExportRows({ search }: { search: RequestsSearch }) {
  const [count, setCount] = useState(0);
  const stop = useRef<AbortController | undefined>(undefined);
  useEffect(() => () => stop.current?.abort(LEFT), []);
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: async (kind: Kind) => {
      setCount(0);
      stop.current = new AbortController();
      return exportRows({ kind, search, signal: stop.current.signal, onCount: setCount });
    },
  });
  return (
    <Group gap="xs">
      <ExportMenu isBusy={isPending} choose={mutate} />
      {isPending && (
        <>
          <Text size="sm">{countOf(count, 'request')} so far</Text>
          <Button size="xs" variant="default" onClick={() => stop.current?.abort()}>
            Stop
          </Button>
        </>
      )}
      {error && (
        <Text size="sm" role="alert" className="failed">
          {error.message}
        </Text>
      )}
      {data !== undefined && (
        <Text size="sm" role="status">
          {countOf(data, 'request')} saved
          {data === MOST_ROWS && ', the newest; a filter or a shorter time saves others'}
        </Text>
      )}
    </Group>
  );
}

function ExportMenu({ isBusy, choose }: { isBusy: boolean; choose(kind: Kind): void }) {
  return (
    <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <Button variant="default" size="xs" loading={isBusy}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label className="quiet">At most {formatCount(MOST_ROWS)}, the newest first</Menu.Label>
        {(['csv', 'ndjson'] as const).map((kind) => (
          <Menu.Item key={kind} onClick={() => choose(kind)}>
            Save as {kind.toUpperCase()}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

interface ExportOptions {
  kind: Kind;
  search: RequestsSearch;
  signal: AbortSignal;
  onCount(count: number): void;
}

/** Pages become parts of the file as they come, so that only one is in memory; what was read until a stop is saved. */
async function exportRows({ kind, search, signal, onCount }: ExportOptions): Promise<number> {
  const query = toLogQuery(search);
  let file = new Blob(kind === 'csv' ? [CSV_HEAD] : []);
  let count = 0;
  for (let after = ''; count < MOST_ROWS && !signal.aborted;) {
    const page = await call('get', '/admin/v1/logs', { query: { ...query, limit: PAGE, after } });
    file = new Blob([file, ...page.data.map((row) => toLine(kind, row))]);
    count += page.data.length;
    onCount(count);
    if (!page.has_more || page.last_id === null) break;
    after = page.last_id;
  }
  if (signal.reason !== LEFT) saveFile(`requests.${kind}`, file);
  return count;
}

const toLine = (kind: Kind, row: LogLine): string =>
  kind === 'csv' ? toCsvLine(row) : `${JSON.stringify(row)}\n`;
