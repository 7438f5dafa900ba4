const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'];

/** A number of bytes in the largest unit that leaves at least one. */
export function formatSize(bytes: number): string {
  let [size, unit] = [bytes, 0];
  while (size >= 1_024 && unit < UNITS.length - 1) [size, unit] = [size / 1_024, unit + 1];
  return `${unit === 0 ? size : size.toFixed(1)} ${UNITS[unit] ?? ''}`;
}
