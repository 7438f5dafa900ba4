import type { ClientFormatId } from '#canonical';
import { GatewayError } from '#errors';
import type { OutboundFormat } from './contract.ts';

/** What encoders call the fields of a request, in the words of callers who have others for them. */
const WORDS: Readonly<Record<ClientFormatId, Readonly<Record<string, string>>>> = {
  messages: { input: 'messages', stop: 'stop_sequences' },
  chat: { input: 'messages' },
  responses: { messages: 'input' },
  gemini: {
    messages: 'contents',
    input: 'contents',
    tool_choice: 'toolConfig',
    stop: 'generationConfig.stopSequences',
  },
};

/** A format whose refusals name the field as the caller knows it. */
export function inCallersWords(format: OutboundFormat): OutboundFormat {
  return {
    ...format,
    openExchange(request, target) {
      try {
        return format.openExchange(request, target);
      } catch (thrown) {
        throw rename(thrown, request.origin.format);
      }
    },
  };
}

function rename(thrown: unknown, caller: ClientFormatId): unknown {
  if (!(thrown instanceof GatewayError)) return thrown;
  const word = WORDS[caller][thrown.facts.param ?? ''];
  if (word === undefined) return thrown;
  return new GatewayError(thrown.code, thrown.message, { ...thrown.facts, param: word });
}
