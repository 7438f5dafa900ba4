import type { PicoUsd } from '#base';

/** How much an amount differs from an earlier one, in percent. */
export function formatChange(now: PicoUsd, was: PicoUsd): string {
  if (was === 0n) return '–';
  const tenths = ((now - was) * 1_000n) / was;
  const text = (Number(tenths) / 10).toFixed(1);
  return `${tenths > 0n ? '+' : ''}${text} %`;
}
