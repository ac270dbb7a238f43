import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { leafHash, peaksOf, rootOf, treeOf } from './tree.ts';

/** RFC 9162 §2.1.1, word for word. */
function treeHash(lines: readonly string[]): Buffer {
  const sha256 = (...parts: Buffer[]) => createHash('sha256').update(Buffer.concat(parts)).digest();
  const [first] = lines;
  if (first === undefined) return sha256();
  if (lines.length === 1) return sha256(Buffer.of(0), Buffer.from(first));
  let k = 1;
  while (k * 2 < lines.length) k *= 2;
  return sha256(Buffer.of(1), treeHash(lines.slice(0, k)), treeHash(lines.slice(k)));
}

const linesOf = fc.array(fc.string(), { maxLength: 40 });

test('the root is that of RFC 9162, wherever the tree was put down and taken up again', () => {
  fc.assert(
    fc.property(linesOf, fc.nat(40), (lines, cut) => {
      const before = treeOf();
      for (const line of lines.slice(0, cut)) before.add(leafHash(line));
      const tree = treeOf(before.size, peaksOf(before));
      for (const line of lines.slice(cut)) tree.add(leafHash(line));
      assert.equal(tree.size, lines.length);
      assert.deepEqual(rootOf(tree), treeHash(lines));
    }),
  );
});

test('another line, another order, one more or one less is another root', () => {
  const rootOfAll = (lines: readonly string[]) => {
    const tree = treeOf();
    for (const line of lines) tree.add(leafHash(line));
    return rootOf(tree).toString('hex');
  };
  const change = fc.constantFrom('alter', 'delete', 'insert', 'swap', 'cut');
  fc.assert(
    fc.property(
      fc.array(fc.string(), { minLength: 2, maxLength: 30 }),
      change,
      fc.nat(),
      (lines, how, draw) => {
        const at = draw % (lines.length - 1);
        const changed = [...lines];
        if (how === 'alter') changed[at] += '.';
        if (how === 'delete') changed.splice(at, 1);
        if (how === 'insert') changed.splice(at, 0, 'x');
        if (how === 'swap') changed.splice(at, 2, lines[at + 1] ?? '', lines[at] ?? '');
        if (how === 'cut') changed.pop();
        fc.pre(changed.join('\0') !== lines.join('\0') || changed.length !== lines.length);
        assert.notEqual(rootOfAll(changed), rootOfAll(lines));
      },
    ),
  );
});
