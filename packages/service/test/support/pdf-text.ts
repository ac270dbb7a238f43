import assert from 'node:assert/strict';
import { inflateSync } from 'node:zlib';

/** What a PDF shows, read as a reader does: by the file's own table, its fonts' own maps to Unicode, page by page. */
export function shownIn(file: Buffer): string[] {
  const objects = objectsOf(file);
  const pages = [...objects.values()].filter((object) => /\/Type \/Page\n/.test(object));
  return pages.flatMap((page) => {
    const resources = objects.get(referenceIn(page, 'Resources')) ?? '';
    const fonts = new Map(
      [...resources.matchAll(/\/(F\d+) (\d+) 0 R/g)].map((match) => [
        match[1] ?? '',
        charactersOf(objects, Number.parseInt(match[2] ?? '', 10)),
      ]),
    );
    return textsOf(streamOf(objects.get(referenceIn(page, 'Contents')) ?? ''), fonts);
  });
}

/** Each object where the table says that it begins. */
function objectsOf(file: Buffer): ReadonlyMap<number, string> {
  const text = file.toString('latin1');
  assert.match(text, /^%PDF-1\.4\n/);
  const start = Number.parseInt(/startxref\n(\d+)\n%%EOF\n$/.exec(text)?.[1] ?? '', 10);
  const table = text.slice(start);
  const count = Number.parseInt(/^xref\n0 (\d+)\n/.exec(table)?.[1] ?? '', 10);
  const offsets = [...table.matchAll(/^(\d{10}) 00000 n $/gm)].map((match) =>
    Number.parseInt(match[1] ?? '', 10),
  );
  assert.equal(offsets.length, count - 1);
  return new Map(
    offsets.map((offset, index) => {
      const head = `${index + 1} 0 obj\n`;
      assert.equal(text.slice(offset, offset + head.length), head);
      return [index + 1, text.slice(offset + head.length, text.indexOf('\nendobj\n', offset))];
    }),
  );
}

function referenceIn(object: string, name: string): number {
  const [, number = ''] = new RegExp(`/${name} (\\d+) 0 R`).exec(object) ?? [];
  assert.notEqual(number, '', `no ${name} in ${object}`);
  return Number.parseInt(number, 10);
}

function streamOf(object: string): string {
  const length = Number.parseInt(/\/Length (\d+)/.exec(object)?.[1] ?? '', 10);
  const from = object.indexOf('stream\n') + 'stream\n'.length;
  assert.match(object.slice(from + length), /^\s*endstream$/);
  return inflateSync(Buffer.from(object.slice(from, from + length), 'latin1')).toString('latin1');
}

/** What each code of an embedded font stands for. */
function charactersOf(objects: ReadonlyMap<number, string>, font: number): readonly string[] {
  const object = objects.get(font) ?? '';
  const [, descendant = ''] = /\/DescendantFonts \[(\d+) 0 R\]/.exec(object) ?? [];
  const descriptor = referenceIn(objects.get(Number.parseInt(descendant, 10)) ?? '', 'FontDescriptor');
  assert.match(objects.get(descriptor) ?? '', /\/FontFile2 \d+ 0 R/, 'the font is embedded');
  const map = streamOf(objects.get(referenceIn(object, 'ToUnicode')) ?? '');
  return [...map.matchAll(/^<[0-9a-f]{4}> <[0-9a-f]{4}> \[(.*)\]$/gm)].flatMap(([, list = '']) =>
    [...list.matchAll(/<([0-9a-f ]*)>/g)].map(([, units = '']) =>
      Buffer.from(units.replaceAll(' ', ''), 'hex').swap16().toString('utf16le'),
    ),
  );
}

/** Texts by the places that they stand at: a new one begins with each `Tm` on a line of its own. */
function textsOf(content: string, fonts: ReadonlyMap<string, readonly string[]>): string[] {
  const texts: { at: string; text: string }[] = [];
  let characters: readonly string[] = [];
  let place = '';
  for (const line of content.split('\n')) {
    const [, name] = /^\/(F\d+) /.exec(line) ?? [];
    if (name !== undefined) characters = fonts.get(name) ?? [];
    const [, x, y] = /^1 0 0 1 (\S+) (\S+) Tm$/.exec(line) ?? [];
    if (x !== undefined) place = `${x} ${y}`;
    if (!line.endsWith('TJ')) continue;
    const text = [...line.matchAll(/<([0-9a-f]*)>/g)]
      .flatMap(([, codes = '']) => codes.match(/.{4}/g) ?? [])
      .map((code) => characters[Number.parseInt(code, 16)] ?? '')
      .join('');
    const last = texts.at(-1);
    if (last?.at === place) last.text += text;
    else texts.push({ at: place, text });
  }
  return texts.map(({ text }) => text);
}
