import { type PicoUsd, formatUsd } from '#base';
import { formatChange } from './format-change.ts';
import { formatTable } from './table.ts';

/** What requests would cost at an offer, beside what they cost. */
interface Estimate {
  modelId: string;
  providerId: string;
  requests: number;
  cost: PicoUsd;
  actual: PicoUsd;
}

export function formatEstimates(estimates: readonly Estimate[]): string[] {
  return formatTable(
    ['model', 'provider', 'requests', 'cost, usd', 'was, usd', 'difference'],
    estimates.map(({ modelId, providerId, requests, cost, actual }) => [
      modelId,
      providerId,
      String(requests),
      formatUsd(cost),
      formatUsd(actual),
      formatChange(cost, actual),
    ]),
  );
}
