import assert from 'node:assert/strict';
import { test } from 'node:test';
import { netOpenPosition, withPossible, worstSide } from './exposure.ts';

const exactly = (position: bigint) => ({ upper: position, lower: position });

test('the net open position is the greater of all long and all short positions', () => {
  // The example of the shorthand method: long 50, 100 and 150, short 20 and 180.
  const positions = [50n, 100n, 150n, -20n, -180n].map(exactly);
  assert.deepEqual(netOpenPosition(positions), { long: 300n, short: 200n, net: 300n });
  assert.deepEqual(netOpenPosition([]), { long: 0n, short: 0n, net: 0n });
  assert.deepEqual(netOpenPosition([{ upper: 7n, lower: -9n }]), { long: 7n, short: 9n, net: 9n });
});

test('what may happen widens the bounds on its side only', () => {
  assert.deepEqual(withPossible(exactly(5n), 3n), { upper: 8n, lower: 5n });
  assert.deepEqual(withPossible(exactly(5n), -3n), { upper: 5n, lower: 2n });
  assert.deepEqual(
    [1n, -1n].map((one) => withPossible(exactly(0n), one)),
    [
      { upper: 1n, lower: 0n },
      { upper: 0n, lower: -1n },
    ],
  );
  assert.equal(worstSide({ upper: 8n, lower: -9n }), 9n);
  assert.equal(worstSide({ upper: 8n, lower: 2n }), 8n);
  assert.equal(worstSide({ upper: -3n, lower: -4n }), 4n);
});
