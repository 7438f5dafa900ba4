import { createMatrix } from '../support/faults/fault-cells.ts';
import { STORES } from '../support/faults/fault.ts';
import { describeFailure, runMatrix } from '../support/faults/fault-matrix.ts';
import { drawMatrix } from '../support/faults/fault-table.ts';
import { writePart } from '../support/written-part.ts';
import type { LongRun } from './long-run.ts';

export const runFaults: LongRun = {
  name: 'faults',
  summary:
    'every fault of providers, clients and stores, in every format, as JSON and stream; --only names faults',
  async run({ only, report }) {
    const matrices = STORES.map(createMatrix).map((matrix) => ({
      ...matrix,
      cells: matrix.cells.filter(({ fault }) => `${fault.id} ${fault.name}`.includes(only)),
    }));
    const results = [];
    for (const matrix of matrices) {
      const found = await runMatrix(matrix, {
        onResult: (some) => {
          const failed = some.filter(({ violations }) => violations.length > 0);
          const [first] = some;
          if (first)
            report(
              `${matrix.store}: ${first.cell.fault.id} ${first.cell.fault.name}: ${some.length - failed.length} of ${some.length}`,
            );
          for (const one of failed) report(`  ${describeFailure(one)}`);
        },
      });
      if (!found) throw new Error(`${matrix.store}: redis-server is not installed`);
      results.push(...found);
    }
    const omitted = matrices.flatMap((matrix) => matrix.omitted);
    if (process.env['UPDATE_DOCS'] === '1' && only === '')
      writePart('reliability.md', 'faults', drawMatrix(results, omitted));
    const failed = results.filter(({ violations }) => violations.length > 0);
    if (failed.length > 0) throw new Error(`${failed.length} of ${results.length} cells failed`);
    return `${results.length} of ${results.length} cells passed`;
  },
};
