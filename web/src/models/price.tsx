import { toPerMillion, writePrice, writeUsd } from '../parts/format.ts';

/** A price per million tokens; pointing at it shows of what. */
export function Price({ of }: { of: string }) {
  if (of === '' || Number(of) === 0) return '–';
  const exact = toPerMillion(of);
  return <span title={`${writeUsd(exact)} per million tokens`}>{writePrice(exact)}</span>;
}
