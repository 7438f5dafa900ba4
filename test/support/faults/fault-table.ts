import { drawTable } from '../../docs/generated-page.ts';
import type { Omission } from './fault-cells.ts';
import { type Fault, type Place, STATUS } from './fault.ts';
import { ELSEWHERE, FAULTS } from './fault-list.ts';
import type { CellResult } from './fault-run.ts';

/** The page's part about the matrix. */
export function drawMatrix(results: readonly CellResult[], omitted: readonly Omission[]): string {
  const passed = results.filter(({ violations }) => violations.length === 0).length;
  const reasons = Map.groupBy(omitted, ({ why }) => why);
  return [
    `${passed} of ${results.length} cells passed.`,
    '',
    drawTable(
      ['id', 'fault', 'alone', 'beside another', 'passing', 'cells passed'],
      FAULTS.map((fault) => drawFault(fault, results, omitted)),
    ),
    '',
    `Cells that there are not: ${[...reasons].map(([why, some]) => `${some.length * 4} ${why}`).join(', ')}. Other failures of the catalogue:`,
    '',
    drawTable(
      ['id', 'why it has no cells here'],
      ELSEWHERE.map(({ ids, why }) => [ids, why]),
    ),
  ].join('\n');
}

function drawFault(fault: Fault, results: readonly CellResult[], omitted: readonly Omission[]): string[] {
  const own = results.filter(({ cell }) => cell.fault === fault);
  const passed = own.filter(({ violations }) => violations.length === 0).length;
  const at = (place: Place): string =>
    own.some(({ cell }) => cell.place === place) || omitted.length === 0
      ? describeOutcome(fault, place)
      : '–';
  const name = fault.id.startsWith('U')
    ? `the provider ${fault.name}`
    : `the ${fault.name}`.replace('the Postgre', 'Postgre').replace('the Redis', 'Redis');
  return [fault.id, name, at('alone'), at('beside another'), at('passing'), `${passed} of ${own.length}`];
}

function describeOutcome({ course, error, status }: Fault, place: Place): string {
  const goesOn =
    course === 'repeat' ? place !== 'alone' : course === 'elsewhere' && place === 'beside another';
  if (course === 'midway') return 'an error ends the stream';
  if (goesOn || error === undefined) return 'answered';
  if (error === 'left') return 'canceled';
  if (error === 'request_refused') return `${status} passed on`;
  if (error === 'upstream_overloaded') return '503, in Messages 529';
  return String(STATUS[error as keyof typeof STATUS]);
}
