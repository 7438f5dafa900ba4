import type { JsonObject } from '#base';
import type { ExportRecord } from './cursor-store.ts';

/** An export as the administration API and the command line return it. */
export function encodeExport({
  name,
  type,
  exportedRows,
  waiting,
  lagMs,
  failures,
  ...rest
}: ExportRecord): JsonObject {
  return {
    object: 'export',
    name,
    type,
    rows: Number(exportedRows),
    waiting: Number(waiting),
    lag_seconds: Math.round(lagMs / 1_000),
    exported_at: toIso(rest.exportedAt),
    failures,
    failing_since: toIso(rest.failingSince),
    last_error: rest.lastError ?? null,
  };
}

const toIso = (moment: number | undefined): string | null =>
  moment === undefined ? null : new Date(moment).toISOString();
