import { answerChat, answerGemini, answerMessages, answerResponses } from './tool-answers.ts';
import {
  OF_CLAUDE,
  type ToolRow,
  chat,
  gemini,
  grounded,
  map,
  messages,
  responses,
  search,
  unit,
  web,
} from './tool-rows.ts';

/** Hosted tools of the other providers. */
export const OTHER_ROWS: Record<string, ToolRow> = {
  'two searches of Claude': {
    asked: messages([{ type: 'web_search_20250305', name: 'web_search' }]),
    answer: answerMessages({ counts: { web_search_requests: 2, web_fetch_requests: 4 } }),
    forwarded: { tools: [{ type: 'web_search_20250305', name: 'web_search', max_uses: 10 }] },
    ...OF_CLAUDE,
    tools: '0.02',
    holdTools: '0.1',
    units: [unit('web_search', 2)],
  },
  'code that Claude runs: a container for five minutes': {
    asked: messages([{ type: 'code_execution_20250825', name: 'code_execution' }]),
    answer: answerMessages({ own: { container: { id: 'container_1', expires_at: '2026-11-22T00:00:00Z' } } }),
    forwarded: {},
    ...OF_CLAUDE,
    // 0.05 ÷ 12, rounded up.
    tools: '0.004166666667',
    holdTools: '0.05',
    units: [{ unit: 'tool-ms', kind: 'code_execution', count: 300_000 }],
  },
  'code that Claude runs beside a search of 2026: free': {
    asked: messages([
      { type: 'code_execution_20260120', name: 'code_execution' },
      { type: 'web_search_20260318', name: 'web_search', max_uses: 3 },
    ]),
    answer: answerMessages({
      counts: { web_search_requests: 1 },
      own: { container: { id: 'container_1', expires_at: '2026-11-22T00:00:00Z' } },
    }),
    forwarded: {},
    ...OF_CLAUDE,
    tools: '0.01',
    holdTools: '0.03',
    units: [unit('web_search', 1)],
  },
  'pages that Claude fetches, its computer and its shell: tokens alone': {
    asked: messages([
      { type: 'web_fetch_20250910', name: 'web_fetch' },
      { type: 'computer_20250124', name: 'computer', display_width_px: 800, display_height_px: 600 },
      { type: 'bash_20250124', name: 'bash' },
    ]),
    answer: answerMessages({ counts: { web_fetch_requests: 3 } }),
    forwarded: {},
    ...OF_CLAUDE,
    tools: '0',
    holdTools: '0',
    units: [],
  },
  'three searches of Gemini 3: + 0.042': {
    asked: gemini('gemini-3-flash-preview', 'googleSearch'),
    answer: answerGemini(grounded(['a', 'b', 'c'], web)),
    forwarded: { tools: [{ googleSearch: {} }] },
    // 1,000 × 0.5 + 100 × 3 per million.
    tokens: '0.0008',
    tools: '0.042',
    holdTokens: { perToken: '0.0000005', output: '0.0006', frame: 1_088 },
    holdTools: '0.14',
    units: [unit('google_search', 3)],
  },
  'three searches of Gemini 2.5: one prompt': {
    asked: gemini('gemini-2.5-flash', 'google_search'),
    answer: answerGemini(grounded(['a', 'b', 'c'], web)),
    forwarded: { tools: [{ google_search: {} }] },
    // 1,000 × 0.3 + 100 × 2.5 per million.
    tokens: '0.00055',
    tools: '0.035',
    holdTokens: { perToken: '0.0000003', output: '0.0005', frame: 1_088 },
    holdTools: '0.035',
    units: [unit('google_search', 1)],
  },
  'maps of Gemini 3': {
    asked: gemini('gemini-3-flash-preview', 'googleMaps'),
    answer: answerGemini(grounded(['cafes', 'parks'], map)),
    forwarded: {},
    tokens: '0.0008',
    tools: '0.028',
    holdTokens: { perToken: '0.0000005', output: '0.0006', frame: 1_088 },
    holdTools: '0.14',
    units: [unit('google_maps', 2)],
  },
  'maps of Gemini 2.5': {
    asked: gemini('gemini-2.5-flash', 'googleMaps'),
    answer: answerGemini(grounded(['cafes', 'parks'], map)),
    forwarded: {},
    tokens: '0.00055',
    tools: '0.025',
    holdTokens: { perToken: '0.0000003', output: '0.0005', frame: 1_088 },
    holdTools: '0.025',
    units: [unit('google_maps', 1)],
  },
  'code that Gemini runs: tokens alone': {
    asked: gemini('gemini-2.5-flash', 'codeExecution'),
    answer: answerGemini({}),
    forwarded: {},
    tokens: '0.00055',
    tools: '0',
    // A context of 1,048,576 at 1 (as if it were audio), and 200 × 2.5 per million.
    holdTokens: '1.049076',
    holdTools: '0',
    units: [],
  },
  'a search of Perplexity by its size': {
    asked: chat('sonar', { web_search_options: { search_context_size: 'high' } }),
    answer: answerChat({ search_context_size: 'high', num_search_queries: 3 }),
    forwarded: { web_search_options: { search_context_size: 'high' } },
    tokens: '0.0011',
    tools: '0.012',
    holdTokens: '0.1282',
    holdTools: '0.012',
    units: [unit('web_search_options:high', 1)],
  },
  'a search of Perplexity that nobody asked for': {
    asked: chat('sonar-pro'),
    answer: answerChat({}),
    forwarded: {},
    // 1,000 × 3 + 100 × 15 per million.
    tokens: '0.0045',
    tools: '0.006',
    holdTokens: { perToken: '0.000003', output: '0.003', frame: 64 },
    holdTools: '0.006',
    units: [unit('web_search_options:low', 1)],
  },
  'searches of xAI, as it counts them': {
    asked: responses([{ type: 'web_search' }, { type: 'x_search' }], { model: 'grok-4.20-multi-agent' }),
    answer: answerResponses([search('1'), search('2'), search('3')], {
      usage: {
        server_side_tool_usage_details: {
          web_search_calls: 2,
          x_search_calls: 2,
          x_posts_fetched: 44,
          x_users_fetched: 3,
        },
      },
    }),
    forwarded: { tools: [{ type: 'web_search' }, { type: 'x_search' }] },
    // 1,000 × 1.25 + 100 × 2.5 per million; 2 × 0.005 + 44 × 0.005 + 3 × 0.01.
    tokens: '0.0015',
    tools: '0.26',
    // A context of a million at 2.5, and 200 × 5 per million; 10 × 0.005 + 100 × 0.005.
    holdTokens: '2.501',
    holdTools: '0.55',
    units: [unit('web_search', 2), unit('x_search:posts', 44), unit('x_search:users', 3)],
  },
};
