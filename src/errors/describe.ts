import type { ErrorEntry } from './entry.ts';
import { ERRORS } from './table.ts';

/** Renders the error table as Markdown: all of `docs/errors.md`. */
export function describeErrors(): string {
  const rows = Object.entries<ErrorEntry>(ERRORS).map(([code, entry]) => {
    const status =
      entry.messagesStatus === undefined
        ? `${entry.status}`
        : `${entry.status} (${entry.messagesStatus} on Messages)`;
    const { param } = entry;
    return `| \`${code}\` | ${status} | \`${entry.messagesType}\` | \`${entry.openaiType}\` | ${param === '' ? '' : `\`${param}\``} | ${entry.blame} | ${entry.meaning} |`;
  });
  return `# Errors

Generated from \`src/errors/table.ts\` by \`npm run generate\`.

On \`/v1/messages\` an error is \`{"type":"error","error":{"type","message"},"request_id"}\`. On Gemini's endpoints it is
\`{"error":{"code","message","status","details"}}\`: \`code\` is the HTTP status, \`status\` Google's word for it, and
\`details[0]\` has the first column in capitals as \`reason\`, and \`param\` in its \`metadata\`. Elsewhere it is
\`{"error":{"message","type","param","code"}}\`, all strings. \`code\` is the first column, or the provider's own code when its
error is passed on. \`param\` is the header, the part of the path, or the member of the query or body at fault, such as
\`messages[0].content\`. If an error names none, the column applies: \`authorization\` means whichever header carried the key,
\`body\` the whole body, \`path\` the URL path, \`id\` the resource that the path names, and the empty string errors that
nothing in the request caused. A refused request costs 0 and is logged with the finish reason \`client_error\`.
The message names a provider that is at fault; where it refuses the request, its own message is passed on. If several were
called and all failed, it ends with why each did: \`(called: openai: 500, azure: timed out after 10 s)\`.

| code | status | \`error.type\` (Messages) | \`error.type\` (OpenAI) | \`error.param\` | blame | meaning |
|---|---|---|---|---|---|---|
${rows.join('\n')}
`;
}
