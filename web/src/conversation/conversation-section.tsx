import { Button, Group, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { AnswerOf } from '../api/client.ts';
import { payloadQuery } from '../api/queries.ts';
import type { LogLine } from '../api/log-line.ts';
import { CopyText } from '../parts/copy-text.tsx';
import { Fold } from '../parts/fold.tsx';
import { countOf, formatBytes } from '../parts/format.ts';
import { Section } from '../parts/section.tsx';
import { Read } from '../parts/state.tsx';
import { Moment } from '../parts/values.tsx';
import { type ConversationRequest, type Turn, readAnswered, readAsked } from './conversation.ts';
import { NotKept } from './not-kept.tsx';
import { Clipped, Parts, ToolList } from './part-view.tsx';
import { toCurl } from './to-curl.ts';

type Payload = AnswerOf<'/admin/v1/logs/{id}/payload', 'get'>;
type Kept = Payload & { request: NonNullable<Payload['request']> };

/** What was asked and answered, where the project keeps that. */
export default function ConversationSection({ log }: { log: LogLine }) {
  const query = useQuery(payloadQuery(log));
  const { data } = query;
  return (
    <Section title="Conversation" action={data && isKept(data) && <Actions log={log} payload={data} />}>
      <Read query={query} what="the conversation">
        {(payload) => (isKept(payload) ? <Kept log={log} payload={payload} /> : <NotKept log={log} />)}
      </Read>
    </Section>
  );
}

const isKept = (payload: Payload): payload is Kept => payload.request !== null;

interface KeptProps {
  log: LogLine;
  payload: Kept;
}

function Actions({ log, payload }: KeptProps) {
  const model = log.model_id ?? log.requested_model;
  if (payload.request.truncated || payload.request.text === '') return null;
  return (
    <Group gap="xs">
      <CopyText name="Copy as curl" text={toCurl(log, payload.request.text)} />
      <Button
        size="xs"
        variant="default"
        renderRoot={(props) => <Link to="/playground" search={{ models: model, from: log.id }} {...props} />}
      >
        Open in playground
      </Button>
    </Group>
  );
}

function Kept({ log, payload }: KeptProps) {
  const [isRaw, setRaw] = useState(false);
  const asked = readAsked(log.format, payload);
  const answered = readAnswered(log.format, payload);
  const { request, answer, expires_at: end } = payload;
  const cut = [request, answer].filter((text) => text?.truncated === true);
  return (
    <Stack gap="sm">
      <Group justify="space-between" gap="sm">
        <Text size="sm" className="quiet">
          {end !== null && (
            <>
              Kept until <Moment iso={end} />.
            </>
          )}
          {cut.map((text) => ` Only the beginning is kept of ${formatBytes(text?.bytes ?? 0)}.`)}
        </Text>
        <Button size="xs" variant="default" onClick={() => setRaw(!isRaw)} aria-pressed={isRaw}>
          As it was sent
        </Button>
      </Group>
      {request.text === '' ? (
        <Text size="sm">It was refused before its body was read.</Text>
      ) : isRaw || !asked ? (
        <Raw label="Request" text={request.text} />
      ) : (
        <AskedView asked={asked} />
      )}
      {isRaw || !answered ? (
        answer && <Raw label={`Answer, status ${answer.status}`} text={answer.text} />
      ) : (
        <Turns turns={answered} label="Answer" />
      )}
      {answer?.headers && <Headers headers={answer.headers} />}
    </Stack>
  );
}

function Headers({ headers }: { headers: Readonly<Record<string, string>> }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return <Raw label="Response headers" text={lines.join('\n')} />;
}

function Raw({ label, text }: { label: string; text: string }) {
  return (
    <section aria-label={label}>
      <Text fw={600}>{label}</Text>
      <Clipped text={text} isCode />
    </section>
  );
}

function AskedView({ asked }: { asked: ConversationRequest }) {
  const { system, tools, turns } = asked;
  return (
    <>
      {system.length > 0 && (
        <Fold title="System prompt">
          <Parts parts={system} names={new Map()} />
        </Fold>
      )}
      {tools.length > 0 && <ToolList tools={tools} />}
      <Turns turns={turns} label="Conversation" />
    </>
  );
}

/** So many are shown at first: the latest matter most. */
const LATEST = 8;

function Turns({ turns, label }: { turns: readonly Turn[]; label: string }) {
  const [isAll, setAll] = useState(false);
  const names = nameCalls(turns);
  const earlier = isAll ? 0 : Math.max(0, turns.length - LATEST);
  return (
    <div role="group" aria-label={label} className="messages">
      {earlier > 0 && (
        <Button variant="default" size="xs" onClick={() => setAll(true)}>
          Show {countOf(earlier, 'earlier turn')}
        </Button>
      )}
      {turns.slice(earlier).map(({ role, parts }, index) => (
        <article key={earlier + index} className={`message message-${sideOf(role)}`}>
          <Text size="sm" fw={600}>
            {label === 'Answer' && role === 'assistant' ? 'answer' : role}
          </Text>
          <Parts parts={parts} names={names} />
        </article>
      ))}
    </div>
  );
}

function sideOf(role: string): string {
  if (role.startsWith('assistant')) return 'assistant';
  return role === 'error' ? 'error' : 'user';
}

/** The names of calls by their ids, for their results. */
function nameCalls(turns: readonly Turn[]): ReadonlyMap<string, string> {
  const calls = turns.flatMap(({ parts }) => parts).filter((part) => part.kind === 'call');
  return new Map(calls.map(({ id, name }) => [id, name]));
}
