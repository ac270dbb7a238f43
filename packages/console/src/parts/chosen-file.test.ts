import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readChosen } from './chosen-file.ts';

test('a file is sent as it is, whatever its characters are', async () => {
  const line = [...new TextEncoder().encode('currency,date,name\nEUR,2027-01-01,')];
  for (const [what, bytes] of [
    ['in Latin-1', [...line, 0x41, 0xf1, 0x6f]],
    ['with a mark of its order', [0xef, 0xbb, 0xbf, ...line, 0x41]],
  ] as const) {
    const file = new File([new Uint8Array(bytes)], 'days.csv', { lastModified: 1 });
    const chosen = await readChosen(file);
    assert.deepEqual([...chosen.bytes], bytes, what);
    assert.equal(chosen.mark, `days.csv ${bytes.length} 1`);
  }
});
