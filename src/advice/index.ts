export {
  ADVICE_KINDS,
  type AdviceKind,
  type AdviceFinding,
  askAdvice,
  describeFinding,
  isWaste,
} from './ask-advice.ts';
export { encodeAdvice } from './encode-advice.ts';
export { encodeEstimate, encodeWhatIf } from './encode-what-if.ts';
export { type PricedUse, priceUsed } from './price-used.ts';
export { type WhatIf, type WhatIfLine, askWhatIf } from './what-if.ts';
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
