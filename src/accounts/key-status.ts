import { formatUsd } from '#base';
import { GatewayError } from '#errors';
import type { Database } from '#storage';
import type { Caller } from './caller.ts';

/** The figures of `GET /v1/key`: amounts as decimal strings of USD, times in ISO 8601. */
export interface KeyStatus {
  label: string;
  usage: string;
  limit: string | null;
  devPlan: 'lite' | 'pro' | 'max' | 'none';
  devPlanCreditsUsed: string;
  devPlanCreditsLimit: string;
  devPlanCreditsRemaining: string;
  devPlanPremiumWeeklyLimit: string;
  devPlanPremiumCreditsUsed: string;
  devPlanPremiumWeekResetsAt: string | null;
}

const READ_FIGURES = `
  SELECT k.label, m.used::text AS used, m.lim::text AS lim
  FROM api_key k JOIN meter m ON m.kind = 'key' AND m.subject_id = k.id
  WHERE k.id = $1`;

/** The figures as the ledger has them at this moment. */
export async function readKeyStatus(database: Database, caller: Caller): Promise<KeyStatus> {
  const { rows } = await database.query<{ label: string; used: string; lim: string | null }>({
    name: 'accounts_key_status',
    text: READ_FIGURES,
    values: [caller.keyId],
  });
  const figures = rows[0];
  if (figures === undefined) throw new GatewayError('invalid_credential', 'the API key is unknown');
  return {
    label: figures.label,
    usage: formatUsd(BigInt(figures.used)),
    limit: figures.lim === null ? null : formatUsd(BigInt(figures.lim)),
    devPlan: 'none',
    devPlanCreditsUsed: '0',
    devPlanCreditsLimit: '0',
    devPlanCreditsRemaining: '0',
    devPlanPremiumWeeklyLimit: '0',
    devPlanPremiumCreditsUsed: '0',
    devPlanPremiumWeekResetsAt: null,
  };
}
