export type Cell = string | number | boolean | null | undefined;

/** A line as RFC 4180. */
export const toCsv = (cells: readonly Cell[]): string => `${cells.map(toCell).join(',')}\r\n`;

/** A text that a spreadsheet would run as a formula gets an apostrophe. */
function toCell(value: Cell): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
