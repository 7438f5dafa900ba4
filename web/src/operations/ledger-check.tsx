import { Alert, Box, Button, Code, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type AnswerOf, call } from '../api/client.ts';
import { type Column, DataTable } from '../parts/lists/data-table.tsx';
import { countOf, formatCount } from '../parts/format.ts';
import { Refusal } from '../parts/state.tsx';

type Difference = AnswerOf<'/admin/v1/ledger/check', 'get'>['differences'][number];

/** More would not be read, and would stop the browser for a while. */
const MOST = 100;

const COLUMNS: readonly Column<Difference>[] = [
  { head: 'What', cell: ({ what }) => what },
  { head: 'About', cell: ({ subject }) => subject },
  { head: 'Expected', cell: ({ expected }) => expected },
  { head: 'Found', cell: ({ actual }) => actual },
];

/** Adds the books up again. */
export function LedgerCheck() {
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => call('get', '/admin/v1/ledger/check'),
  });
  return (
    <Stack>
      <Text>
        Entries, meters, holds and log rows must agree, and every cost must be its usage at the prices it was
        charged at. With millions of requests this takes a while.
      </Text>
      <Box>
        <Button onClick={() => mutate()} loading={isPending}>
          Check the ledger
        </Button>
      </Box>
      {error && <Refusal error={error} title="The ledger could not be checked" />}
      {data?.ok === true && (
        <Alert role="status" color="green" variant="outline" title="The books agree">
          Every figure was added up again.
        </Alert>
      )}
      {data && !data.ok && (
        <>
          <Alert
            role="alert"
            color="red"
            variant="outline"
            title={countOf(data.differences.length, 'figure differs', 'figures differ')}
          >
            {data.differences.length > MOST && (
              <>
                The first {formatCount(MOST)} are below; <Code>npx sluice ledger check</Code> lists more.
              </>
            )}
          </Alert>
          <DataTable
            label="Differences"
            columns={COLUMNS}
            rows={data.differences.slice(0, MOST)}
            keyOf={({ what, subject }) => `${what} ${subject}`}
          />
        </>
      )}
    </Stack>
  );
}
