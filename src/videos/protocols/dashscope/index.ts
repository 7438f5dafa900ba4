export { dashscopeProtocol } from './protocol.ts';
