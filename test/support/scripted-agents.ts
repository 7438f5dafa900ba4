import type { JsonObject } from '#base';
import type { MockUpstream } from './mock-upstream.ts';
import type { Truth, UpstreamFormat } from './upstream-exchange.ts';
import type { AnswerPlan } from './upstream-answers.ts';
import { answer } from './upstream-replies.ts';

/** What a provider bills for one request, in tokens. */
export interface Bill {
  fresh: number;
  cached: number;
  written5m: number;
  written1h: number;
  /** With reasoning. */
  output: number;
  reasoning: number;
}

/** An agent, which is recognized by a word of its task; its requests are answered by these steps in turn. */
interface ScriptedAgent {
  word: string;
  steps: readonly ScriptedStep[];
}

export interface ScriptedStep {
  answer: AnswerPlan;
  bill: Bill;
}

/** A request that the provider answered: `word` is absent for one that is no step of an agent, such as for a title. */
export interface AnsweredRequest {
  word?: string;
  headers: Record<string, string>;
  bill: Bill;
}

/** Figures that differ in every part, so that no sum is right by accident. */
export function createBill(step: number): Bill {
  return {
    fresh: 101 + 13 * step,
    cached: 1_009 * step + 7,
    written5m: 211 + 17 * step,
    written1h: 31 + 3 * step,
    output: 43 + 11 * step,
    reasoning: 5 + step,
  };
}

/** Of a request for a title and the like. */
export const SIDE_BILL = createBill(100);

/** Answers every request from now on; returns the list of requests, which grows. */
export function scriptAgents(upstream: MockUpstream, agents: readonly ScriptedAgent[]): AnsweredRequest[] {
  const answered: AnsweredRequest[] = [];
  upstream.clear();
  upstream.script({
    reply: (exchange) => {
      const { truth } = exchange;
      const agent = findAgent(agents, truth);
      const taken = answered.filter(({ word }) => word !== undefined && word === agent?.word).length;
      const step = agent?.steps[taken];
      const bill = step?.bill ?? SIDE_BILL;
      answered.push({ ...(step && { word: agent.word }), headers: truth.headers, bill });
      return answer({ ...(step?.answer ?? { text: 'side answer' }), usage: toUsage(truth.format, bill) })(
        exchange,
      );
    },
  });
  return answered;
}

/** The one whose task comes first in the conversation: tasks of the agents that it starts follow in its tool calls. */
function findAgent(agents: readonly ScriptedAgent[], { body }: Truth): ScriptedAgent | undefined {
  const conversation = JSON.stringify(body['messages'] ?? body['input'] ?? body['contents'] ?? []);
  const hasTools = Array.isArray(body['tools']) && body['tools'].length > 0;
  if (!hasTools && !conversation.includes('"additional_tools"')) return undefined;
  const placed = agents.map((agent) => ({ agent, at: conversation.indexOf(agent.word) }));
  return placed.filter(({ at }) => at >= 0).toSorted((a, b) => a.at - b.at)[0]?.agent;
}

/** The usage object of a format; only Messages has tokens written to the cache. */
function toUsage(format: UpstreamFormat, bill: Bill): JsonObject {
  const { fresh, cached, written5m, written1h, output, reasoning } = bill;
  const input = fresh + cached;
  if (format === 'messages')
    return {
      input_tokens: fresh,
      cache_read_input_tokens: cached,
      cache_creation_input_tokens: written5m + written1h,
      cache_creation: { ephemeral_5m_input_tokens: written5m, ephemeral_1h_input_tokens: written1h },
      output_tokens: output,
    };
  if (format === 'gemini')
    return {
      promptTokenCount: input,
      cachedContentTokenCount: cached,
      candidatesTokenCount: output - reasoning,
      thoughtsTokenCount: reasoning,
      totalTokenCount: input + output,
    };
  if (format === 'responses')
    return {
      input_tokens: input,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: output,
      output_tokens_details: { reasoning_tokens: reasoning },
      total_tokens: input + output,
    };
  throw new Error(`no scripted agent uses ${format}`);
}
