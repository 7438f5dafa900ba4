import type { RouteCandidate, RouteExplanation } from '#app';
import { formatTable } from '../terminal/table.ts';

/** A route as text: a table of providers, and below it why some are not called. */
export function formatRoute({
  candidates,
  strategy,
  measure,
  first,
  experiment,
}: RouteExplanation): string[] {
  const why = first === null ? [] : [`strategy ${strategy}; first: ${first}; score: ${measure}`];
  return [...why, ...(experiment ? [formatExperiment(experiment)] : []), ...formatCandidates(candidates)];
}

function formatExperiment({
  name,
  by,
  variants,
  variant,
}: NonNullable<RouteExplanation['experiment']>): string {
  const shares = variants.map((one) => `${one.name} ${one.percent} % to ${one.to}`).join(', ');
  const whose = variant === null ? `by ${by}` : `this key: ${variant}`;
  return `experiment ${name} (${whose}): ${shares}`;
}

const COLUMNS = [
  '',
  'provider',
  'model',
  'usd/m in',
  'usd/m out',
  'health',
  'failed',
  'first event',
  'tokens/s',
  'score',
];

function formatCandidates(candidates: readonly RouteCandidate[]): string[] {
  const called = candidates.filter(({ reason }) => reason === null).length;
  const reasons = [...new Set(candidates.flatMap(({ reason }) => reason ?? []))];
  const rows = candidates.map((candidate, index) => [
    index < called ? String(index + 1) : '–',
    describeProvider(candidate),
    candidate.model,
    candidate.input ?? '?',
    candidate.output ?? '?',
    describeState(candidate, reasons),
    candidate.failed_share === null ? '' : `${Math.round(candidate.failed_share * 100)} %`,
    candidate.first_event_ms === null ? '' : `${candidate.first_event_ms} ms`,
    candidate.tokens_per_second === null ? '' : String(candidate.tokens_per_second),
    candidate.score === null ? '' : String(Math.round(candidate.score * 1_000) / 1_000),
  ]);
  return [...formatTable(COLUMNS, rows), ...formatNotes(candidates, reasons)];
}

/** Words of the column `health` that do not explain themselves. */
const STATES: Partial<Record<RouteCandidate['health'], string>> = {
  due: 'its pause is over: the next request tries it',
  poor: 'called only where nothing better is left',
  closed: 'not called until its pause is over',
  unknown: 'not called lately by a running gateway',
};

function describeState(candidate: RouteCandidate, reasons: readonly string[]): string {
  const { reason } = candidate;
  return reason === null ? describeHealth(candidate) : `not called (${reasons.indexOf(reason) + 1})`;
}

function formatNotes(candidates: readonly RouteCandidate[], reasons: readonly string[]): string[] {
  const shown = new Set(candidates.flatMap(({ reason, health }) => (reason === null ? health : [])));
  const states = Object.entries(STATES).filter(([state]) => shown.has(state as RouteCandidate['health']));
  const notes = [...reasons.map((reason, index) => [`(${index + 1})`, toOperator(reason)]), ...states];
  return notes.length === 0 ? [] : ['', ...notes.map(([mark, text]) => `${mark} ${text}`)];
}

/** Without the advice to callers of the API: the reader is the administrator. */
function toOperator(reason: string): string {
  return reason.replace(/\. Ask an administrator of the \w+ to .*$/s, '');
}

function describeProvider({ provider, credential, weight }: RouteCandidate): string {
  return credential === null ? provider : `${provider} (${credential}, weight ${weight ?? 1})`;
}

function describeHealth({ health, paused_seconds }: RouteCandidate): string {
  return paused_seconds === null ? health : `${health}, paused ${paused_seconds} s`;
}
