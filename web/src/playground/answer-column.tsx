import { Alert, Button, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ApiError, GATEWAY } from '../api/client.ts';
import { logQuery } from '../api/queries.ts';
import { printJson } from '../conversation/json.ts';
import { imagePart } from '../conversation/parts.ts';
import { CopyText } from '../parts/copy-text.tsx';
import { Fold } from '../parts/fold.tsx';
import { countOf, formatCount, formatMs } from '../parts/format.ts';
import { useCan } from '../parts/use-can.ts';
import { Usd } from '../parts/values.tsx';
import type { Answer } from './stream-answer.ts';
import { readContent } from './compose-request.ts';
import { ToolResults } from './tool-results.tsx';
import type { ToolResult, Turn } from './use-conversation.ts';

/** For a minute: a provider that cannot be stopped may bill what it goes on to write. */
const TRIES = 60;
const TRY_MS = 1_000;
const FIRST_TRY_MS = 300;

interface AnswerColumnProps {
  model: string;
  turns: readonly Turn[];
  /** Goes on with the results of tools; absent while that cannot be. */
  onResults: ((results: readonly ToolResult[]) => void) | undefined;
  onRemove: (() => void) | undefined;
}

/** The answers of one model. */
export function AnswerColumn({ model, turns, onResults, onRemove }: AnswerColumnProps) {
  const last = turns.findLast(({ answers }) => answers[model] !== undefined);
  return (
    <Paper withBorder p="md" component="section" aria-label={model} className="answers">
      <Group justify="space-between" wrap="nowrap" mb="sm">
        <Title order={2} size="h5">
          {model}
        </Title>
        {onRemove && (
          <Button variant="default" size="xs" onClick={onRemove} aria-label={`Remove ${model}`}>
            Remove
          </Button>
        )}
      </Group>
      <Stack gap="lg">
        {turns.map(({ content, results, answers }, index) => {
          const answer = answers[model];
          return (
            answer && (
              <Stack key={index} gap="xs">
                <Asked content={content} results={results ?? []} />
                <AnswerView answer={answer} />
                {onResults && answers === last?.answers && answer.state === 'done' && (
                  <ToolResults calls={answer.calls} onResults={onResults} />
                )}
              </Stack>
            )
          );
        })}
      </Stack>
    </Paper>
  );
}

function Asked({ content, results }: Required<Pick<Turn, 'content' | 'results'>>) {
  const given = results.map((result) => `Result: ${result.content}`);
  const { text, images, files } = readContent(content);
  return (
    <>
      <Text size="sm" className="quiet answer-text" dir="auto">
        {[...given, text, ...files].filter(Boolean).join('\n')}
      </Text>
      {images.map((url, index) => (
        <Picture key={index} url={url} name="In the question" isSmall />
      ))}
    </>
  );
}

/** A picture that a browser draws without running anything; any other is named. */
function Picture({ url, name, isSmall = false }: { url: string; name: string; isSmall?: boolean }) {
  const part = imagePart(url);
  if (part.kind !== 'image') return <Text size="sm">An image that is not shown.</Text>;
  return <img src={part.url} alt={name} className={isSmall ? 'picture small' : 'picture'} />;
}

function AnswerView({ answer }: { answer: Answer }) {
  const { state, text, reasoning, calls, images, error } = answer;
  const isOver = state === 'done' || state === 'failed' || state === 'stopped';
  return (
    <>
      {reasoning !== '' && (
        <Fold title="Thinking">
          <div className="answer-text quiet" dir="auto">
            {reasoning}
          </div>
        </Fold>
      )}
      {text !== '' && (
        <div className="answer-text" dir="auto">
          {text}
        </div>
      )}
      {images.map((url, index) => (
        <Picture key={index} url={url} name="Drawn by the model" />
      ))}
      {calls.map(({ name, args }, index) => (
        <div key={index} className="call">
          <Text size="sm">
            calls <strong>{name}</strong>
          </Text>
          <Code block className="answer-text">
            {printJson(args)}
          </Code>
        </div>
      ))}
      {error !== undefined && (
        <Alert
          role="alert"
          color="red"
          variant="outline"
          title={text === '' ? 'No answer' : 'The answer broke off'}
        >
          {error}
        </Alert>
      )}
      {isOver ? (
        <Facts answer={answer} />
      ) : (
        <Text size="sm">{state === 'waiting' ? 'Waiting…' : 'Answering…'}</Text>
      )}
    </>
  );
}

/** Opens the request in the playground, for who may read what it says, where that is kept. */
const linkTo = (id: string, model: string): string =>
  `${GATEWAY}/dashboard/#/playground?${new URLSearchParams({ models: model, from: id }).toString()}`;

/** How an answer ended, where that is not its own end. */
const ENDINGS: Readonly<Record<string, string>> = {
  length: 'cut at the length limit',
  tool_calls: 'waits for the results of tools',
  content_filter: 'stopped by a content filter',
};

/** What it took, as the log has it: the row is written just after the end. */
function Facts({ answer }: { answer: Answer }) {
  const { requestId = '', firstMs, wholeMs, finish, state } = answer;
  const canRead = useCan()('logs', 'read');
  const { data, error } = useQuery({
    ...logQuery(requestId),
    enabled: canRead && requestId !== '',
    retry: (count, error) => error instanceof ApiError && error.status === 404 && count < TRIES,
    retryDelay: (count) => (count < 4 ? FIRST_TRY_MS : TRY_MS),
  });
  const isLate = canRead && requestId !== '' && !data && !error;
  const ended = state === 'stopped' ? 'stopped' : ENDINGS[finish ?? 'stop'];
  const texts = [
    ...(firstMs === undefined ? [] : [`first text after ${formatMs(firstMs)}`]),
    ...(wholeMs === undefined ? [] : [`${formatMs(wholeMs)} in all`]),
    ...(data ? [`${countOf(data.input_tokens, 'token')} in`, `${formatCount(data.output_tokens)} out`] : []),
    ...(data && data.cached_tokens > 0 ? [`${formatCount(data.cached_tokens)} from the cache`] : []),
    ...(ended === undefined ? [] : [ended]),
    ...(isLate ? ['its cost follows'] : []),
  ];
  return (
    <Text size="sm" className="figures" role="status">
      {data && (
        <>
          <Usd exact={data.cost} />
          {', '}
        </>
      )}
      {texts.join(', ')}
      {data && (
        <>
          {' '}
          <Link to="/requests/$id" params={{ id: requestId }}>
            Request
          </Link>{' '}
          <CopyText name="Copy a link to go on from here" text={linkTo(requestId, data.requested_model)} />
        </>
      )}
    </Text>
  );
}
