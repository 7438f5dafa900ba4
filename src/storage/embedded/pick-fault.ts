const FAULT = /\b(?:FATAL|PANIC|ERROR|error): +(.+)$/m;
/** Lines that only report the consequence of an earlier error. */
const CONSEQUENCE = /contains errors$|^could not create any /;
const LOGGED = /\bLOG: +(.+)$/gm;
const REASON = /^.*\bDETAIL: +(.+)$/m;

/** What PostgreSQL's programs report of a failure, in one line; all that they wrote where it is not found. */
export function pickFault(report: string): string {
  const fault = FAULT.exec(report);
  if (!fault) return `\n${report}`;
  const [, text = ''] = fault;
  const detail = CONSEQUENCE.test(text)
    ? [...report.slice(0, fault.index).matchAll(LOGGED)].at(-1)?.[1]
    : REASON.exec(report.slice(fault.index))?.[1];
  return detail === undefined ? ` ${text}` : ` ${text} (${detail.replace(/\.$/, '')})`;
}
