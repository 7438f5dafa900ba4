import { Link, getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatCount, formatTime } from '../parts/format.ts';
import { useRows } from '../parts/lists/use-rows.ts';
import { type Model, describeAbilities, endOf } from './catalogue.ts';
import { type Order, readModelsSearch } from './models-search.ts';
import { Price } from './price.tsx';

const ROW_PX = 40;
const HEAD: readonly { name: string; order?: Order }[] = [
  { name: 'Model', order: 'name' },
  { name: 'Input', order: 'input' },
  { name: 'Cached', order: 'cached' },
  { name: 'Output', order: 'output' },
  { name: 'Context', order: 'context' },
  { name: 'First token' },
  { name: 'Capabilities' },
  { name: 'Providers' },
];
/** Columns of figures after the first. */
const FIGURES = 5;
const route = getRouteApi('/models');

interface RowsProps {
  models: readonly Model[];
  /** Median times to the first token. */
  measured: ReadonlyMap<string, number>;
}

/** Only the rows in sight are in the document. */
export function ModelRows({ models, measured }: RowsProps) {
  const { place, height, shown } = useRows({ count: models.length, rowPx: ROW_PX });
  return (
    <div className="rows tree models" ref={place} role="group" tabIndex={0} aria-label="Models">
      <div role="table" aria-label="Models" aria-rowcount={models.length + 1}>
        <div role="rowgroup">
          <div role="row" className="tree-row model-row tree-head">
            {HEAD.map(({ name, order }, index) => (
              <HeadCell key={name} name={name} index={index} {...(order && { order })} />
            ))}
          </div>
        </div>
        <div role="rowgroup" className="tree-space" style={{ height }}>
          {shown.map(({ index, start }) => {
            const model = models[index];
            return (
              model && (
                <ModelRow
                  key={model.id}
                  model={model}
                  index={index}
                  start={start}
                  firstMs={measured.get(model.id)}
                />
              )
            );
          })}
        </div>
      </div>
    </div>
  );
}

function HeadCell({ name, order, index }: { name: string; order?: Order; index: number }) {
  const { sort = 'name' } = route.useSearch();
  const navigate = route.useNavigate();
  const sorted = order === 'context' ? 'descending' : 'ascending';
  return (
    <span
      role="columnheader"
      className={index > 0 && index <= FIGURES ? 'end' : ''}
      {...(order === sort && { 'aria-sort': sorted })}
    >
      {order === undefined ? (
        name
      ) : (
        <button
          type="button"
          className="opener"
          onClick={() => void navigate({ search: (old) => readModelsSearch({ ...old, sort: order }) })}
        >
          {name}
          {order === sort && (sorted === 'ascending' ? ' ↑' : ' ↓')}
        </button>
      )}
    </span>
  );
}

interface RowProps {
  model: Model;
  index: number;
  start: number;
  firstMs: number | undefined;
}

function ModelRow({ model, index, start, firstMs }: RowProps) {
  const end = endOf(model);
  const providers = [...new Set(model.providers.map(({ providerId }) => providerId))].join(', ');
  return (
    <div
      role="row"
      className="tree-row model-row figures"
      aria-rowindex={index + 2}
      style={{ height: ROW_PX, transform: `translateY(${start}px)` }}
    >
      <Cell title={model.id}>
        <Link to="/models/$id" params={{ id: model.id }}>
          {model.id}
        </Link>
        {end !== undefined && ` ends ${end.slice(0, 10)}`}
      </Cell>
      <Cell isEnd>
        <Price of={model.pricing.prompt} />
      </Cell>
      <Cell isEnd>
        <Price of={model.pricing.input_cache_read} />
      </Cell>
      <Cell isEnd>
        <Price of={model.pricing.completion} />
      </Cell>
      <Cell isEnd>{model.context_length === 0 ? '–' : formatCount(model.context_length)}</Cell>
      <Cell isEnd>{formatTime(firstMs)}</Cell>
      <Cell>{describeAbilities(model)}</Cell>
      <Cell title={providers}>{providers}</Cell>
    </div>
  );
}

function Cell({ isEnd = false, title, children }: { isEnd?: boolean; title?: string; children: ReactNode }) {
  return (
    <span role="cell" className={isEnd ? 'end' : ''} {...(title !== undefined && { title })}>
      {children}
    </span>
  );
}
