import { Link } from '@tanstack/react-router';
import { type Column, DataTable } from '../parts/lists/data-table.tsx';
import { formatCount } from '../parts/format.ts';
import { Section } from '../parts/section.tsx';
import { Usd } from '../parts/values.tsx';
import type { Agent, Session } from './flatten-session.ts';

interface Miss {
  of: string;
  request_id: string;
  tokens: number;
  cost: string;
  text: string;
}

const COLUMNS: readonly Column<Miss>[] = [
  {
    head: 'Turn',
    cell: ({ of, request_id: id }) => (
      <Link to="/requests/$id" params={{ id }}>
        {of}
      </Link>
    ),
  },
  { head: 'Why', kind: 'name', cell: ({ text }) => text },
  { head: 'Tokens', kind: 'figure', cell: ({ tokens }) => formatCount(tokens) },
  { head: 'Extra cost', kind: 'figure', cell: ({ cost }) => <Usd exact={cost} /> },
];

/** Why the prompt cache missed and what that cost, the most expensive first. */
export function SessionMisses({ session }: { session: Session }) {
  const misses = listMisses(session.main as unknown as Agent).sort((a, b) => Number(b.cost) - Number(a.cost));
  if (misses.length === 0) return null;
  return (
    <Section title="Cache misses">
      <DataTable label="Cache misses" columns={COLUMNS} rows={misses} keyOf={({ request_id: id }) => id} />
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
