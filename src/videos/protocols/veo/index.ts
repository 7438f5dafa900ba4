export { veoProtocol } from './protocol.ts';
