import { Text } from '@mantine/core';
import type { LogLine } from '../api/log-line.ts';
import { type Column, DataTable, Note } from '../parts/data-table.tsx';
import { formatMs } from '../parts/format.ts';
import { Section } from '../parts/section.tsx';

type Attempt = LogLine['attempts'][number];

const COLUMNS: readonly Column<Attempt>[] = [
  { head: 'Provider', cell: ({ provider_id: id }) => id },
  { head: 'Model', kind: 'name', cell: ({ model }) => model },
  { head: 'Why', cell: ({ reason }) => reason ?? '–' },
  {
    head: 'Outcome',
    isFailed: ({ outcome }) => outcome !== 'answered',
    cell: ({ outcome, status }) => (status === null ? outcome : `${outcome} (${status})`),
  },
  { head: 'Waited', kind: 'figure', cell: ({ wait_ms: waited }) => formatMs(waited) },
  { head: 'Took', kind: 'figure', cell: ({ duration_ms: took }) => formatMs(took) },
];

/** The calls of providers, each where it is in the time of the request. */
export function Attempts({ log }: { log: LogLine }) {
  const { attempts } = log;
  const isTimed = attempts.every(({ start_ms: start }) => start !== null);
  const when: Column<Attempt> = {
    head: 'When',
    width: '40%',
    cell: (attempt) => <Bar attempt={attempt} log={log} />,
  };
  return (
    <Section title="Attempts">
      {attempts.length === 0 ? (
        <Text>No provider was called.</Text>
      ) : (
        <DataTable
          label="Attempts"
          columns={isTimed ? [...COLUMNS, when] : COLUMNS}
          rows={attempts}
          keyOf={(_attempt, index) => index}
          miw={640}
        />
      )}
    </Section>
  );
}

/** How it waited, connected, how long nothing came, and how long the answer took: the last two of the one that answered. */
function Bar({ attempt, log }: { attempt: Attempt; log: LogLine }) {
  const { start_ms: given, wait_ms: waited, connect_ms: connecting, duration_ms: took, outcome } = attempt;
  const start = given ?? 0;
  const whole = Math.max(
    1,
    log.duration_ms,
    ...log.attempts.map((one) => (one.start_ms ?? 0) + one.duration_ms),
  );
  const end = start + took;
  const connected = Math.min(end, start + connecting);
  const first =
    outcome === 'answered' && log.stream && log.first_event_ms !== null
      ? Math.min(end, Math.max(connected, log.first_event_ms))
      : end;
  const parts = [
    { kind: 'waited', from: Math.max(0, start - waited), to: start },
    { kind: 'connecting', from: start, to: connected },
    { kind: outcome === 'answered' ? 'silent' : 'lost', from: connected, to: first },
    { kind: 'streamed', from: first, to: end },
  ].filter(({ from, to }) => to > from);
  const moments = [
    `from ${formatMs(start)} to ${formatMs(end)}`,
    ...(connecting > 0 ? [`connected after ${formatMs(connecting)}`] : []),
    ...(first < end ? [`first token at ${formatMs(first)}`] : []),
  ];
  return (
    <>
      <div className="fall" aria-hidden="true">
        {parts.map(({ kind, from, to }) => (
          <div
            key={kind}
            className={`fall-${kind}`}
            style={{ left: `${(from / whole) * 100}%`, width: `${((to - from) / whole) * 100}%` }}
          />
        ))}
      </div>
      <Note>{moments.join(', ')}</Note>
    </>
  );
}
