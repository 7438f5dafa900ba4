import { Alert, Autocomplete, Button, Group, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { availableQuery } from '../models/catalogue.ts';
import { onSubmit } from '../parts/on-submit.ts';
import { type Access, GiveAccess, useAccess } from './access.tsx';
import { AnswerColumn } from './answer-column.tsx';
import {
  EMPTY_QUESTION,
  type Message,
  type Question,
  type RequestBody,
  composeRequest,
  toContent,
  toUserMessage,
} from './compose-request.ts';
import { ExportView } from './export-view.tsx';
import { MOST_MODELS, readPlaygroundSearch, splitModels } from './playground-search.ts';
import { QuestionForm } from './question-form.tsx';
import { SourceNote, useSource } from './source.tsx';
import { type ToolResult, type Turn, toMessages, useConversation } from './use-conversation.ts';

const route = getRouteApi('/playground');

/** Up to four models side by side: what each answers, what it costs and how long it takes. */
export function PlaygroundScreen() {
  const { models: chosen = '', from } = route.useSearch();
  const models = splitModels(chosen);
  const navigate = route.useNavigate();
  const { access, setAccess } = useAccess();
  const source = useSource(from);
  const { history } = source;
  const conversation = useConversation(models, history);
  const { question, fault, change, send, attempt } = useQuestion(source.question, (asked) => {
    if (access) conversation.ask({ question: asked, token: access.token });
  });
  const giveResults: AnswersProps['onResults'] =
    access &&
    ((model, results) =>
      attempt(() => conversation.giveResults(model, results, { question, token: access.token })));
  const choose = (names: readonly string[]): void =>
    void navigate({ search: readPlaygroundSearch({ models: names.join(','), from }) });
  const { turns, isRunning } = conversation;
  return (
    <Stack>
      <Group justify="space-between">
        <Title>Playground</Title>
        {models[0] !== undefined && (
          <ExportView compose={composeFirst(models[0], question, { turns, history })} />
        )}
      </Group>
      <ModelChoice models={models} choose={choose} />
      {access ? <Payer access={access} onEnd={() => setAccess(null)} /> : <GiveAccess onAccess={setAccess} />}
      <SourceNote source={source} />
      <QuestionForm
        question={question}
        isRunning={isRunning}
        isPromptNeeded={history.length === 0 || turns.length > 0}
        missing={nameMissing({ models, access })}
        onChange={change}
        onSend={send}
        onStop={conversation.stop}
        onClear={conversation.clear}
      />
      {fault !== undefined && <Alert role="alert" color="red" variant="outline" title={fault} />}
      <Answers models={models} turns={turns} choose={choose} onResults={giveResults} isRunning={isRunning} />
    </Stack>
  );
}

/** What has to be chosen before a question can be sent. */
function nameMissing({ models, access }: { models: readonly string[]; access: Access | null }) {
  if (models.length === 0) return 'Add a model above to send.';
  return access ? undefined : 'Choose above which key is charged to send.';
}

interface AnswersProps extends ModelChoiceProps {
  turns: readonly Turn[];
  isRunning: boolean;
  /** Absent without a key to ask with. */
  onResults: ((model: string, results: readonly ToolResult[]) => void) | null;
}

function Answers({ models, turns, choose, isRunning, onResults }: AnswersProps) {
  return (
    <div className="columns">
      {models.map((model) => (
        <AnswerColumn
          key={model}
          model={model}
          turns={turns}
          onResults={isRunning || !onResults ? undefined : (results) => onResults(model, results)}
          onRemove={isRunning ? undefined : () => choose(models.filter((name) => name !== model))}
        />
      ))}
    </div>
  );
}

/** The form, and why its question could not be sent. */
function useQuestion(given: Question | undefined, ask: (question: Question) => void) {
  const [question, setQuestion] = useState<Question>(EMPTY_QUESTION);
  useEffect(() => {
    if (given) setQuestion(given);
  }, [given]);
  const [fault, setFault] = useState<string>();
  const attempt = (act: () => void): void => {
    try {
      act();
      setFault(undefined);
    } catch (error) {
      setFault(error instanceof Error ? error.message : String(error));
    }
  };
  const send = (): void =>
    attempt(() => {
      ask(question);
      setQuestion({ ...question, prompt: '', files: [] });
    });
  const change = (next: Partial<Question>): void => setQuestion((old) => ({ ...old, ...next }));
  return { question, fault, change, send, attempt };
}

/** The next request to the first model. */
const composeFirst =
  (model: string, question: Question, said: { turns: readonly Turn[]; history: readonly Message[] }) =>
  (): RequestBody =>
    composeRequest(model, question, [
      ...said.history,
      ...toMessages(said.turns, model),
      ...toUserMessage(toContent(question)),
    ]);

function Payer({ access, onEnd }: { access: Access; onEnd: () => void }) {
  return (
    <Group gap="sm">
      <Text size="sm">Charged to {access.label}.</Text>
      <Button variant="default" size="xs" onClick={onEnd}>
        Change
      </Button>
    </Group>
  );
}

interface ModelChoiceProps {
  models: readonly string[];
  choose(models: readonly string[]): void;
}

function ModelChoice({ models, choose }: ModelChoiceProps) {
  const [name, setName] = useState('');
  const { data } = useQuery(availableQuery);
  if (models.length >= MOST_MODELS)
    return <Text size="sm">Four models at most; remove one for another.</Text>;
  const add = (model: string): void => {
    setName('');
    choose([...models, model]);
  };
  return (
    <form onSubmit={onSubmit(() => name.trim() !== '' && add(name.trim()))} aria-label="Add a model">
      <Group align="end" gap="sm">
        <Autocomplete
          label={models.length === 0 ? 'A model' : 'Another model'}
          description="Type to search: a model of the catalogue, provider/model, or one of your own"
          placeholder="claude-sonnet"
          miw={260}
          limit={20}
          value={name}
          onChange={setName}
          data={(data?.data ?? []).map(({ id }) => id).filter((id) => !models.includes(id))}
        />
        <Button type="submit" variant="default">
          Add
        </Button>
      </Group>
    </form>
  );
}
