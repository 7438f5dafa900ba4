import { addUsd, formatCount, formatMs, formatShort } from '../parts/format.ts';
import { Tile } from '../parts/tile.tsx';
import { Usd } from '../parts/values.tsx';
import type { LogLine } from '../api/log-line.ts';
import {
  type UsageLine,
  answeredOf,
  cachedOf,
  freshOf,
  isFailed,
  percentile,
  reasoningOf,
  writtenOf,
} from './sums.ts';

/** The figures of the period; times are of its latest requests, because sums have none. */
export function Tiles({ lines, latest }: { lines: readonly UsageLine[]; latest: readonly LogLine[] }) {
  const sum = (count: (line: UsageLine) => number): number =>
    lines.reduce((total, line) => total + count(line), 0);
  const tokens = (count: (tokens: UsageLine['tokens']) => number): number =>
    sum((line) => count(line.tokens));
  const requests = sum((line) => line.requests);
  const failed = sum((line) => (isFailed(line.group['finish'] ?? '') ? line.requests : 0));
  const [fresh, cached, written] = [tokens(freshOf), tokens(cachedOf), tokens(writtenOf)];
  const [answered, reasoning] = [tokens(answeredOf), tokens(reasoningOf)];
  const input = fresh + cached + written;
  return (
    <section className="tiles" aria-label="Figures">
      <Tile name="Spend" note={`${formatCount(requests)} requests`}>
        <Usd exact={addUsd(lines.map(({ cost }) => cost))} />
      </Tile>
      <Tile name="Errors" note={`${formatCount(failed)} of ${formatCount(requests)}`}>
        {requests === 0 ? '–' : `${((100 * failed) / requests).toFixed(1)} %`}
      </Tile>
      <Tile
        name="Input tokens"
        note={`${formatShort(fresh)} fresh, ${formatShort(cached)} cached, ${formatShort(written)} written`}
      >
        {formatShort(input)}
      </Tile>
      <Tile name="Read from cache" note="of the input tokens">
        {input === 0 ? '–' : `${((100 * cached) / input).toFixed(1)} %`}
      </Tile>
      <Tile name="Output tokens" note={`${formatShort(reasoning)} of them reasoning`}>
        {formatShort(answered + reasoning)}
      </Tile>
      <Times latest={latest} />
    </section>
  );
}

function Times({ latest }: { latest: readonly LogLine[] }) {
  const answered = latest.filter(({ finish_reason: finish, cached }) => !isFailed(finish) && !cached);
  const first = answered.flatMap(({ first_event_ms: ms }) => (ms === null ? [] : [ms]));
  const whole = answered.map(({ duration_ms: ms }) => ms);
  const show = (share: number, numbers: readonly number[]): string => {
    const found = percentile(numbers, share);
    return found === undefined ? '–' : formatMs(found);
  };
  const of = `of the latest ${formatCount(answered.length)} answers`;
  return (
    <>
      <Tile name="First token, median" note={`p95 ${show(0.95, first)}, ${of}`}>
        {show(0.5, first)}
      </Tile>
      <Tile name="Answer, median" note={`p95 ${show(0.95, whole)}, p99 ${show(0.99, whole)}`}>
        {show(0.5, whole)}
      </Tile>
    </>
  );
}
