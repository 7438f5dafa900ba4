import {
  Button,
  Collapse,
  FileInput,
  Group,
  JsonInput,
  NativeSelect,
  Stack,
  Text,
  TextInput,
  Textarea,
} from '@mantine/core';
import { type KeyboardEvent, useState } from 'react';
import { onSubmit } from '../parts/on-submit.ts';
import type { Question } from './compose-request.ts';
import { IMAGES, PDF, readFile } from './read-file.ts';

interface QuestionFormProps {
  question: Question;
  isRunning: boolean;
  /** Why it cannot be sent yet. */
  missing: string | undefined;
  isPromptNeeded: boolean;
  onChange(change: Partial<Question>): void;
  onSend(): void;
  onStop(): void;
  onClear(): void;
}

/** What is asked, and how. Ctrl or Command with Enter sends it. */
export function QuestionForm(props: QuestionFormProps) {
  const { question, isRunning, isPromptNeeded, onChange, onSend } = props;
  const [isOpen, setOpen] = useState(false);
  const isEmpty = isPromptNeeded && question.prompt.trim() === '';
  const missing = props.missing ?? (isEmpty && !isRunning ? 'Write a prompt to send.' : undefined);
  const send = (): void => {
    if (missing === undefined && !isRunning) onSend();
  };
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    send();
  };
  return (
    <form onSubmit={onSubmit(send)} aria-label="Question" onKeyDown={onKey}>
      <Stack gap="sm">
        <Textarea
          label="Prompt"
          autosize
          minRows={3}
          maxRows={12}
          dir="auto"
          value={question.prompt}
          onChange={({ currentTarget }) => onChange({ prompt: currentTarget.value })}
        />
        {question.files.length > 0 && (
          <Text size="sm" className="answer-text">
            With {question.files.map(({ name }) => name).join(', ')}
          </Text>
        )}
        <Actions {...props} missing={missing} isOpen={isOpen} onOpen={() => setOpen(!isOpen)} />
        <Collapse expanded={isOpen}>
          <Parameters question={question} onChange={onChange} />
        </Collapse>
      </Stack>
    </form>
  );
}

interface ActionsProps extends Pick<QuestionFormProps, 'isRunning' | 'missing' | 'onStop' | 'onClear'> {
  isOpen: boolean;
  onOpen(): void;
}

function Actions({ isRunning, missing, onStop, onClear, isOpen, onOpen }: ActionsProps) {
  return (
    <Group gap="sm">
      <Button type="submit" disabled={missing !== undefined || isRunning}>
        Send
      </Button>
      <Button variant="default" onClick={onStop} disabled={!isRunning}>
        Stop
      </Button>
      <Button variant="default" onClick={onClear}>
        New conversation
      </Button>
      <Button variant="default" onClick={onOpen} aria-expanded={isOpen}>
        Files, tools, parameters
      </Button>
      <Text size="sm" className="quiet" role="status">
        {missing ?? 'Ctrl+Enter (⌘ Enter) sends it.'}
      </Text>
    </Group>
  );
}

function Parameters({ question, onChange }: Pick<QuestionFormProps, 'question' | 'onChange'>) {
  return (
    <Stack gap="sm">
      <Textarea
        label="System prompt"
        autosize
        maxRows={8}
        value={question.system}
        onChange={({ currentTarget }) => onChange({ system: currentTarget.value })}
      />
      <Sampling question={question} onChange={onChange} />
      <JsonInput
        label="Response JSON schema"
        autosize
        maxRows={10}
        value={question.schema}
        onChange={(schema) => onChange({ schema })}
        validationError="This is not JSON"
      />
      <JsonInput
        label="Tools: an array of functions"
        autosize
        maxRows={10}
        value={question.tools}
        onChange={(tools) => onChange({ tools })}
        validationError="This is not JSON"
      />
    </Stack>
  );
}

function Sampling({ question, onChange }: Pick<QuestionFormProps, 'question' | 'onChange'>) {
  const numbers = [
    ['Most output tokens', 'maxTokens'],
    ['Temperature', 'temperature'],
    ['Top p', 'topP'],
  ] as const;
  const [chosen, choose] = useState<File[]>([]);
  const read = (files: File[]): void => {
    choose(files);
    void Promise.all(files.map(readFile)).then((read) => onChange({ files: read }));
  };
  return (
    <Group gap="sm" align="end">
      {numbers.map(([label, name]) => (
        <TextInput
          key={name}
          label={label}
          inputMode="decimal"
          w={170}
          value={question[name]}
          onChange={({ currentTarget }) => onChange({ [name]: currentTarget.value.trim() })}
        />
      ))}
      <NativeSelect
        label="Reasoning effort"
        value={question.effort}
        onChange={({ currentTarget }) => onChange({ effort: currentTarget.value })}
        data={[{ value: '', label: 'as the model does' }, 'none', 'minimal', 'low', 'medium', 'high']}
      />
      <FileInput
        label="Images, PDFs and text files"
        multiple
        clearable
        accept={[...IMAGES, PDF, 'text/*', '.md', '.json', '.csv', '.xml', '.yaml', '.ts', '.py'].join(',')}
        placeholder="none"
        miw={180}
        // What was sent is no longer beside the next question.
        value={question.files.length === 0 ? [] : chosen}
        onChange={read}
        clearButtonProps={{ 'aria-label': 'Remove the files' }}
      />
    </Group>
  );
}
