import type { ErrorEntry } from './table.ts';
import { FAULTY_MEMBER } from './faulty-member.ts';
import { type ErrorCode, ERRORS } from './table.ts';

/** The error table as Markdown: the whole of `docs/errors.md`. */
export function describeErrors(): string {
  const rows = Object.entries<ErrorEntry>(ERRORS).map(([code, entry]) => {
    const status =
      entry.messagesStatus === undefined
        ? `${entry.status}`
        : `${entry.status} (${entry.messagesStatus} on Messages)`;
    const param = FAULTY_MEMBER[code as ErrorCode];
    return `| \`${code}\` | ${status} | \`${entry.messagesType}\` | \`${entry.openaiType}\` | ${param === '' ? '' : `\`${param}\``} | ${entry.blame} | ${entry.meaning} |`;
  });
  return `# Errors

Generated from \`src/errors/table.ts\` by \`npm run generate\`.

On \`/v1/messages\` an error is \`{"type":"error","error":{"type","message"},"request_id"}\`; elsewhere it is
\`{"error":{"message","type","param","code"}}\`, all strings. \`code\` is the first column, or the provider's own code when its
refusal is passed on. \`param\` is the header, the part of the path, or the member of query or body that is at fault, such as
\`messages[0].content\`; where an error names none, it is what the column says: \`authorization\` stands for whichever header
carried the key, \`body\` for the whole body, \`path\` for the address, \`id\` for what the path names, and the empty string
for faults that nothing in the request caused. A refused request costs 0 and leaves a row with the finish reason
\`client_error\`.

| code | status | \`error.type\` (Messages) | \`error.type\` (OpenAI) | \`error.param\` | blame | meaning |
|---|---|---|---|---|---|---|
${rows.join('\n')}
`;
}
