import { Text } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, useState } from 'react';
import { describeError } from '../parts/endings.ts';
import { countOf, formatCount, formatMs, shortenUsd, writeUsd } from '../parts/format.ts';
import { useRows } from '../parts/lists/use-rows.ts';
import { Share } from '../parts/values.tsx';
import { type Line, type Session, flattenSession } from './flatten-session.ts';

const ROW_PX = 36;
const INDENT_REM = 1.1;
const HEAD = [
  'Agent or turn',
  'Model',
  'Cost',
  'Ended',
  'Share',
  'Requests',
  'Retries',
  'Input',
  'From cache',
  'Missed',
  'Output',
  'Time',
];
const TEXTS = ['Agent or turn', 'Model', 'Ended', 'Missed'];

interface SessionTreeProps {
  session: Session;
  byCost: boolean;
}

/** Agents and turns as rows that open and close; only those in sight are in the document. */
export function SessionTree({ session, byCost }: SessionTreeProps) {
  const [toggled, setToggled] = useState<ReadonlySet<string>>(new Set());
  const [active, setActive] = useState(0);
  const lines = flattenSession(session, { toggled, byCost });
  const { place, height, shown, focusOn } = useRows({ count: lines.length, rowPx: ROW_PX });
  const toggle = (path: string): void => setToggled((old) => toggleIn(old, path));
  const focus = (index: number): void => {
    const next = Math.max(0, Math.min(lines.length - 1, index));
    setActive(next);
    focusOn(next);
  };
  const onKey = useKeys({ lines, toggle, focus });
  const rows = shown.flatMap(({ index, start }) => {
    const line = lines[index];
    const isActive = index === Math.min(active, lines.length - 1);
    return line ? [{ line, index, start, isActive, toggle, onKey, onFocus: setActive }] : [];
  });
  return (
    <div className="rows tree" ref={place}>
      <div role="treegrid" aria-label="Agents and turns" aria-rowcount={lines.length + 1}>
        <TreeHead />
        <div role="rowgroup" className="tree-space" style={{ height }}>
          {rows.map((row) => (
            <TreeRow key={row.line.path} {...row} whole={Number(session.cost)} />
          ))}
        </div>
      </div>
    </div>
  );
}

function toggleIn(paths: ReadonlySet<string>, path: string): ReadonlySet<string> {
  const next = new Set(paths);
  if (!next.delete(path)) next.add(path);
  return next;
}

function TreeHead() {
  return (
    <div role="row" className="tree-row tree-head">
      {HEAD.map((name) => (
        <span key={name} role="columnheader" className={TEXTS.includes(name) ? '' : 'end'}>
          {name}
        </span>
      ))}
    </div>
  );
}

interface Keys {
  lines: readonly Line[];
  toggle(path: string): void;
  focus(index: number): void;
}

/** The keys of a tree grid: up, down, to the ends, open, close, and Enter for the request. */
function useKeys({ lines, toggle, focus }: Keys): (event: KeyboardEvent, index: number) => void {
  const navigate = useNavigate();
  return (event, index) => {
    const line = lines[index];
    if (!line || event.ctrlKey || event.metaKey || event.altKey) return;
    const parent = lines.findLastIndex(({ level }, at) => at < index && level < line.level);
    const acts: Record<string, () => void> = {
      ArrowDown: () => focus(index + 1),
      ArrowUp: () => focus(index - 1),
      Home: () => focus(0),
      End: () => focus(lines.length - 1),
      ArrowRight: () => (line.isOpen === false ? toggle(line.path) : focus(index + (line.isOpen ? 1 : 0))),
      ArrowLeft: () => (line.isOpen ? toggle(line.path) : focus(Math.max(parent, 0))),
      Enter: () => {
        if (line.requestId !== undefined)
          void navigate({ to: '/requests/$id', params: { id: line.requestId } });
        else if (line.isOpen !== undefined) toggle(line.path);
      },
    };
    const act = acts[event.key];
    if (!act || event.target instanceof HTMLAnchorElement) return;
    event.preventDefault();
    act();
  };
}

interface TreeRowProps {
  line: Line;
  index: number;
  start: number;
  /** The cost of the whole session. */
  whole: number;
  isActive: boolean;
  toggle(path: string): void;
  onKey(event: KeyboardEvent, index: number): void;
  onFocus(index: number): void;
}

function TreeRow({ line, index, start, whole, isActive, toggle, onKey, onFocus }: TreeRowProps) {
  const { path, level, name, isOpen, requestId, kind, outcome } = line;
  return (
    <div
      role="row"
      className={`tree-row figures ${kind}`}
      data-index={index}
      style={{ height: ROW_PX, transform: `translateY(${start}px)` }}
      tabIndex={isActive ? 0 : -1}
      aria-level={level}
      aria-posinset={line.place}
      aria-setsize={line.siblings}
      {...(isOpen !== undefined && { 'aria-expanded': isOpen })}
      aria-rowindex={index + 2}
      onKeyDown={(event) => onKey(event, index)}
      onFocus={() => onFocus(index)}
    >
      <span role="gridcell" title={name} style={{ paddingInlineStart: `${(level - 1) * INDENT_REM}rem` }}>
        {isOpen !== undefined && (
          <button
            type="button"
            className="opener"
            tabIndex={-1}
            aria-label={`${isOpen ? 'Close' : 'Open'} ${name}`}
            onClick={() => toggle(path)}
          >
            {isOpen ? '▾' : '▸'}
          </button>
        )}
        {requestId === undefined ? (
          name
        ) : (
          <Link to="/requests/$id" params={{ id: requestId }} tabIndex={-1}>
            {name}
          </Link>
        )}
        {outcome && outcome.error_code !== null && (
          <Text span inherit hiddenFrom="sm" className="failed">
            {' '}
            {outcome.status}
          </Text>
        )}
      </span>
      <Figures {...line} whole={whole} />
    </div>
  );
}

function Figures({ sums, misses, outcome, whole }: Omit<Line, 'path'> & { whole: number }) {
  if (!sums) return HEAD.slice(1).map((name) => <span key={name} role="gridcell" />);
  const share = whole === 0 ? null : Number(sums.cost) / whole;
  return (
    <>
      <span role="gridcell" title={sums.models.join(', ')}>
        {sums.models.join(', ')}
      </span>
      <span role="gridcell" className="end" title={writeUsd(sums.cost)}>
        {shortenUsd(sums.cost)}
      </span>
      <Ended failed={sums.failed_requests} outcome={outcome} />
      <PartOfAll share={share} />
      <span role="gridcell" className="end">
        {formatCount(sums.requests)}
      </span>
      <span role="gridcell" className={sums.retries > 0 ? 'end failed' : 'end'}>
        {formatCount(sums.retries)}
      </span>
      <span role="gridcell" className="end">
        {formatCount(sums.input_tokens)}
      </span>
      <span role="gridcell" className="end">
        <Share of={sums.cache_share} />
      </span>
      <Missed sums={sums} misses={misses} />
      <span role="gridcell" className="end">
        {formatCount(sums.output_tokens)}
      </span>
      <span role="gridcell" className="end">
        {formatMs(sums.duration_ms)}
      </span>
    </>
  );
}

/** A turn's error in words, of an agent how many of its requests failed. */
function Ended({ failed, outcome }: { failed: number; outcome: Line['outcome'] | undefined }) {
  const { status, error_code: code = null } = outcome ?? {};
  const others = failed === 0 ? '' : `${formatCount(failed)} failed`;
  if (status === undefined || code === null)
    return (
      <span role="gridcell" className={failed > 0 ? 'ended failed' : 'ended'}>
        {others || (status === undefined ? '' : 'OK')}
      </span>
    );
  const words = `${status} ${describeError(code)}`;
  return (
    <span role="gridcell" className="ended failed" title={`${words} (${code}), ${others}`}>
      {words}
    </span>
  );
}

/** Its bar is beside the figure: a bar below a figure cuts it in two. */
function PartOfAll({ share }: { share: number | null }) {
  return (
    <span role="gridcell" className="end share">
      <span className="share-track">
        <span className="share-bar" style={{ inlineSize: `${(share ?? 0) * 100}%` }} />
      </span>
      <Share of={share} />
    </span>
  );
}

/** What the missed cache cost, and of a turn the first reason; pointing at it shows the sentences. */
function Missed({ sums, misses = [] }: { sums: NonNullable<Line['sums']>; misses: Line['misses'] }) {
  if (sums.cache_misses === 0) return <span role="gridcell" />;
  const reason = misses[0]?.reasons[0]?.code.replaceAll('_', ' ');
  const sentences = misses.map(({ text, cost }) => `${text}: ${writeUsd(cost)}`);
  const count = `${countOf(sums.cache_misses, 'request')} missed`;
  return (
    <span
      role="gridcell"
      title={sentences.length > 0 ? sentences.join('\n') : `${count}: ${writeUsd(sums.missed_cost)}`}
    >
      {shortenUsd(sums.missed_cost)}
      {reason !== undefined && `, ${reason}`}
    </span>
  );
}
