import { type PicoUsd, formatUsd } from '#base';
import { GatewayError } from '#errors';
import type { MeterFigures } from './wire.ts';

/** Why there is no money for a request: which limit, what is left, what is needed, and whether waiting for a reset helps. */
export function createRefusal(meter: MeterFigures, needed: PicoUsd): GatewayError {
  const usd = (amount: PicoUsd): string => `${formatUsd(amount)} USD`;
  const left = meter.limit > meter.used ? meter.limit - meter.used : 0n;
  const reserved = meter.held > 0n ? ` (of it ${usd(meter.held)} is reserved by requests in progress)` : '';
  const need = `${usd(left)} is left${reserved}, and this request may cost up to ${usd(needed)}.`;
  const use = `${usd(meter.limit)} and has used ${usd(meter.used)}: ${need}`;
  const reset = meter.resetsAt === undefined ? undefined : new Date(meter.resetsAt).toISOString();
  switch (meter.kind) {
    case 'key':
      return new GatewayError(
        'key_limit_reached',
        `This API key has a limit of ${use} The limit does not reset; it can be raised by the organization.`,
      );
    case 'recurring':
      return new GatewayError(
        'key_limit_reached',
        `This API key has a recurring limit of ${use} ${
          reset === undefined
            ? 'Its period has not begun; the limit can be raised by the organization.'
            : `It resets at ${reset}.`
        }`,
      );
    case 'plan':
      return new GatewayError(
        'plan_credits_exhausted',
        `The organization's plan has credits of ${use} The plan renews at ${reset ?? 'the end of its cycle'}.`,
      );
    case 'premium':
      return new GatewayError(
        'premium_allowance_exhausted',
        `The organization's plan has a weekly allowance for premium models of ${use} ${
          reset === undefined ? 'No week is running: waiting does not help.' : `It resets at ${reset}.`
        } Other models can be used meanwhile.`,
      );
    case 'credits':
      return new GatewayError(
        'credits_exhausted',
        `The organization's credits do not cover this request: ${need} Credits do not reset; they can be topped up.`,
      );
  }
}
