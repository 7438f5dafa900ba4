import { Text } from '@mantine/core';
import type { LogLine } from '../api/log-line.ts';
import { type Column, DataTable, Note } from '../parts/lists/data-table.tsx';
import { formatMs } from '../parts/format.ts';
import { Section } from '../parts/section.tsx';

type Attempt = LogLine['attempts'][number];

/** What the codes of docs/routing.md say, where the code alone does not. */
const REASONS: Readonly<Record<string, string>> = {
  only: 'the only one',
  order: 'named by the request, key or project',
  sticky: 'has the prompt in its cache',
  health: 'others are ill or slow',
  probe: 'its pause is over',
  exploration: 'its speed is not known',
  next: 'the one before failed',
  'fallback-model': 'the model before failed',
  continued: 'goes on with a cut answer',
  credential: 'another credential',
  retry: 'called again',
  rival: 'the one before was silent',
};
const OUTCOMES: Readonly<Record<string, string>> = {
  outpaced: 'another was faster',
  'timed-out': 'timed out',
  'no-descriptor': 'no connection to spare',
  'rate-limited': 'rate limited',
  'credential-refused': 'credential refused',
  'out-of-quota': 'out of quota',
  'request-refused': 'request refused',
  'content-refused': 'content refused',
  garbled: 'malformed answer',
  broken: 'answer broke off',
};

const LEAST_ERROR = 400;

/** An error that the provider answered at once broke nothing off. */
function describeOutcome(outcome: string, status: number | null): string {
  const isAnswered = status === null || status < LEAST_ERROR;
  const words = outcome === 'broken' && !isAnswered ? 'provider error' : (OUTCOMES[outcome] ?? outcome);
  return status === null ? words : `${words} (${status})`;
}

const COLUMNS: readonly Column<Attempt>[] = [
  { head: 'Provider', cell: ({ provider_id: id }) => id },
  { head: 'Model', kind: 'name', cell: ({ model }) => model },
  { head: 'Why', kind: 'name', cell: ({ reason }) => (reason === null ? '–' : (REASONS[reason] ?? reason)) },
  {
    head: 'Outcome',
    isFailed: ({ outcome }) => outcome !== 'answered',
    cell: ({ outcome, status }) => describeOutcome(outcome, status),
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

/** When its first event came, if the client got any of it: that of the request, which may be of an earlier attempt. */
function findFirst(attempt: Attempt, log: LogLine): number | undefined {
  const { attempts, stream, first_event_ms: first } = log;
  const next = attempts[attempts.indexOf(attempt) + 1];
  const isSent = attempt.outcome === 'answered' || next === undefined || next.reason === 'continued';
  const start = attempt.start_ms ?? 0;
  if (!isSent || !stream || first === null || first > start + attempt.duration_ms) return undefined;
  return Math.max(first, start);
}

/** How it waited, connected, how long nothing came, and how long the answer took. */
function Bar({ attempt, log }: { attempt: Attempt; log: LogLine }) {
  const { start_ms: given, wait_ms: waited, connect_ms: connecting, duration_ms: took, outcome } = attempt;
  const start = given ?? 0;
  const ends = log.attempts.map((one) => (one.start_ms ?? 0) + one.duration_ms);
  const whole = Math.max(1, log.duration_ms, ...ends);
  const end = start + took;
  const found = findFirst(attempt, log);
  const connected = found === start ? start : Math.min(end, start + connecting);
  const first = Math.max(connected, found ?? end);
  const isUsed = found !== undefined || outcome === 'answered';
  const parts = [
    { kind: 'waited', from: Math.max(0, start - waited), to: start },
    { kind: 'connecting', from: start, to: connected },
    { kind: isUsed ? 'silent' : 'lost', from: connected, to: first },
    { kind: outcome === 'answered' ? 'streamed' : 'lost', from: first, to: end },
  ].filter(({ from, to }) => to > from);
  const moments = [
    start === 0 ? 'began at once' : `began after ${formatMs(start)}`,
    ...(connecting > 0 ? [`connected in ${formatMs(connecting)}`] : []),
    ...(found !== undefined && found > start ? [`first token in ${formatMs(found - start)}`] : []),
    `ended after ${formatMs(end)}`,
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
