import type { ErrorEntry } from './table.ts';
import { ERRORS } from './table.ts';

/** The error table as Markdown: the whole of `docs/errors.md`. */
export function describeErrors(): string {
  const rows = Object.entries<ErrorEntry>(ERRORS).map(([code, entry]) => {
    const status =
      entry.messagesStatus === undefined
        ? `${entry.status}`
        : `${entry.status} (${entry.messagesStatus} on Messages)`;
    return `| \`${code}\` | ${status} | \`${entry.messagesType}\` | \`${entry.openaiType}\` | ${entry.blame} | ${entry.meaning} |`;
  });
  return `# Errors

Generated from \`src/errors/table.ts\` by \`npm run generate\`.

On \`/v1/messages\` an error is \`{"type":"error","error":{"type","message"},"request_id"}\`; elsewhere it is
\`{"error":{"message","type","param","code"}}\`, where \`code\` is the first column, or the provider's own code when its
refusal is passed on. A refused request costs 0 and leaves a row with the finish reason \`client_error\`.

| code | status | \`error.type\` (Messages) | \`error.type\` (OpenAI) | blame | meaning |
|---|---|---|---|---|---|
${rows.join('\n')}
`;
}
