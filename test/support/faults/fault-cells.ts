import type { ClientFormatId } from '#canonical';
import { CLIENTS } from '../exchanges.ts';
import { type Fault, MODES, type Mode, PLACES, type Place, type Store, type StoreDamage } from './fault.ts';
import { FAULTS } from './fault-list.ts';

/** One fault at one place, for one client. */
export interface Cell {
  /** Unique within a store: part of the names of its model and providers. */
  number: number;
  fault: Fault;
  place: Place;
  format: ClientFormatId;
  mode: Mode;
  /** The formats of the afflicted and of the good provider: every pair with the client's occurs. */
  sickFormat: ClientFormatId;
  goodFormat: ClientFormatId;
}

/** Cells that run at once: those of one fault, or of many in a sample. */
export interface Batch {
  cells: readonly Cell[];
  /** What happens to the stores meanwhile. */
  store?: StoreDamage | undefined;
}

/** Why a cell is left out. */
export interface Omission {
  fault: Fault;
  place: Place;
  mode: Mode;
  store: Store;
  why: string;
}

/** The cells of one store. */
export interface Matrix {
  store: Store;
  cells: readonly Cell[];
  omitted: readonly Omission[];
}

export function createMatrix(store: Store): Matrix {
  const cells: Cell[] = [];
  const omitted: Omission[] = [];
  const add = (row: number, at: Pick<Cell, 'fault' | 'place' | 'mode'>): void => {
    for (const [turn, format] of CLIENTS.entries()) {
      const pick = (shift: number): ClientFormatId =>
        CLIENTS[(turn + row + shift) % CLIENTS.length] ?? format;
      cells.push({ ...at, number: cells.length, format, sickFormat: pick(0), goodFormat: pick(1) });
    }
  };
  const kinds = PLACES.flatMap((place) => MODES.map((mode) => ({ place, mode })));
  for (const [row, fault] of FAULTS.entries()) {
    for (const kind of kinds) {
      const why = findOmission(fault, { ...kind, store });
      if (why === undefined) add(row, { fault, ...kind });
      else omitted.push({ fault, ...kind, store, why });
    }
  }
  return { store, cells, omitted };
}

function findOmission(fault: Fault, cell: { place: Place; mode: Mode; store: Store }): string | undefined {
  return fault.without?.find(
    ({ place = cell.place, mode = cell.mode, store = cell.store }) =>
      place === cell.place && mode === cell.mode && store === cell.store,
  )?.why;
}

/** One cell of each fault at each place, with every format of clients in turn. */
export function sample({ cells }: Matrix): Cell[] {
  const groups = [...Map.groupBy(cells, ({ fault, place }) => `${FAULTS.indexOf(fault)} ${place}`).values()];
  return groups.map((group, at) => {
    // A stream is not waited for as long.
    const streams = group.filter(({ mode, fault }) => mode === 'stream' && fault.isSilent === true);
    const chosen = streams.length > 0 ? streams : group;
    return chosen[at % chosen.length] as Cell;
  });
}

/** More at once would overload PostgreSQL on a slow machine. */
const MOST_TOGETHER = 12;

/** The cells in the groups in which they run; faults of stores happen one at a time. */
export function toBatches(cells: readonly Cell[], { together = false } = {}): Batch[] {
  const isMixed = ({ fault }: Cell): boolean => together && fault.store === undefined;
  const parts = Map.groupBy(cells.filter(isMixed), (_cell, at) => Math.floor(at / MOST_TOGETHER));
  const others = cells.filter((cell) => !isMixed(cell));
  const groups = Map.groupBy(others, ({ fault }) => FAULTS.indexOf(fault));
  return [...parts.values(), ...groups.values()].map((group) => ({
    cells: group,
    store: group[0]?.fault.store,
  }));
}
