import type { Mapping } from '../catalogue.ts';

/** Whether an answer costs as much if its connection is closed: then it is worth reading to its end. */
export function billsToEnd({ cancellation }: Pick<Mapping, 'cancellation'>, isStream: boolean): boolean {
  return cancellation === 'none' || (cancellation === 'streams' && !isStream);
}
