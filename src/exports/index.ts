export { CursorStore, type ExportRecord } from './cursor-store.ts';
export { encodeExport } from './encode-export.ts';
export { EXPORT_TYPES, type ExportSettings } from './export-settings.ts';
export { type LogExports, createExports } from './exports.ts';
export type { ExportProgress } from './run-export.ts';
