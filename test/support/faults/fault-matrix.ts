import { type Cell, type Matrix, sample, toBatches } from './fault-cells.ts';
import type { Store } from './fault.ts';
import { type CellResult, measureBaseline, runBatch } from './fault-run.ts';
import { openStage } from './fault-stage.ts';

interface RunOptions {
  /** One cell of each fault at each place, all at once. */
  isSample?: boolean;
  onResult?(results: readonly CellResult[]): void;
}

/** Runs the cells of a store; `undefined` if the machine lacks a program. */
export async function runMatrix(matrix: Matrix, options: RunOptions = {}): Promise<CellResult[] | undefined> {
  const { isSample = false } = options;
  const cells = isSample ? sample(matrix) : matrix.cells;
  const isSilent = (cell: Cell): boolean => cell.fault.isSilent === true;
  const stages = [cells.filter(isSilent), cells.filter((cell) => !isSilent(cell))];
  const results = await Promise.all(stages.map((some) => runStage(matrix.store, some, options)));
  return results.some((some) => some === undefined) ? undefined : results.flatMap((some) => some ?? []);
}

async function runStage(
  store: Store,
  cells: readonly Cell[],
  { isSample = false, onResult }: RunOptions,
): Promise<CellResult[] | undefined> {
  if (cells.length === 0) return [];
  const batches = toBatches(cells, { together: isSample });
  await using stage = await openStage(store, batches);
  if (!stage) return undefined;
  const baseline = await measureBaseline(stage);
  const results: CellResult[] = [];
  for (const batch of batches) {
    const some = await runBatch(stage, batch, baseline);
    onResult?.(some);
    results.push(...some);
  }
  return results;
}

/** One line of a cell that failed. */
export function describeFailure({ cell, violations }: CellResult): string {
  const { fault, place, format, mode, sickFormat } = cell;
  const what = violations.map((one) => `${one.condition}: ${one.what}`).join('; ');
  return `[${fault.id}] ${fault.name}, ${place}, ${format} ${mode} at ${sickFormat}: ${what}`;
}
