import type { PicoUsd } from '#base';
import type { Mapping, VideoAbility } from '#catalogue';
import type { VideoOrder } from './video-order.ts';
import { findUnitPrice } from '#catalogue';
import { GatewayError } from '#errors';

/** A mapping that can generate the ordered video, with unset options chosen, and its cost. */
export interface Offer {
  mapping: Mapping;
  seconds: number;
  size: string;
  cost: PicoUsd;
}

/**
 * The mappings that fit an order, cheapest first. If there is none, throws GatewayError naming the allowed values.
 */
export function chooseOffers(mappings: readonly Mapping[], order: VideoOrder): Offer[] {
  const able = mappings.filter(({ video }) => video !== undefined);
  const fitting = able.filter(({ video }) => video !== undefined && findMismatch(video, order) === undefined);
  if (fitting.length === 0) throw toRefusal(able, order);
  const offers = fitting.map((mapping) => toOffer(mapping, order)).filter((offer) => offer !== undefined);
  if (offers.length === 0) {
    throw new GatewayError(
      'unpriced_model',
      `model ${JSON.stringify(order.model.slice(0, 200))} has no price per second for this size; the operator can set one (price.perSecond)`,
    );
  }
  return offers.sort((a, b) => (a.cost < b.cost ? -1 : a.cost > b.cost ? 1 : 0));
}

function toOffer(mapping: Mapping, order: VideoOrder): Offer | undefined {
  const { video, price } = mapping;
  const size = order.size ?? video?.sizes[0];
  const seconds = order.seconds ?? video?.seconds[0];
  if (size === undefined || seconds === undefined) return undefined;
  if (!price) return { mapping, size, seconds, cost: 0n }; // unpriced models only get here if they are allowed
  const perSecond = findUnitPrice(price.units?.perSecond, size);
  return perSecond === undefined
    ? undefined
    : { mapping, size, seconds, cost: perSecond * BigInt(seconds) + price.request };
}

type Part = 'size' | 'seconds' | 'generate_audio' | 'input_reference';

function findMismatch(video: VideoAbility, { size, seconds, audio, image }: VideoOrder): Part | undefined {
  if (size !== undefined && !video.sizes.includes(size)) return 'size';
  if (seconds !== undefined && !video.seconds.includes(seconds)) return 'seconds';
  if (audio !== undefined && video.audio === (audio ? 'never' : 'always')) return 'generate_audio';
  if (image && video.imageInput !== true) return 'input_reference';
  return undefined;
}

function toRefusal(able: readonly Mapping[], order: VideoOrder): GatewayError {
  const videos = able.map(({ video }) => video).filter((video) => video !== undefined);
  const [first] = videos;
  const model = JSON.stringify(order.model.slice(0, 200));
  if (!first) {
    const message = `model ${model} does not declare which videos it supports; the operator can declare them (video: sizes, seconds, audio)`;
    return new GatewayError('unsupported_feature', message, { param: 'model' });
  }
  const param = findMismatch(first, order) ?? 'size';
  const list = (values: readonly (string | number)[]): string => [...new Set(values)].join(', ');
  const reasons: Record<Part, string> = {
    size: `size ${order.size ?? ''} is not one of ${list(videos.flatMap(({ sizes }) => sizes))}`,
    seconds: `seconds ${order.seconds ?? ''} is not one of ${list(videos.flatMap(({ seconds }) => seconds))}`,
    generate_audio:
      order.audio === true
        ? 'its videos have no audio; leave generate_audio out'
        : 'its videos always have audio; leave generate_audio out',
    input_reference: 'it does not support a first image; leave input_reference out',
  };
  const hint = videos.length > 1 ? ' (not every provider offers every combination)' : '';
  return new GatewayError('invalid_request', `model ${model}: ${reasons[param]}${hint}`, { param });
}
