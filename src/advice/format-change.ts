import type { PicoUsd } from '#base';

/** How much an amount differs from an earlier one, in percent. */
export function formatChange(now: PicoUsd, was: PicoUsd): string {
  if (was === 0n) return '–';
  const tenths = roundRatio((now - was) * 1_000n, was);
  const text = (Number(tenths) / 10).toFixed(1);
  return `${tenths > 0n ? '+' : ''}${text} %`;
}

/** Rounds half away from zero, as amounts are read; the divisor is positive. */
function roundRatio(part: bigint, whole: bigint): bigint {
  const half = part < 0n ? -whole : whole;
  return (2n * part + half) / (2n * whole);
}
