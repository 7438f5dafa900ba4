import type { JsonObject } from '#base';
import type { ExportRecord } from './cursor-store.ts';
import { encodeTime } from '#base';

/** An export as the administration API and the command line return it. */
export function encodeExport(record: ExportRecord): JsonObject {
  return {
    object: 'export',
    name: record.name,
    type: record.type,
    rows: Number(record.exportedRows),
    waiting: Number(record.waiting),
    lag_seconds: Math.round(record.lagMs / 1_000),
    exported_at: encodeTime(record.exportedAt),
    failures: record.failures,
    failing_since: encodeTime(record.failingSince),
    last_error: record.lastError ?? null,
  };
}
