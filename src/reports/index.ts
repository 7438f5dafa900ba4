export { type AnyReport, REPORTS, type ReportPorts } from './reports.ts';
