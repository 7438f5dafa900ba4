import { useRef, useState } from 'react';
import {
  type Content,
  type Message,
  type Question,
  composeRequest,
  toContent,
  toUserMessage,
} from './compose-request.ts';
import { type Answer, NO_ANSWER, type ToolCall, streamAnswer } from './stream-answer.ts';

/** The result of a tool that a model called. */
export interface ToolResult {
  id: string;
  content: string;
}

/** A question or the results of one model's tools, and what each model answered. */
export interface Turn {
  content: Content;
  results?: readonly ToolResult[];
  answers: Readonly<Record<string, Answer>>;
}

/** The form as it is, and who pays. */
interface Asker {
  question: Question;
  token: string;
}

/** A conversation with several models at once: each sees the history, the questions and its own answers. */
export function useConversation(models: readonly string[], history: readonly Message[]) {
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const running = useRef<AbortController | undefined>(undefined);
  const [isRunning, setRunning] = useState(false);
  const note = (turn: number, model: string, answer: Answer): void =>
    setTurns((old) =>
      old.map((one, index) =>
        index === turn ? { ...one, answers: { ...one.answers, [model]: answer } } : one,
      ),
    );
  const run = (asked: Omit<Turn, 'answers'>, of: readonly string[], { question, token }: Asker): void => {
    const answers = Object.fromEntries(of.map((model) => [model, NO_ANSWER]));
    const next = [...turns, { ...asked, answers }];
    const bodies = of.map((model) =>
      composeRequest(model, question, [...history, ...toMessages(next, model)]),
    );
    const turn = turns.length;
    const controller = new AbortController();
    running.current = controller;
    setTurns(next);
    setRunning(true);
    const runs = bodies.map((body) =>
      streamAnswer({
        body,
        token,
        signal: controller.signal,
        onChange: (answer) => note(turn, body.model, answer),
      }),
    );
    void Promise.all(runs).then(() => setRunning(false));
  };
  /** Throws where the question cannot be sent. */
  const ask = (asker: Asker): void => run({ content: toContent(asker.question) }, models, asker);
  /** Goes on with what the tools of one model returned. */
  const giveResults = (model: string, results: readonly ToolResult[], asker: Asker): void =>
    run({ content: '', results }, [model], asker);
  const clear = (): void => {
    running.current?.abort();
    setTurns([]);
  };
  return { turns, isRunning, ask, giveResults, clear, stop: () => running.current?.abort() };
}

/** The conversation with a model, without unanswered turns and tool calls without results. */
export function toMessages(turns: readonly Turn[], model: string): Message[] {
  const said: Message[] = [];
  let isResulted = false;
  for (const { content, results, answers } of turns.toReversed()) {
    const answer = answers[model];
    if (!answer) continue;
    const calls = isResulted ? answer.calls : [];
    if (answer.text === '' && calls.length === 0 && answer.state !== 'waiting') continue;
    said.unshift(...toToolMessages(results), ...toUserMessage(content), ...toAssistant(answer.text, calls));
    isResulted = results !== undefined;
  }
  return said;
}

const toToolMessages = (results: readonly ToolResult[] = []): Message[] =>
  results.map(({ id, content }) => ({ role: 'tool', tool_call_id: id, content }));

function toAssistant(text: string, calls: readonly ToolCall[]): Message[] {
  if (text === '' && calls.length === 0) return [];
  const toolCalls = calls.map(({ id, name, args }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  }));
  return [{ role: 'assistant', content: text, ...(calls.length > 0 && { tool_calls: toolCalls }) }];
}
