import { Alert, Button, Code, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ApiError, GATEWAY } from '../api/client.ts';
import { logQuery } from '../api/queries.ts';
import { CopyText } from '../parts/copy-text.tsx';
import { countOf, formatCount, formatMs } from '../parts/format.ts';
import { useCan } from '../parts/use-can.ts';
import { Usd } from '../parts/values.tsx';
import type { Answer } from './stream-answer.ts';
import type { Content } from './compose-request.ts';
import { ToolResults } from './tool-results.tsx';
import type { ToolResult, Turn } from './use-conversation.ts';

const TRIES = 20;
const TRY_MS = 500;

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
                <Text size="sm" className="quiet answer-text">
                  {describeAsked(content, results)}
                </Text>
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

function describeAsked(content: Content, results: readonly ToolResult[] = []): string {
  if (results.length > 0) return results.map((result) => `Result: ${result.content}`).join('\n');
  if (typeof content === 'string') return content;
  const [text] = content as readonly { text?: string }[];
  const files = content.length - 1;
  return `${text?.text ?? ''} (${countOf(files, 'file')})`;
}

function AnswerView({ answer }: { answer: Answer }) {
  const { state, text, reasoning, calls, error } = answer;
  const isOver = state === 'done' || state === 'failed' || state === 'stopped';
  return (
    <>
      {reasoning !== '' && (
        <details>
          <summary>Thinking</summary>
          <div className="answer-text quiet">{reasoning}</div>
        </details>
      )}
      {text !== '' && <div className="answer-text">{text}</div>}
      {calls.map(({ name, args }, index) => (
        <Code key={index} block>{`${name}(${args})`}</Code>
      ))}
      {error !== undefined && (
        <Alert role="alert" color="red" variant="outline" title="No answer">
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

/** What it took, as the log has it: the row is written just after the end. */
function Facts({ answer }: { answer: Answer }) {
  const { requestId = '', firstMs, wholeMs, finish, state } = answer;
  const canRead = useCan()('logs', 'read');
  const { data } = useQuery({
    ...logQuery(requestId),
    enabled: canRead && requestId !== '',
    retry: (count, error) => error instanceof ApiError && error.status === 404 && count < TRIES,
    retryDelay: TRY_MS,
  });
  const tokens = data && Object.entries(data.usage).filter(([, count]) => count !== 0);
  return (
    <Text size="sm" className="figures" role="status">
      {data && (
        <>
          <Usd exact={data.cost} />
          {', '}
        </>
      )}
      {firstMs !== undefined && `first text after ${formatMs(firstMs)}, `}
      {wholeMs !== undefined && `${formatMs(wholeMs)} in all`}
      {tokens?.map(([name, count]) => `, ${formatCount(count)} ${name.replaceAll('_', ' ')}`)}
      {state === 'stopped'
        ? ', stopped'
        : finish !== undefined && finish !== 'stop' && `, ended by ${finish}`}
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
