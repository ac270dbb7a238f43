import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { zipOf } from './test-support.ts';
import { openTickFile, TickFileError, UNPACKED_BYTES_MAX } from './tick-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'tick-file-'));
after(() => rmSync(folder, { recursive: true }));

const CONTENT = '339,1.38833,1.38835\n634,1.38835,1.38835\n';

function fileOf(name: string, content: string | Buffer): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function contentOf(path: string): Promise<string> {
  const { bytes, close } = await openTickFile(path);
  const pieces: Buffer[] = [];
  try {
    for await (const piece of bytes) pieces.push(piece);
  } finally {
    close();
  }
  return Buffer.concat(pieces).toString('latin1');
}

test('a plain file and a zip with one csv give the same bytes', async () => {
  assert.equal(await contentOf(fileOf('plain.csv', CONTENT)), CONTENT);
  assert.equal(await contentOf(fileOf('one.ZIP', zipOf([{ name: 'day.csv', content: CONTENT }]))), CONTENT);
  const withNote = zipOf([
    { name: 'README.txt', content: 'x' },
    { name: 'a/day.CSV', content: CONTENT },
  ]);
  assert.equal(await contentOf(fileOf('note.zip', withNote)), CONTENT);
});

const REFUSED: readonly [name: string, zip: Buffer, message: RegExp][] = [
  [
    'two',
    zipOf(['a.csv', 'b.csv'].map((name) => ({ name, content: CONTENT }))),
    /holds 2 csv files, not one/,
  ],
  ['none', zipOf([{ name: 'a.txt', content: CONTENT }]), /holds 0 csv files/],
  ['empty', zipOf([]), /holds 0 csv files/],
  ['parent', zipOf([{ name: '../a.csv', content: CONTENT }]), /invalid relative path/],
  ['absolute', zipOf([{ name: '/etc/a.csv', content: CONTENT }]), /absolute path/],
  ['backslash', zipOf([{ name: '..\\a.csv', content: CONTENT }]), /invalid characters/],
  [
    'behind',
    zipOf([
      { name: 'a.csv', content: CONTENT },
      { name: 'x/../../b.txt', content: '' },
    ]),
    /invalid relative path/,
  ],
  [
    'bomb',
    zipOf([{ name: 'a.csv', content: CONTENT, claimedBytes: UNPACKED_BYTES_MAX + 1 }]),
    /unpacks to more than 268435456 bytes/,
  ],
  [
    'crowd',
    zipOf(Array.from({ length: 65 }, (_, i) => ({ name: `${i}.csv`, content: '' }))),
    /65 entries, more than 64/,
  ],
  ['rubbish', Buffer.from('PK this is no archive'), /./],
];

for (const [name, zip, message] of REFUSED) {
  test(`an archive is refused with one line that names it: ${name}`, async () => {
    const path = fileOf(`${name}.zip`, zip);
    await assert.rejects(contentOf(path), (error) => {
      assert.ok(error instanceof TickFileError);
      assert.match(error.message, message);
      assert.ok(error.message.startsWith(`${name}.zip: `) && !error.message.includes('\n'), error.message);
      return true;
    });
  });
}

test('an archive that claims a small size and unpacks to more is cut off', async () => {
  const content = CONTENT.repeat(50_000);
  const path = fileOf('liar.zip', zipOf([{ name: 'a.csv', content, claimedBytes: 100 }]));
  const { bytes, close } = await openTickFile(path);
  let read = 0;
  await assert.rejects(async () => {
    for await (const piece of bytes) read += piece.length;
  }, /too many bytes/);
  close();
  assert.ok(read < content.length / 10, `${read} bytes were handed on`);
});
