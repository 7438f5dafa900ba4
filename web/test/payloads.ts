/** What would run if a text of a caller or provider were anything but text. */
const TAGS = [
  'img src=x',
  'svg',
  'body',
  'video src=x',
  'audio src=x',
  'input autofocus',
  'details open',
  'iframe',
  'math',
  'select autofocus',
  'marquee',
  'object data=x',
  'embed src=x',
  'style',
  'link rel=stylesheet href=x',
  'form',
];
const EVENTS = [
  'onerror',
  'onload',
  'onfocus',
  'ontoggle',
  'onmouseover',
  'onbegin',
  'onanimationstart',
  'onpointerenter',
  'onstart',
];
const CALL = 'globalThis.__ran=1';
const BREAKS = ['">', "'>", '</title>', '</script>', '</textarea>', '</style>', '-->', ']]>', '`}'];
const ALONE = [
  `<script>${CALL}</script>`,
  `<script src="data:text/javascript,${CALL}"></script>`,
  `javascript:${CALL}`,
  `JaVaScRiPt:${CALL}`,
  `data:text/html,<script>${CALL}</script>`,
  `<a href="javascript:${CALL}">x</a>`,
  `<iframe srcdoc="<script>${CALL}</script>"></iframe>`,
  `<svg><script>${CALL}</script></svg>`,
  `<svg><animate onbegin=${CALL} attributeName=x dur=1s>`,
  `<math><mtext><style><img src=x onerror=${CALL}></style></mtext></math>`,
  `<noscript><p title="</noscript><img src=x onerror=${CALL}>">`,
  `<template><img src=x onerror=${CALL}></template>`,
  `{{constructor.constructor("${CALL}")()}}`,
  `\${${CALL}}`,
  `<meta http-equiv=refresh content="0;url=javascript:${CALL}">`,
  `<base href="javascript:${CALL}//">`,
  `<button popovertarget=x onclick=${CALL}>`,
  `<img src="x\` onerror=${CALL}">`,
  `<x contenteditable onblur=${CALL}>lose focus!`,
  `%3Cscript%3E${CALL}%3C/script%3E`,
  `&lt;script&gt;${CALL}&lt;/script&gt;`,
  `[x](javascript:${CALL})`,
  `![x](x"onerror="${CALL})`,
  `__proto__`,
  `"};${CALL};//`,
  `';${CALL};'`,
];

/** 200 of them, each different. */
export const PAYLOADS: readonly string[] = [
  ...ALONE,
  ...TAGS.flatMap((tag) => EVENTS.map((event) => `<${tag} ${event}=${CALL}>`)),
  ...BREAKS.flatMap((end) => EVENTS.map((event) => `${end}<img src=x ${event}=${CALL}>`)),
].slice(0, 200);

/** The name of what none of them may set. */
export const MARK = '__ran';
