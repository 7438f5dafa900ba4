import { Alert, Box, Button, Stack, Table, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { WideTable } from '../parts/section.tsx';
import { Refusal } from '../parts/state.tsx';

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
            title={`${data.differences.length} figures differ`}
          />
          <WideTable label="Differences" head={['What', 'Of', 'Expected', 'Found']}>
            {data.differences.map(({ what, subject, expected, actual }) => (
              <Table.Tr key={`${what} ${subject}`}>
                <Table.Td>{what}</Table.Td>
                <Table.Td>{subject}</Table.Td>
                <Table.Td>{expected}</Table.Td>
                <Table.Td>{actual}</Table.Td>
              </Table.Tr>
            ))}
          </WideTable>
        </>
      )}
    </Stack>
  );
}
