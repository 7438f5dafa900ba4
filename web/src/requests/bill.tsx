import { Table } from '@mantine/core';
import type { LogLine } from '../now/first-request.tsx';
import { formatCount } from '../parts/format.ts';
import { Section, WideTable } from '../parts/section.tsx';
import { Usd } from '../parts/values.tsx';

/** The tokens that were counted, and what each priced part and factor added. */
export function Bill({ log }: { log: LogLine }) {
  const used = Object.entries(log.usage).filter(([, count]) => count !== 0);
  const parts = log.modifiers ?? [];
  const title = log.estimated ? 'Bill, from estimated tokens' : 'Bill';
  return (
    <Section title={title}>
      <WideTable label={title} head={['Part', 'Count', 'USD']} miw={420}>
        {used.map(([name, count]) => (
          <Table.Tr key={name}>
            <Table.Td>{name.replaceAll('_', ' ')}</Table.Td>
            <Table.Td>{formatCount(count)}</Table.Td>
            <Table.Td>{parts.length > 0 ? 'see below' : ''}</Table.Td>
          </Table.Tr>
        ))}
        {parts.map((part, index) => (
          <Part key={index} part={part} />
        ))}
        <Table.Tr fw={700}>
          <Table.Td>Total</Table.Td>
          <Table.Td>{log.price_version ?? ''}</Table.Td>
          <Table.Td>
            <Usd exact={log.cost} />
          </Table.Td>
        </Table.Tr>
      </WideTable>
    </Section>
  );
}

function Part({ part }: { part: NonNullable<LogLine['modifiers']>[number] }) {
  return (
    <>
      <Table.Tr>
        <Table.Td>{part.model}</Table.Td>
        <Table.Td>{part.price_version}</Table.Td>
        <Table.Td>
          <Usd exact={part.amount} />
        </Table.Td>
      </Table.Tr>
      {part.factors.map((factor) => (
        <Table.Tr key={factor.name}>
          <Table.Td>
            of it {factor.name} {factor.value}
          </Table.Td>
          <Table.Td>× {factor.factor}</Table.Td>
          <Table.Td>
            <Usd exact={factor.amount} />
          </Table.Td>
        </Table.Tr>
      ))}
    </>
  );
}
