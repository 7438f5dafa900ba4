import { Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { AnswerOf } from '../api/client.ts';
import { billQuery } from '../api/queries.ts';
import type { LogLine } from '../api/log-line.ts';
import { type Column, DataTable } from '../parts/lists/data-table.tsx';
import { formatCount, writePrice } from '../parts/format.ts';
import { Section } from '../parts/section.tsx';
import { Read } from '../parts/state.tsx';
import { WholeUsd } from '../parts/values.tsx';

type RequestBill = AnswerOf<'/admin/v1/logs/{id}/bill', 'get'>;
type BillLine = RequestBill['lines'][number];

const NAMES: Readonly<Record<string, string>> = {
  input_uncached: 'Input tokens',
  input_cache_read: 'Input tokens read from the cache',
  input_cache_write_5m: 'Input tokens written to the cache for 5 minutes',
  input_cache_write_1h: 'Input tokens written to the cache for an hour',
  input_audio: 'Audio input tokens',
  input_image: 'Image input tokens',
  output_text: 'Output tokens',
  output_reasoning: 'Reasoning tokens',
  output_audio: 'Audio output tokens',
  output_image: 'Image output tokens',
  web_searches: 'Web searches',
  request: 'Request',
};
const UNITS: Readonly<Record<number, string>> = {
  1: 'each',
  1_000_000: 'per million',
  3_600_000: 'per hour',
};

const nameOf = (part: string): string => NAMES[part] ?? part.replaceAll('_', ' ');

const FIGURES: readonly Column<BillLine>[] = [
  { head: 'Count', kind: 'figure', cell: ({ units }) => (units === null ? '' : formatCount(units)) },
  { head: 'Price', kind: 'figure', cell: (line) => <UnitPrice of={line} /> },
  { head: 'Amount', kind: 'figure', cell: ({ amount }) => <WholeUsd exact={amount} /> },
];

/** What the request cost: each part's count × price, and what each factor added. */
export function Bill({ log }: { log: LogLine }) {
  return (
    <Section title="Bill">
      <Read query={useQuery(billQuery(log.id))} what="the bill">
        {(bill) => <BillTable bill={bill} log={log} />}
      </Read>
    </Section>
  );
}

function BillTable({ bill, log }: { bill: RequestBill; log: LogLine }) {
  const { lines, total, cost } = bill;
  const hasModels = new Set(lines.map(({ model }) => model)).size > 1;
  const hasProviders = new Set(lines.map(({ provider_id: provider }) => provider)).size > 1;
  const isSplit = lines.length > 0 && total !== cost;
  const remarks = listRemarks(bill);
  const part: Column<BillLine> = {
    head: 'Part',
    kind: 'name',
    cell: ({ part, detail, model, provider_id: provider }) => (
      <>
        {hasProviders && `${provider ?? 'another provider'}: `}
        {hasModels && `${model ?? ''}: `}
        {nameOf(part)} {detail}
      </>
    ),
  };
  return (
    <>
      <DataTable
        label="Bill"
        columns={[part, ...FIGURES]}
        rows={lines}
        keyOf={(_line, index) => index}
        miw={480}
      >
        {lines.length === 0 && <Unpriced usage={log.usage} />}
        {isSplit && <SumRow name="At these prices" amount={total} />}
        <SumRow name={isSplit ? 'Charged' : 'Total'} amount={cost} />
      </DataTable>
      {remarks.length > 0 && (
        <Text size="sm" className="quiet" mt="xs">
          {remarks.join(' ')}
        </Text>
      )}
    </>
  );
}

function UnitPrice({ of: { price, per, factor } }: { of: BillLine }) {
  if (price === null) return `× ${factor ?? ''}`;
  return (
    <>
      <span className="figures">{writePrice(price)}</span> {UNITS[per] ?? `per ${formatCount(per)}`}
    </>
  );
}

/** What was counted, where nothing was charged or the prices are unknown. */
function Unpriced({ usage }: Pick<LogLine, 'usage'>) {
  return Object.entries(usage)
    .filter(([, count]) => count > 0)
    .map(([part, count]) => (
      <Table.Tr key={part} role="row">
        <Table.Td role="cell" className="name">
          {nameOf(part)}
        </Table.Td>
        {['Count', 'Price', 'Amount'].map((head) => (
          <Table.Td key={head} role="cell" ta="end" data-head={head}>
            {head === 'Count' ? formatCount(count) : '–'}
          </Table.Td>
        ))}
      </Table.Tr>
    ));
}

function SumRow({ name, amount }: { name: string; amount: string }) {
  return (
    <Table.Tr fw={700} role="row">
      <Table.Td colSpan={3} role="cell">
        {name}
      </Table.Td>
      <Table.Td ta="end" role="cell">
        <WholeUsd exact={amount} />
      </Table.Td>
    </Table.Tr>
  );
}

function listRemarks({ lines, total, cost, ...bill }: RequestBill): string[] {
  const version = bill.price_version;
  const isOver = Number(cost) > Number(total);
  return [
    version !== null && bill.price_known && `Prices of version ${version}.`,
    version !== null && !bill.price_known && `The prices of version ${version} were not kept.`,
    bill.cached && 'It was replayed from the response cache, at no cost.',
    bill.estimated && 'The gateway estimated the tokens.',
    bill.own_key && 'The provider billed the organization’s own key.',
    lines.length > 0 && cost !== total && !bill.own_key && (isOver ? WHY_MORE : WHY_LESS),
  ].filter((remark) => remark !== false);
}

const WHY_MORE = 'Several answers were generated; each was priced by itself.';
const WHY_LESS =
  'The operator pays the rest: what exceeds the hold, and calls of which nothing was delivered.';
