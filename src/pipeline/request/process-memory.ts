import type { Clock } from '#base';
import type { Ports } from './ports.ts';
import { systemRandom } from '#base';
import { HealthRegistry } from '#routing';
import { SentPrefixes } from '../misses/sent-prefixes.ts';
import { SessionPrompts } from '../misses/session-prompts.ts';
import { MirroredRequests } from './memory/mirrored-requests.ts';
import { PromptMeasures } from './memory/prompt-measures.ts';
import { TokenRates } from './memory/token-rates.ts';
import { UnattendedAnswers } from './memory/unattended.ts';

/** State that the requests of a process share, mostly learnt from them; it is lost on exit. */
export type ProcessMemory = Pick<
  Ports,
  'random' | 'copies' | 'health' | 'prompts' | 'rates' | 'sentPrefixes' | 'sessionPrompts' | 'unattended'
>;

export function createProcessMemory(clock: Pick<Clock, 'monotonicMs'>): ProcessMemory {
  return {
    random: systemRandom,
    copies: new MirroredRequests(),
    health: new HealthRegistry(),
    prompts: new PromptMeasures(clock),
    rates: new TokenRates(),
    sentPrefixes: new SentPrefixes(),
    sessionPrompts: new SessionPrompts(),
    unattended: new UnattendedAnswers(),
  };
}
