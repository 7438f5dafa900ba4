import { useRef, useState } from 'react';
import {
  type Content,
  type Message,
  type Question,
  composeRequest,
  toContent,
  toUserMessage,
} from './compose-request.ts';
import { type Answer, NO_ANSWER, streamAnswer } from './stream-answer.ts';

/** A question, and what each model answered. */
export interface Turn {
  content: Content;
  answers: Readonly<Record<string, Answer>>;
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
  /** Throws where the question cannot be sent. */
  const ask = (question: Question, token: string): void => {
    const content = toContent(question);
    const bodies = models.map((model) =>
      composeRequest(model, question, [...history, ...toMessages(turns, model), ...toUserMessage(content)]),
    );
    const turn = turns.length;
    const controller = new AbortController();
    running.current = controller;
    setTurns([...turns, { content, answers: Object.fromEntries(models.map((model) => [model, NO_ANSWER])) }]);
    setRunning(true);
    const runs = bodies.map((body) =>
      streamAnswer({
        ...{ body, token, signal: controller.signal },
        onChange: (answer) => note(turn, body.model, answer),
      }),
    );
    void Promise.all(runs).then(() => setRunning(false));
  };
  const clear = (): void => {
    running.current?.abort();
    setTurns([]);
  };
  return { turns, isRunning, ask, clear, stop: () => running.current?.abort() };
}

/** Only what was answered with text: a call of a tool would need its result. */
export function toMessages(turns: readonly Turn[], model: string): Message[] {
  return turns.flatMap(({ content, answers }): Message[] => {
    const text = answers[model]?.text ?? '';
    return text === '' ? [] : [...toUserMessage(content), { role: 'assistant', content: text }];
  });
}
