import { existsSync } from 'node:fs';

const PLACES = [
  process.env['CHROMIUM_BIN'] ?? '',
  '/usr/bin/chromium-headless-shell', // without windows it takes two thirds of the processor time
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The browser of this machine; undefined if there is none. */
export const CHROMIUM = PLACES.find((path) => path !== '' && existsSync(path));

export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--disable-background-networking',
  '--disable-sync',
  // A tenth less processor time: no process for graphics, and none in reserve for a page of another site.
  '--in-process-gpu',
  '--disable-features=SpareRendererForSitePerProcess',
];
