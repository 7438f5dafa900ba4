import { readFileSync } from 'node:fs';
import type { ClientFormatId, FormatId } from '#canonical';
import { PROVIDER_FORMATS } from '../targets.ts';

/** What becomes of a field on its way to a provider. */
export type Treatment =
  | { kind: 'mapped'; paths: string[] }
  | { kind: 'dropped' }
  /** Handled by the gateway; not sent to the provider. */
  | { kind: 'here' }
  | { kind: 'refused'; words: string };

/** One field of a client's format. */
export interface Row {
  field: string;
  treatments: Record<FormatId, Treatment>;
  /** Why a field is dropped, or what the gateway does. */
  why: string;
}

const REFUSED = 'refused: ';

/** The table of a client, `<client>.txt`: one row a line, the field, a cell for each provider format, and why. */
export function readTreatments(client: ClientFormatId): Row[] {
  const text = readFileSync(new URL(`${client}.txt`, import.meta.url), 'utf8');
  return text.trim().split('\n').map(parseRow);
}

function parseRow(line: string): Row {
  const [field = '', ...cells] = line.split('|').map((cell) => cell.trim());
  const treatments = PROVIDER_FORMATS.map((format, at) => [format, parseFate(cells[at] ?? '')] as const);
  return {
    field,
    treatments: Object.fromEntries(treatments) as Row['treatments'],
    why: cells[PROVIDER_FORMATS.length] ?? '',
  };
}

function parseFate(cell: string): Treatment {
  if (cell === 'dropped' || cell === 'here') return { kind: cell };
  if (cell.startsWith(REFUSED)) return { kind: 'refused', words: cell.slice(REFUSED.length) };
  return { kind: 'mapped', paths: cell.split(', ') };
}
