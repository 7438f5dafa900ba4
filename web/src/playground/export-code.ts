import { GATEWAY } from '../api/client.ts';
import type { RequestBody } from './compose-request.ts';

export const LANGUAGES = ['curl', 'Python', 'TypeScript'] as const;
export type Language = (typeof LANGUAGES)[number];

/** A program that sends the same request; the key comes from the environment. */
export function exportCode(language: Language, body: RequestBody): string {
  if (language === 'curl') return toCurl(body);
  return language === 'Python' ? toPython(body) : toTypeScript(body);
}

function toCurl(body: RequestBody): string {
  const json = JSON.stringify(body, null, 2).replaceAll("'", String.raw`'\''`);
  return [
    `curl -N ${GATEWAY}/v1/chat/completions \\`,
    '  -H "authorization: Bearer $SLUICE_API_KEY" \\',
    "  -H 'content-type: application/json' \\",
    `  -d '${json}'`,
  ].join('\n');
}

function toPython(body: RequestBody): string {
  const args = Object.entries(body).map(([name, value]) => `    ${name}=${toPythonLiteral(value)},`);
  return [
    'import os',
    'from openai import OpenAI',
    '',
    `client = OpenAI(base_url="${GATEWAY}/v1", api_key=os.environ["SLUICE_API_KEY"])`,
    'stream = client.chat.completions.create(',
    ...args,
    ')',
    'for chunk in stream:',
    '    if chunk.choices:',
    '        print(chunk.choices[0].delta.content or "", end="", flush=True)',
  ].join('\n');
}

function toPythonLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (Array.isArray(value)) return `[${value.map(toPythonLiteral).join(', ')}]`;
  if (typeof value !== 'object') return JSON.stringify(value);
  const pairs = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}: ${toPythonLiteral(one)}`,
  );
  return `{${pairs.join(', ')}}`;
}

function toTypeScript(body: RequestBody): string {
  return [
    "import OpenAI from 'openai';",
    '',
    `const client = new OpenAI({ baseURL: '${GATEWAY}/v1', apiKey: process.env.SLUICE_API_KEY });`,
    `const stream = await client.chat.completions.create(${JSON.stringify(body, null, 2)});`,
    'for await (const chunk of stream) process.stdout.write(chunk.choices[0]?.delta?.content ?? "");',
  ].join('\n');
}
