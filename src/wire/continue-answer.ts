import type { CanonicalRequest, Turn } from '#canonical';

/** An answer that has begun elsewhere. */
interface Begun {
  text: string;
  /** What is left of the limit of the request, if it has one. */
  maxOutputTokens: number | undefined;
}

/** The request for the rest of an answer: it ends with the text so far. A thinking model has thought already. */
export function continueAnswer(
  request: CanonicalRequest,
  { text, maxOutputTokens }: Begun,
): CanonicalRequest {
  if (text === '') return request;
  const { reasoning: _, ...rest } = request;
  const turn: Turn = { role: 'assistant', blocks: [{ type: 'text', text }] };
  return {
    ...rest,
    turns: [...request.turns, turn],
    answerStart: text,
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
  };
}
