import { describe, runHostile } from '../support/hostile-run.ts';
import type { LongRun } from './long-run.ts';

const BYTES = 32 * 1024 * 1024;
const MOST = { p99Ms: 150, maxMs: 500, rssMiB: 1_024 };

export const runHostileBodies: LongRun = {
  name: 'hostile',
  summary:
    'the worst body of each shape to every endpoint, four at once, beside another key; --count takes every nth',
  async run({ count: every = 1, only, report }) {
    const { answers, idle, busy, loop, rows } = await runHostile({ bytes: BYTES, every, only, report });
    const slowest = answers.toSorted((one, other) => other.ms - one.ms).slice(0, 5);
    for (const { name, ms, status } of slowest) report(`${ms.toFixed(0)} ms, ${status}: ${name}`);
    const failed = answers.filter(({ status }) => status === 0 || status >= 500);
    for (const { name, status, message } of failed) report(`${status}: ${name}: ${message}`);
    for (const refusal of [...busy.livez.refused, ...busy.chat.refused]) report(`another key: ${refusal}`);
    const ratio = (kind: 'livez' | 'chat'): string => (busy[kind].p99Ms / idle[kind].p99Ms).toFixed(1);
    const figures = [
      `${answers.length} bodies, ${rows.asked} rows`,
      `livez ${describe(busy.livez)} (p99 ${ratio('livez')} times that alone)`,
      `chat ${describe(busy.chat)} (${ratio('chat')} times)`,
      `event loop held p99 ${loop.p99Ms.toFixed(0)}, most ${loop.maxMs.toFixed(0)} ms, by its own processor time most ${loop.heldMs.toFixed(0)} ms`,
      `memory ${loop.rssMiB.toFixed(0)} MiB`,
    ].join('; ');
    const broken = [
      failed.some(({ status }) => status !== 503) && 'a body was answered with a fault',
      busy.livez.refused.length + busy.chat.refused.length > 0 && 'another key was refused',
      rows.missing.length > 0 && `no row for ${rows.missing.slice(0, 5).join(', ')}`,
      loop.rssMiB > MOST.rssMiB && 'too much memory',
      ...Object.entries(busy).map(
        ([kind, { p99Ms, maxMs }]) => (p99Ms > MOST.p99Ms || maxMs > MOST.maxMs) && `${kind} waited`,
      ),
    ].filter((line) => line !== false);
    if (broken.length > 0) throw new Error(`${broken.join('; ')}: ${figures}`);
    return figures;
  },
};
