export { openaiProtocol } from './protocol.ts';
