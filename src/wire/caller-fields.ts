import type { ClientFormatId } from '#canonical';
import { GatewayError } from '#errors';
import type { OutboundFormat } from './contract.ts';
import { CLIENT_FACTS } from './facts.ts';

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
  const name = CLIENT_FACTS[caller].fieldNames[thrown.facts.param ?? ''];
  if (name === undefined) return thrown;
  return new GatewayError(thrown.code, thrown.message, { ...thrown.facts, param: name });
}
