import type { Clock } from '#base';
import type { Ports } from './ports.ts';
import { HealthBook } from '#routing';
import { Copies } from './copies.ts';
import { PromptMeasures } from './prompt-measures.ts';
import { TokenRates } from './token-rates.ts';
import { UnattendedAnswers } from './unattended.ts';

/** What a process knows from its own requests, and loses when it exits. */
export type ProcessMemory = Pick<Ports, 'copies' | 'health' | 'prompts' | 'rates' | 'unattended'>;

export function createProcessMemory(clock: Pick<Clock, 'monotonicMs'>): ProcessMemory {
  return {
    copies: new Copies(),
    health: new HealthBook(),
    prompts: new PromptMeasures(clock),
    rates: new TokenRates(),
    unattended: new UnattendedAnswers(),
  };
}
