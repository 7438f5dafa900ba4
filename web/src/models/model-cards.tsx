import { Link } from '@tanstack/react-router';
import { formatMs, formatShort } from '../parts/format.ts';
import { useRows } from '../parts/lists/use-rows.ts';
import { type Model, endOf } from './catalogue.ts';
import { Price } from './price.tsx';

const CARD_PX = 80;

interface CardsProps {
  models: readonly Model[];
  measured: ReadonlyMap<string, number>;
}

/** Models in three lines each, for a narrow screen; only those in sight are in the document. */
export function ModelCards({ models, measured }: CardsProps) {
  const { place, height, shown } = useRows({ count: models.length, rowPx: CARD_PX });
  return (
    <div className="rows" ref={place} role="group" tabIndex={0} aria-label="Models">
      <div className="row-space" role="list" aria-label="Models" style={{ height }}>
        {shown.map(({ index, start }) => {
          const model = models[index];
          const style = { height: CARD_PX, transform: `translateY(${start}px)` };
          return (
            model && (
              <div role="listitem" key={model.id} aria-setsize={models.length} aria-posinset={index + 1}>
                <Link
                  to="/models/$id"
                  params={{ id: model.id }}
                  className="row row-narrow figures"
                  style={style}
                >
                  <span className="row-line">
                    <strong>{model.id}</strong>
                  </span>
                  <Offered model={model} firstMs={measured.get(model.id)} />
                </Link>
              </div>
            )
          );
        })}
      </div>
    </div>
  );
}

function Offered({ model, firstMs }: { model: Model; firstMs: number | undefined }) {
  const { pricing, context_length: context } = model;
  const end = endOf(model);
  const facts = [
    ...(context > 0 ? [`${formatShort(context)} context`] : []),
    ...(firstMs === undefined ? [] : [`first token ${formatMs(firstMs)}`]),
    ...(end === undefined ? [] : [`ends ${end.slice(0, 10)}`]),
  ];
  return (
    <>
      <span className="small">
        <Price of={pricing.prompt} /> in · <Price of={pricing.completion} /> out
      </span>
      <span className="small quiet">{facts.join(' · ')}</span>
    </>
  );
}
