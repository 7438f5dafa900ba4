const FAULT = /\b(?:FATAL|PANIC|ERROR|error): +(.+)$/m;
const REASON = /^.*\bDETAIL: +(.+)$/m;

/** What PostgreSQL's programs report of a failure, in one line; all that they wrote where it is not found. */
export function pickFault(report: string): string {
  const fault = FAULT.exec(report);
  if (!fault) return `\n${report}`;
  const detail = REASON.exec(report.slice(fault.index))?.[1];
  return detail === undefined ? ` ${fault[1]}` : ` ${fault[1]} (${detail.replace(/\.$/, '')})`;
}
