import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PriceStore } from './store.ts';

test('a price that comes just before the pause is drawn when prices go on', (t) => {
  const frames: (() => void)[] = [];
  t.mock.timers.enable({ apis: ['setInterval'] });
  Object.assign(globalThis, { requestAnimationFrame: (draw: () => void) => frames.push(draw) });
  t.after(() => Reflect.deleteProperty(globalThis, 'requestAnimationFrame'));
  const paint = () => {
    for (const draw of frames.splice(0)) draw();
  };
  const store = new PriceStore();
  const drawn: (string | null | undefined)[] = [];
  const end = store.watch('EURUSD', (shown) => drawn.push(shown?.price.bid));
  const come = (bid: string) =>
    store.take({ is: 'prices', prices: [{ price: { pair: 'EURUSD', bid, ask: '1.3' } as never, ageMs: 0 }] });
  come('1.1');
  paint();
  come('1.2');
  store.pause(true);
  paint();
  assert.deepEqual(drawn, [undefined, '1.1']);
  store.pause(false);
  paint();
  assert.deepEqual(drawn, [undefined, '1.1', '1.2']);
  end();
});
