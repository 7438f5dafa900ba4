export { CursorStore } from './cursor-store.ts';
export { type ExportPorts, exportsReport } from './exports-report.ts';
export { EXPORT_TYPES, type ExportSettings } from './export-settings.ts';
export { type LogExports, createExports } from './exports.ts';
export type { ExportProgress } from './run-export.ts';
