import type { AlertSettings } from '#alerts';
import { parseUsd } from '#base';
import type { SettingsFile } from '../schemas/settings-schema.ts';
import type { SettingsProblem } from '../settings-problem.ts';
import { describeUrl, findSecretFault, isPlainUrl } from './destination-faults.ts';

const USUAL_THRESHOLDS = [50, 80, 100];
const USUAL_CHECK_HOURS = 24;
const USUAL_LOSS = '5';

/** Validates the settings of alerts; an invalid URL is reported at its place. */
export function readAlertSettings(
  { url, secret, ...chosen }: NonNullable<SettingsFile['alerts']>,
  place: string,
  problems: SettingsProblem[],
): AlertSettings {
  if (!isPlainUrl(url)) problems.push({ place, message: describeUrl('url') });
  const fault = findSecretFault(secret);
  if (fault !== undefined) problems.push({ place, message: fault });
  const sessionLoss = parseUsd(chosen.sessionLossUsd ?? USUAL_LOSS) ?? 0n;
  return {
    url,
    secret,
    thresholds: chosen.thresholds ?? USUAL_THRESHOLDS,
    forecast: chosen.forecast ?? true,
    ledgerCheckHours: chosen.ledgerCheckHours ?? USUAL_CHECK_HOURS,
    ...(sessionLoss > 0n && { sessionLoss }),
  };
}
