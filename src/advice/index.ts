export { type AdvicePorts, adviceReport } from './advice-report.ts';
export { formatChange } from './format-change.ts';
export { formatEstimates } from './format-estimates.ts';
export { estimateType, whatIfReport } from './what-if-report.ts';
export { type PricedUse, priceUsed } from './price-used.ts';
export { type WhatIfLine, askWhatIf } from './what-if.ts';
export { encodeReconciliation, sumDifferences } from './reconcile/encode-reconciliation.ts';
export { readCsvReport } from './reconcile/csv-report.ts';
export { type Difference } from './reconcile/difference.ts';
export { type ReportSource, readJsonReport } from './reconcile/json-report.ts';
export {
  type Amounts,
  type Measure,
  listMeasures,
  subtract as subtractAmounts,
} from './reconcile/measures.ts';
export { type Reconciliation, reconcile } from './reconcile/reconcile.ts';
export { type ProviderReport, ReportFault, type ReportLine } from './reconcile/report-line.ts';
