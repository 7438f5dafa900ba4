import { type PicoUsd, formatUsd } from '#base';
import { GatewayError } from '#errors';
import type { MeterFigures } from './wire.ts';

/** Why there is no money for a request: which limit, what is left, what is needed, and whether waiting for a reset helps. */
export function createRefusal(meter: MeterFigures, needed: PicoUsd): GatewayError {
  const left = meter.limit > meter.used ? meter.limit - meter.used : 0n;
  const reserved =
    meter.held > 0n ? ` (of it ${formatUsd(meter.held)} USD is reserved by requests in progress)` : '';
  const need = `${formatUsd(left)} USD is left${reserved}, and this request may cost up to ${formatUsd(needed)} USD.`;
  if (meter.kind === 'key') {
    return new GatewayError(
      'key_limit_reached',
      `This API key has a limit of ${formatUsd(meter.limit)} USD and has used ${formatUsd(meter.used)} USD: ${need} The limit does not reset; it can be raised by the organization.`,
    );
  }
  return new GatewayError(
    'credits_exhausted',
    `The organization's credits do not cover this request: ${need} Credits do not reset; they can be topped up.`,
  );
}
