const COLUMNS = [
  'id',
  'started_at',
  'requested_model',
  'model_id',
  'provider_id',
  'finish_reason',
  'status',
  'error_code',
  'error_message',
  'cost',
  'first_event_ms',
  'duration_ms',
  'organization_id',
  'project_id',
  'key_id',
  'client_name',
  'session_id',
  'end_user_id',
] as const;

type Row = { readonly [Name in (typeof COLUMNS)[number]]?: string | number | null };

/** Rows as RFC 4180, with a line of names. */
export function toCsv(rows: readonly Row[]): string {
  const lines = rows.map((row) => COLUMNS.map((name) => toCell(row[name])).join(','));
  return [COLUMNS.join(','), ...lines, ''].join('\r\n');
}

/** A text that a spreadsheet would run as a formula gets an apostrophe. */
function toCell(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
