import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Cell, createMatrix } from '../support/faults/fault-cells.ts';
import { describeFailure, runMatrix } from '../support/faults/fault-matrix.ts';

/** Part of the names of faults: all cells of these only. */
const { FAULTS = '' } = process.env;

async function prove(isChosen: (cell: Cell) => boolean): Promise<void> {
  const matrix = createMatrix('PostgreSQL');
  const cells = matrix.cells.filter((cell) => cell.fault.name.includes(FAULTS) && isChosen(cell));
  const results = await runMatrix({ ...matrix, cells }, { isSample: FAULTS === '' });
  const failed = results?.filter(({ violations }) => violations.length > 0);
  assert.deepEqual(failed?.map(describeFailure), []);
}

test('[D-65] each way in which a provider goes silent ends as it should, also where comments hide it, and leaves one row, no hold, nothing open and a gateway that answers', () =>
  prove(({ fault }) => fault.isSilent === true));

test('[D-59] so does each other fault of providers, clients and PostgreSQL', () =>
  prove(({ fault }) => fault.isSilent !== true));
