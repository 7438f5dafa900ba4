import type { ClientFormatId } from '#canonical';
import { GatewayError } from '#errors';
import type { OutboundFormat } from '../contract.ts';

/** The caller's names for the request fields that encoders refuse. */
const NAMES: Readonly<Record<ClientFormatId, Readonly<Record<string, string>>>> = {
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

/** Wraps a format so that its refusals use the caller's field names. */
export function withCallerFields(format: OutboundFormat): OutboundFormat {
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
  const name = NAMES[caller][thrown.facts.param ?? ''];
  if (name === undefined) return thrown;
  return new GatewayError(thrown.code, thrown.message, { ...thrown.facts, param: name });
}
