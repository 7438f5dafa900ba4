import type { PicoUsd } from '#base';
import type { Mapping } from '#catalogue';
import type { Ports } from '../request/ports.ts';
import type { PromptSize } from '../request/prompt-size.ts';
import type { Trip } from '../request/trip.ts';
import { toGatewayError } from '#errors';
import { askCounter } from '../attempt/ask-counter.ts';
import { type Candidate, listCandidates } from '../attempt/candidate.ts';

/** How much longer a refusal may take. */
const COUNTER_LIMIT_MS = 2_000;
/** A count lowers what a request needs by this factor at most; providers are not asked if that would not be enough. */
const MOST_EXCESS = 8n;
/** The same for documents: even a short one is held as a whole context. */
const MOST_EXCESS_OF_DOCUMENTS = 1_000n;

/**
 * Asks the providers for their own count of a prompt whose measured bound a budget does not cover. Returns whether one
 * of them answered: then the request may need less.
 */
export async function countPrompt(
  ports: Ports,
  trip: Trip,
  { route, thrown }: { route: readonly Mapping[]; thrown: unknown },
): Promise<boolean> {
  const { shortage } = toGatewayError(thrown).facts;
  const prompt = trip.get('prompt');
  if (!shortage || !mayHelp(shortage, prompt)) return false;
  if (prompt.conversation === undefined || !Number.isFinite(prompt.bound)) return false;
  const tools = { ports, trip };
  const holder = trip.get('caller').keyId;
  const count = async (candidate: Candidate): Promise<boolean> => {
    const { mapping, account } = candidate;
    const recipient = { mapping, holder, account };
    if (ports.prompts.isCounted(prompt, recipient)) return false;
    const tokens = await askCounter(tools, candidate, COUNTER_LIMIT_MS);
    if (tokens !== undefined) ports.prompts.count(prompt, recipient, tokens);
    return tokens !== undefined;
  };
  const firsts = route.flatMap((mapping) => listCandidates(tools, [mapping]).slice(0, 1));
  return (await Promise.all(firsts.map(count))).includes(true);
}

/**
 * Not where only open requests are in the way: they have been waited for. A document may need far less than it would wait for.
 */
function mayHelp(
  { left, needed }: Record<'left' | 'needed', PicoUsd>,
  { hasDocuments }: PromptSize,
): boolean {
  if (hasDocuments) return left * MOST_EXCESS_OF_DOCUMENTS >= needed;
  return left < needed && left * MOST_EXCESS >= needed;
}
