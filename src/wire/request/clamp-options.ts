import type { CanonicalRequest, Dialect, Sampling, Target } from '#canonical';

/** The output limit that the upstream accepts. Anthropic accepts 0, to warm a cache; others require at least one token. */
export function clampOutput(
  { maxOutputTokens: requested }: CanonicalRequest,
  { maxOutput }: Target,
  least = 1,
): number | undefined {
  return requested === undefined ? undefined : Math.max(least, Math.min(requested, maxOutput ?? requested));
}

/** The sampling parameters that the upstream accepts, by the names of its format. */
export function encodeSampling<Name extends string>(
  sampling: Sampling,
  dialect: Dialect,
  names: Partial<Record<keyof Sampling, Name>>,
): Partial<Record<Name, number>> {
  const encoded: Partial<Record<Name, number>> = {};
  for (const name of PARAMETERS) {
    const [given, encodedName] = [sampling[name], names[name]];
    if (given === undefined || encodedName === undefined || !accepts(dialect, name)) continue;
    encoded[encodedName] =
      name === 'temperature' ? Math.min(Math.max(0, given), dialect.maxTemperature) : given;
  }
  return encoded;
}

const PARAMETERS = [
  'temperature',
  'topP',
  'topK',
  'frequencyPenalty',
  'presencePenalty',
  'seed',
] as const satisfies readonly (keyof Sampling)[];

function accepts({ sampling, topK }: Dialect, name: keyof Sampling): boolean {
  switch (name) {
    case 'seed':
      return true;
    case 'topK':
      return topK && sampling !== 'none';
    case 'frequencyPenalty':
    case 'presencePenalty':
      return sampling === 'full';
    default:
      return sampling !== 'none';
  }
}

/** Which stop sequences an upstream accepts. */
export interface StopRule {
  /** Anthropic and Bedrock refuse sequences of white space alone. */
  refusesBlank: boolean;
}

export const ANY_TEXT: StopRule = { refusesBlank: false };
export const NO_BLANKS: StopRule = { refusesBlank: true };

/** The stop sequences that are sent; the gateway watches for all others itself. */
export function acceptedStops(
  { stopSequences }: Pick<CanonicalRequest, 'stopSequences'>,
  { maxStopSequences }: Dialect,
  { refusesBlank }: StopRule,
): string[] {
  return stopSequences
    .filter((sequence) => (refusesBlank ? sequence.trim() : sequence) !== '')
    .slice(0, maxStopSequences);
}
