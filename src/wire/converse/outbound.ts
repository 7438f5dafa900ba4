import type { UpstreamFailure } from '#errors';
import { parseJson } from '#base';
import { createGarbled } from '../errors/openai-error.ts';
import type { CanonicalRequest, Target } from '#canonical';
import { type StreamRules, readAnswers } from '../answer/answer-decoder.ts';
import { ConverseAnswerReader } from './answer/answer-reader.ts';
import type { Exchange, OutboundFormat } from '../contract.ts';
import { EncodeContext } from './request/encode-context.ts';
import { encodeRequest } from './request/encode-request.ts';
import { decodeFailure, findEventFailure } from './answer/failure.ts';

const STREAM: StreamRules = {
  parse: parseJson,
  readData,
  cutShort: 'the provider ended its answer in the middle',
};

/** Models behind Bedrock's Converse. */
export const converseOutbound: OutboundFormat = { id: 'converse', openExchange, decodeFailure };

function openExchange(request: CanonicalRequest, target: Target): Exchange {
  const { dialect, externalId } = target;
  const context = new EncodeContext(request, target);
  const body = encodeRequest(context);
  const answer = { names: context.answerNames, issuer: dialect.issuer, model: externalId };
  return {
    path: `/model/${encodeURIComponent(externalId)}/${request.stream ? 'converse-stream' : 'converse'}`,
    headers: {},
    body,
    ...readAnswers(() => new ConverseAnswerReader(answer), STREAM),
  };
}

function readData(data: string, name: string | undefined): UpstreamFailure {
  const failure = findEventFailure(name, { message: data });
  return failure ?? createGarbled(data, 'the provider sent an event that cannot be read');
}
