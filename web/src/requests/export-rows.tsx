import { Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import type { LogLine } from '../now/first-request.tsx';
import { formatCount } from '../parts/format.ts';
import { toCsv } from './to-csv.ts';

const PAGE = '100';
const MOST_ROWS = 10_000;

type Kind = 'csv' | 'ndjson';

interface ExportRowsProps {
  /** The filters of the list. */
  query: Readonly<Record<string, string | undefined>>;
}

/** Saves the requests that fit the filters, the newest first. */
export function ExportRows({ query }: ExportRowsProps) {
  const { mutate, data, error, isPending, variables } = useMutation({
    mutationFn: async (kind: Kind) => {
      const rows = await readRows(query);
      save(kind, rows);
      return rows.length;
    },
  });
  return (
    <Group gap="xs">
      {(['csv', 'ndjson'] as const).map((kind) => (
        <Button
          key={kind}
          variant="default"
          size="xs"
          loading={isPending && variables === kind}
          onClick={() => mutate(kind)}
        >
          Save as {kind.toUpperCase()}
        </Button>
      ))}
      {error && (
        <Text size="sm" role="alert" className="failed">
          {error.message}
        </Text>
      )}
      {data !== undefined && (
        <Text size="sm" role="status">
          {formatCount(data)} requests saved
          {data === MOST_ROWS && ', the newest; a filter saves others'}
        </Text>
      )}
    </Group>
  );
}

async function readRows(query: ExportRowsProps['query']): Promise<LogLine[]> {
  const rows: LogLine[] = [];
  for (let after = ''; rows.length < MOST_ROWS;) {
    const page = await call('get', '/admin/v1/logs', { query: { ...query, limit: PAGE, after } });
    rows.push(...page.data);
    if (!page.has_more || page.last_id === null) break;
    after = page.last_id;
  }
  return rows;
}

function save(kind: Kind, rows: readonly LogLine[]): void {
  const text = kind === 'csv' ? toCsv(rows) : rows.map((row) => `${JSON.stringify(row)}\n`).join('');
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }));
  const link = document.createElement('a');
  link.href = url;
  link.download = `requests.${kind}`;
  link.click();
  URL.revokeObjectURL(url);
}
