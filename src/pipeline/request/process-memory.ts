import type { Clock } from '#base';
import type { Ports } from './ports.ts';
import { systemChance } from '#base';
import { HealthBook } from '#routing';
import { SentPrefixes } from '../misses/sent-prefixes.ts';
import { SessionPrompts } from '../misses/session-prompts.ts';
import { Copies } from './copies.ts';
import { PromptMeasures } from './prompt-measures.ts';
import { TokenRates } from './token-rates.ts';
import { UnattendedAnswers } from './unattended.ts';

/** What the requests of a process share, and lose when it exits: above all what it knows from them. */
export type ProcessMemory = Pick<
  Ports,
  'chance' | 'copies' | 'health' | 'prompts' | 'rates' | 'sentPrefixes' | 'sessionPrompts' | 'unattended'
>;

export function createProcessMemory(clock: Pick<Clock, 'monotonicMs'>): ProcessMemory {
  return {
    chance: systemChance,
    copies: new Copies(),
    health: new HealthBook(),
    prompts: new PromptMeasures(clock),
    rates: new TokenRates(),
    sentPrefixes: new SentPrefixes(),
    sessionPrompts: new SessionPrompts(),
    unattended: new UnattendedAnswers(),
  };
}
