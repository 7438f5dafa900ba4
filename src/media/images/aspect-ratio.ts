import { refuseUnsupported } from '#wire';

/** Google's aspect ratios. */
const RATIOS = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9', '21:9'] as const;

/** A size as Google accepts it: the ratio, and the resolution if it is more than usual. */
interface Shape {
  aspectRatio?: string;
  imageSize?: '2K' | '4K';
}

export function toShape(size = 'auto'): Shape {
  if (size === 'auto') return {};
  const [width = 1, height = 1] = size.split('x').map(Number);
  const aspectRatio = RATIOS.find((ratio) => {
    const [across = 1, down = 1] = ratio.split(':').map(Number);
    return width * down === height * across;
  });
  if (!aspectRatio)
    return refuseUnsupported('size', `this model supports the aspect ratios ${RATIOS.join(', ')}`);
  const longest = Math.max(width, height);
  return { aspectRatio, ...(longest > 3_072 ? { imageSize: '4K' } : longest > 1_600 && { imageSize: '2K' }) };
}
