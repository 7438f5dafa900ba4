export { xaiProtocol } from './protocol.ts';
