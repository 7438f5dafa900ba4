import { Table } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { formatCount } from '../parts/format.ts';
import { Section, WideTable } from '../parts/section.tsx';
import { Usd } from '../parts/values.tsx';
import type { Agent, Session } from './flatten-session.ts';

interface Miss {
  of: string;
  request_id: string;
  tokens: number;
  cost: string;
  text: string;
}

/** Why the prompt cache missed and what that cost, the most expensive first. */
export function SessionMisses({ session }: { session: Session }) {
  const misses = listMisses(session.main as unknown as Agent).sort((a, b) => Number(b.cost) - Number(a.cost));
  if (misses.length === 0) return null;
  return (
    <Section title="Cache misses">
      <WideTable label="Cache misses" head={['Of', 'Why', 'Tokens', 'Cost more']} figures={2}>
        {misses.map((miss) => (
          <Table.Tr key={miss.request_id}>
            <Table.Td>
              <Link to="/requests/$id" params={{ id: miss.request_id }}>
                {miss.of}
              </Link>
            </Table.Td>
            <Table.Td className="name">{miss.text}</Table.Td>
            <Table.Td ta="end">{formatCount(miss.tokens)}</Table.Td>
            <Table.Td ta="end">
              <Usd exact={miss.cost} />
            </Table.Td>
          </Table.Tr>
        ))}
      </WideTable>
    </Section>
  );
}

function listMisses({ id, turns, agents }: Agent): Miss[] {
  const of = id === null ? '' : `agent ${id}, `;
  return [
    ...turns.flatMap((turn, index) => turn.misses.map((miss) => ({ ...miss, of: `${of}turn ${index + 1}` }))),
    ...agents.flatMap(listMisses),
  ];
}
