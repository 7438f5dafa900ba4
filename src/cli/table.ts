/** Rows in columns as wide as their widest cell; the heading first. */
export function formatTable(heading: readonly string[], rows: readonly (readonly string[])[]): string[] {
  const all = [heading.map((name) => name.toUpperCase()), ...rows];
  const widths = heading.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  return all.map((row) =>
    row
      .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** A moment as people read it, in UTC to the second. */
export function formatTime(milliseconds: number | undefined): string {
  return milliseconds === undefined
    ? '–'
    : new Date(milliseconds).toISOString().slice(0, 19).replace('T', ' ');
}
