export { converseOutbound } from './outbound.ts';
