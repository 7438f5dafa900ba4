import { Table, Text } from '@mantine/core';
import type { LogLine } from '../api/log-line.ts';
import { formatMs } from '../parts/format.ts';
import { Section, WideTable } from '../parts/section.tsx';

type Attempt = LogLine['attempts'][number];

const HEAD = ['Provider', 'Model', 'Why', 'Outcome', 'Waited', 'Took'];

/** The calls of providers, each where it is in the time of the request. */
export function Attempts({ log }: { log: LogLine }) {
  const { attempts } = log;
  const isTimed = attempts.every(({ start_ms: start }) => start !== null);
  return (
    <Section title="Attempts">
      {attempts.length === 0 ? (
        <Text>No provider was called.</Text>
      ) : (
        <WideTable label="Attempts" head={isTimed ? [...HEAD, 'When'] : HEAD} miw={isTimed ? 900 : 640}>
          {attempts.map((attempt, index) => (
            <Table.Tr key={index}>
              <Table.Td>{attempt.provider_id}</Table.Td>
              <Table.Td className="name">{attempt.model}</Table.Td>
              <Table.Td>{attempt.reason ?? '–'}</Table.Td>
              <Table.Td className={attempt.outcome === 'answered' ? '' : 'failed'}>
                {attempt.status === null ? attempt.outcome : `${attempt.outcome} (${attempt.status})`}
              </Table.Td>
              <Table.Td>{formatMs(attempt.wait_ms)}</Table.Td>
              <Table.Td>{formatMs(attempt.duration_ms)}</Table.Td>
              {isTimed && (
                <Table.Td w="40%">
                  <Bar attempt={attempt} log={log} />
                </Table.Td>
              )}
            </Table.Tr>
          ))}
        </WideTable>
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
      <Text size="xs" className="quiet">
        {moments.join(', ')}
      </Text>
    </>
  );
}
