import type { Catalogue } from '#catalogue';
import type { Bills, LogRow } from '#logs';
import type { WhatIfLine } from '#advice';
import { askWhatIf } from '#advice';
import { inputTokensOf } from '#canonical';
import { GatewayError } from '#errors';

interface EstimatePorts {
  catalogue: Catalogue;
  now: number;
}

/** What the same usage would have cost with another model; undefined without a known price. */
export async function estimateCost(
  ports: EstimatePorts,
  model: string,
  rows: readonly LogRow[],
): Promise<readonly WhatIfLine[] | undefined> {
  const billed = async (): Promise<Bills> => toBills(rows);
  try {
    const bills = { list: billed };
    return (await askWhatIf({ ...ports, bills }, { model, filter: {}, tenants: 'all' })).lines;
  } catch (error) {
    if (error instanceof GatewayError && error.code === 'invalid_request') return undefined;
    throw error;
  }
}

function toBills(rows: readonly LogRow[]): Bills {
  const bills: Bills = { groups: [], specials: [] };
  for (const { modelId = '', providerId = '', usage, units, modifiers, ...row } of rows) {
    const amounts = { customer: BigInt(row.customer), provider: BigInt(row.provider) };
    const bill = { modelId, providerId, usage, ...amounts };
    if (units || modifiers) {
      bills.specials.push({ ...bill, units: units ?? [], parts: modifiers });
    } else {
      bills.groups.push({
        ...bill,
        requests: 1,
        inputTokens: inputTokensOf(usage),
        cachedTokens: usage.inputCacheRead + usage.inputCacheWrite5m + usage.inputCacheWrite1h,
        isEmpty: Object.values(usage).every((count) => count === 0),
      });
    }
  }
  return bills;
}
