import type { JsonObject } from '#base';
import type { Truth } from './upstream-exchange.ts';
import { type Reply, answer } from './upstream-replies.ts';

/** As code and prose have in Claude's tokenizer. */
const BYTES_PER_TOKEN = 3.6;

/** What the model says next: text, and perhaps reasoning before it and tool calls after it. */
export interface Turn {
  text: string;
  reasoning?: string;
  toolCalls?: { id: string; name: string; input: JsonObject }[];
  /** By default those of the text. */
  outputTokens?: number;
}

/** A Messages provider that counts as Anthropic does: what a prompt shares with the last one of its conversation is read from the cache. */
export class CachingProvider {
  readonly #last = new Map<string, string>();

  /** Answers with `say`, with the usage of the request. */
  reply(say: (truth: Truth) => Turn): Reply {
    return (exchange) => {
      const { truth } = exchange;
      const { text, reasoning, toolCalls, outputTokens } = say(truth);
      const output = outputTokens ?? tokensOf(text) + (toolCalls ? 60 : 0);
      const plan = {
        text,
        chunks: Math.max(1, Math.ceil(text.length / 40)),
        ...(reasoning !== undefined && { reasoning }),
        ...(toolCalls && { toolCalls }),
      };
      return answer({ ...plan, usage: { ...this.#count(truth), output_tokens: output } })(exchange);
    };
  }

  #count({ body }: Truth): JsonObject {
    const parts = [body['tools'], body['system'], body['messages']];
    const prompt = JSON.stringify(parts, (name, value: unknown) =>
      name === 'cache_control' ? undefined : value,
    );
    const conversation = nameConversation(body);
    const last = this.#last.get(conversation) ?? '';
    this.#last.set(conversation, prompt);
    const shared = tokensOf(prompt.slice(0, sharedLength(last, prompt)));
    return {
      input_tokens: 3,
      cache_read_input_tokens: shared,
      cache_creation_input_tokens: tokensOf(prompt) - shared,
    };
  }
}

/** By its first message. */
function nameConversation({ messages }: JsonObject): string {
  const first = Array.isArray(messages) ? (messages[0] as JsonObject) : {};
  return JSON.stringify(first['content']).slice(0, 400);
}

function tokensOf(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}

/** How far two texts are the same. */
function sharedLength(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let at = 0;
  while (at < most && a.charCodeAt(at) === b.charCodeAt(at)) at += 1;
  return at;
}
