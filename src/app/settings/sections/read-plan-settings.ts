import type { Settings } from '../settings.ts';
import type { SettingsFile } from '../schemas/settings-schema.ts';
import { createPlanCatalogue } from '#accounts';
import { parsePricePerMillion } from '#base';

/** USD per million tokens. */
const PREMIUM_FROM = { input: '5', output: '15' };

/** The plans on offer and the premium rule: the defaults, overridden by the file. */
export function readPlanSettings(written: SettingsFile['plans'] = {}): Pick<Settings, 'plans' | 'premium'> {
  const { premiumFrom, ...plans } = written;
  const { input, output } = { ...PREMIUM_FROM, ...premiumFrom };
  return {
    plans: createPlanCatalogue(plans),
    premium: { input: readPrice(input), output: readPrice(output) },
  };
}

function readPrice(text: string): bigint {
  const price = parsePricePerMillion(text);
  if (price === undefined) throw new RangeError(`plans.premiumFrom: "${text}" is not a price in USD`);
  return price;
}
