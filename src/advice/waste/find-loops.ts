import type { PromptRow } from '#logs';
import { type Run, findRuns, listConversations } from './conversations.ts';
import { MOST_IDS, type Waste } from './waste.ts';

/**
 * Conversations that go round in circles: at least four times the same calls with the same results. What answered with a repetition
 * was of no use; the request after the last one may have ended the loop.
 */
export function findLoops(rows: readonly PromptRow[]): Waste[] {
  return listConversations(rows).flatMap((conversation) =>
    findRuns(conversation).map((run) => createWaste(conversation.slice(run.from - 1, run.to), run)),
  );
}

function createWaste(wasted: readonly PromptRow[], { period }: Run): Waste {
  const times = Math.floor(wasted.length / period) + 1;
  const steps = period === 1 ? 'the same step' : `the same ${period} steps`;
  return {
    kind: 'runaway_loop',
    ...(wasted[0] && { sessionId: wasted[0].sessionId }),
    text: `${steps} ${times} times in a row, with the same results`,
    facts: { steps: period, times },
    requests: wasted.length,
    saved: wasted.reduce((sum, { cost }) => sum + cost, 0n),
    requestIds: wasted.slice(0, MOST_IDS).map(({ requestId }) => requestId),
  };
}
