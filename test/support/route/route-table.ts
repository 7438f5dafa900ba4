import { drawTable } from '../../docs/generated-page.ts';
import { type Figures, type Goal, percent } from './route-figures.ts';
import { writePart } from '../written-part.ts';
import type { Scenario } from './route-scenarios.ts';

/** A measured scenario. */
export interface Row {
  scenario: Scenario;
  figures: Figures;
  misses: readonly string[];
}

const HEADS = [
  'fault',
  'goal',
  'complete',
  'first event p50 / p99',
  'answer p50 / p99',
  'calls per request',
  'answered by',
  'traffic moved',
  'result',
];

/** The table of all rows. */
export function drawRows(rows: readonly Row[]): string {
  return drawTable(HEADS, rows.map(toCells));
}

/** One row for the terminal. */
export function drawLine(row: Row): string {
  const [fault = '', ...cells] = toCells(row);
  const heads = HEADS.slice(1);
  return `${row.scenario.name}: ${fault}\n  ${cells.map((cell, at) => `${heads[at]}: ${cell}`).join(' · ')}`;
}

/** Replaces the table in docs/reliability.md. */
export function writePage(rows: readonly Row[], how: string): void {
  writePart('reliability.md', 'route', `${drawRows(rows)}\n\n${how}`);
}

function toCells({ scenario, figures, misses }: Row): string[] {
  const { success, first, whole, calls, shares, requests } = figures;
  return [
    scenario.fault,
    describeGoal(scenario.goal),
    `${percent(success)} of ${requests}`,
    `${milliseconds(first.p50)} / ${milliseconds(first.p99)}`,
    `${milliseconds(whole.p50)} / ${milliseconds(whole.p99)}`,
    calls.toFixed(2),
    describeShares(shares),
    describeMove(scenario, figures),
    Object.keys(scenario.goal).length === 0
      ? '–'
      : misses.length === 0
        ? 'met'
        : `missed: ${misses.join(', ')}`,
  ];
}

function describeGoal(goal: Goal): string {
  const parts = [
    goal.success !== undefined && `${goal.success === 1 ? '' : '≥ '}${percent(goal.success)}`,
    goal.calls !== undefined && `≤ ${goal.calls} calls`,
    goal.p99 !== undefined && `p99 ≤ ${goal.p99} × healthy`,
    goal.settledP50 !== undefined && `p50 ≤ ${goal.settledP50} × healthy within 10 s`,
    goal.backAfter !== undefined && `back after ${goal.backAfter} s`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function milliseconds(ms: number): string {
  if (Number.isNaN(ms)) return '–';
  return ms < 1_000 ? `${ms.toFixed(0)} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

function describeShares(shares: readonly number[]): string {
  const total = shares.reduce((sum, share) => sum + share, 0);
  return total === 0 ? '–' : shares.map((share) => (share * 100).toFixed(0)).join(' / ');
}

/** Only where the cheapest alone misbehaves. */
function describeMove({ goal }: Scenario, { movedS, backS, shares }: Figures): string {
  if (goal.backAfter !== undefined)
    return backS === undefined ? 'not back' : `back after ${backS.toFixed(1)} s`;
  if (shares.length < 2 || goal.calls !== undefined) return '–';
  return movedS === undefined ? 'no' : `after ${movedS.toFixed(1)} s`;
}
