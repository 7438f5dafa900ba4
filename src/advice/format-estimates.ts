import type { PicoUsd } from '#base';
import { type TextTable, tableOf } from '#fields';
import { formatChange } from './format-change.ts';

/** The estimated cost of requests at an offer, beside the actual cost. */
interface Estimate {
  modelId: string;
  providerId: string;
  requests: number;
  cost: PicoUsd;
  actual: PicoUsd;
}

export const formatEstimates = (estimates: readonly Estimate[]): TextTable =>
  tableOf<Estimate>(
    {
      model: 'modelId',
      provider: 'providerId',
      requests: 'requests',
      'cost, usd': 'cost',
      'was, usd': 'actual',
      difference: ({ cost, actual }) => formatChange(cost, actual),
    },
    estimates,
  );
