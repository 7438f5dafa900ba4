import { Link } from '@tanstack/react-router';
import type { AnswerOf } from '../api/client.ts';
import {
  addUsd,
  countOf,
  formatCount,
  formatMs,
  formatShare,
  formatShort,
  writeUsd,
} from '../parts/format.ts';
import { Tile } from '../parts/tile.tsx';
import { Usd } from '../parts/values.tsx';
import type { RequestsSearch } from '../requests/requests-search.ts';
import {
  type LatencyLine,
  type UsageLine,
  answeredOf,
  cachedOf,
  freshOf,
  isFailed,
  reasoningOf,
  writtenOf,
} from './sums.ts';

interface TilesProps {
  lines: readonly UsageLine[];
  times: LatencyLine | undefined;
  holds: AnswerOf<'/admin/v1/holds', 'get'> | undefined;
  /** What the period and the scope of the page are for the list of requests. */
  shown: RequestsSearch;
}

/** The figures of the period, and what is reserved now. */
export function Tiles({ lines, times, holds, shown }: TilesProps) {
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
      <Tile name="Spend" note={countOf(requests, 'request')}>
        <Usd exact={addUsd(lines.map(({ cost }) => cost))} />
      </Tile>
      {holds && <Held holds={holds} />}
      <Tile name="Errors" note={<Failed failed={failed} requests={requests} shown={shown} />}>
        {requests === 0 ? '–' : formatShare(failed / requests)}
      </Tile>
      <Tile
        name="Input tokens"
        note={`${formatShort(fresh)} fresh, ${formatShort(cached)} cached, ${formatShort(written)} written`}
      >
        {formatShort(input)}
      </Tile>
      <Tile name="Read from cache" note="of the input tokens">
        {input === 0 ? '–' : formatShare(cached / input)}
      </Tile>
      <Tile name="Output tokens" note={`${formatShort(reasoning)} of them reasoning`}>
        {formatShort(answered + reasoning)}
      </Tile>
      <Times name="Time to first token" of={times?.time_to_first_token ?? null} />
      <Times name="Whole answer" of={times?.duration ?? null} />
    </section>
  );
}

interface FailedProps extends Pick<TilesProps, 'shown'> {
  failed: number;
  requests: number;
}

function Failed({ failed, requests, shown }: FailedProps) {
  const text = `${formatCount(failed)} of ${formatCount(requests)}`;
  if (failed === 0) return text;
  return (
    <Link
      to="/requests"
      search={{ ...shown, finish_reason: 'error' }}
      aria-label={`${text} failed: list them`}
    >
      {text}
    </Link>
  );
}

function Held({ holds: { amount, requests, leased } }: { holds: NonNullable<TilesProps['holds']> }) {
  const ahead = Number(leased) === 0 ? '' : `; ${writeUsd(leased)} for those to come`;
  return (
    <Tile name="Reserved" note={`for ${countOf(requests, 'open request')}${ahead}`}>
      <Usd exact={amount} />
    </Tile>
  );
}

function Times({ name, of }: { name: string; of: LatencyLine['duration'] }) {
  const note = of
    ? `median of ${formatCount(of.requests)}; p95 ${formatMs(of.p95)}, p99 ${formatMs(of.p99)}`
    : 'no answer yet';
  return (
    <Tile name={name} note={note}>
      {of ? formatMs(of.p50) : '–'}
    </Tile>
  );
}
