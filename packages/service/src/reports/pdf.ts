import { fileURLToPath } from 'node:url';
import type { Font } from 'fontkit';

/**
 * A PDF of titled lines of text, A4 upright, in DejaVu Sans. The letters that are used are embedded, so that every
 * reader shows them. The same lines make the same bytes.
 */

export interface PdfLine {
  readonly label: string;
  readonly value: string;
}

interface PdfText {
  readonly title: string;
  readonly lines: readonly PdfLine[];
  readonly footer: string;
  /** Stands in the file as the instant of its making. */
  readonly createdAt: number;
  /** A last line, where a letter has no form in the font and is shown as a question mark. */
  readonly lacking: PdfLine;
}

const WIDTH = 595;
const MARGIN = 56;
const VALUE_X = 220;
const VALUE_WIDTH = WIDTH - MARGIN - VALUE_X;
const LEADING = 16;
const TEXT_SIZE = 10;
const TITLE_SIZE = 16;
const LINES_ON_PAGE = 42;
const FOOTER_Y = 806;

const LABEL_FONT = 'dejavu-fonts-ttf/ttf/DejaVuSans.ttf';
const VALUE_FONT = 'dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf';

interface Library {
  readonly PdfDocument: typeof import('pdfkit');
  readonly labels: Font;
  readonly values: Font;
}

let library: Promise<Library> | undefined;

/** Some hundred modules and two fonts, which a process that makes no PDF does without. */
function loadLibrary(): Promise<Library> {
  library ??= load().catch((error: unknown) => {
    library = undefined;
    throw error;
  });
  return library;
}

async function load(): Promise<Library> {
  const [{ default: PdfDocument }, fontkit] = await Promise.all([import('pdfkit'), import('fontkit')]);
  const [labels, values] = await Promise.all(
    [LABEL_FONT, VALUE_FONT].map((name) => fontkit.open(fileURLToPath(import.meta.resolve(name)))),
  );
  if (labels?.type !== 'TTF' || values?.type !== 'TTF')
    throw new Error('a font of the PDFs is no single font');
  return { PdfDocument, labels: letterByLetter(labels), values: letterByLetter(values) };
}

/**
 * The font, which sets a text letter by letter, without ligatures and kerning: what is copied out of a file is what was
 * written. A font remembers the forms that it has made, with the characters that each was first made for, or with none for a
 * part of another; it serves all documents, so the text of one would change what is copied out of the next.
 */
function letterByLetter(font: Font): Font {
  const layout = (text: string) => {
    const letters = Array.from(text, (letter) => letter.codePointAt(0) ?? 0);
    const glyphs = letters.map((codePoint) => {
      const { id, advanceWidth } = font.glyphForCodePoint(codePoint);
      return { id, advanceWidth, codePoints: [codePoint] };
    });
    const positions = glyphs.map(({ advanceWidth: xAdvance }) => ({
      ...{ xAdvance, yAdvance: 0, xOffset: 0, yOffset: 0 },
    }));
    const advanceWidth = glyphs.reduce((sum, each) => sum + each.advanceWidth, 0);
    return { glyphs, positions, advanceWidth };
  };
  return Object.create(font, { layout: { value: layout } }) as Font;
}

export async function pdfDocument(text: PdfText): Promise<Buffer> {
  const { PdfDocument, labels, values } = await loadLibrary();
  const document = new PdfDocument({
    pdfVersion: '1.4',
    size: 'A4',
    margin: 0,
    autoFirstPage: false,
    // No font of the library's own: each page would name one that nothing is written in.
    font: '',
    info: {
      Title: text.title,
      Producer: 'Firmquote',
      Creator: 'Firmquote',
      CreationDate: new Date(text.createdAt),
    },
  });
  const pieces: Buffer[] = [];
  const isWritten = new Promise((resolve, reject) => {
    document.on('data', (piece: Buffer) => pieces.push(piece));
    document.on('end', resolve);
    document.on('error', reject);
  });
  const write = (font: Font, size: number, x: number, y: number, line: string) => {
    document.font(font as never).fontSize(size);
    if (line !== '') document.text(line, x, y, { lineBreak: false });
  };
  const pages = pagesOf(text, values);
  pages.forEach((rows, index) => {
    document.addPage();
    write(values, TITLE_SIZE, MARGIN, MARGIN, shown(text.title, values));
    rows.forEach(({ label, value }, row) => {
      const y = MARGIN + TITLE_SIZE + (row + 1) * LEADING;
      write(labels, TEXT_SIZE, MARGIN, y, label);
      write(values, TEXT_SIZE, VALUE_X, y, value);
    });
    const footer = `${text.footer}   ${index + 1} / ${pages.length}`;
    write(labels, TEXT_SIZE - 2, MARGIN, FOOTER_Y, footer);
  });
  document.end();
  await isWritten;
  return Buffer.concat(pieces);
}

function pagesOf({ lines, lacking }: PdfText, font: Font): PdfLine[][] {
  const isWhole = lines.every(({ value }) => shown(value, font) === value.normalize('NFC'));
  const rows = [...lines, ...(isWhole ? [] : [lacking])].flatMap(({ label, value }) =>
    wrapped(shown(value, font), font).map((part, i) => ({ label: i === 0 ? label : '', value: part })),
  );
  const pages: PdfLine[][] = [];
  for (let at = 0; at < rows.length || at === 0; at += LINES_ON_PAGE)
    pages.push(rows.slice(at, at + LINES_ON_PAGE));
  return pages;
}

/**
 * Control and format characters, which could show a text in another order than it has, and the scripts that are written
 * from right to left, which a line of this file would show the wrong way round.
 */
const NOT_SHOWN =
  /[\p{C}\p{Zl}\p{Zp}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

/** The text with a question mark for each character that is not shown. */
function shown(text: string, font: Font): string {
  return Array.from(text.normalize('NFC'), (character) => {
    const isKnown = font.hasGlyphForCodePoint(character.codePointAt(0) ?? 0);
    return isKnown && !NOT_SHOWN.test(character) ? character : '?';
  }).join('');
}

const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** The text in lines that fit beside the label, broken between words; within a word only where it is longer than a line. */
function wrapped(text: string, font: Font): string[] {
  const lines: string[] = [];
  let line = '';
  // A word has the blanks behind it; at the end of a line these may stand out.
  for (const word of text.match(/[^ ]* */g) ?? []) {
    if (line !== '' && widthOf(line + withoutEnd(word), font) > VALUE_WIDTH) {
      lines.push(withoutEnd(line));
      line = '';
    }
    const pieces = cutToFit(word, font);
    lines.push(...pieces.slice(0, -1));
    line += pieces.at(-1) ?? '';
  }
  return [...lines, line];
}

const withoutEnd = (text: string) => text.replace(/ +$/, '');

/** A word in pieces that fit; but for the last, each fills its line. */
function cutToFit(word: string, font: Font): string[] {
  const pieces = [''];
  let width = 0;
  for (const { segment } of GRAPHEMES.segment(word)) {
    const advance = widthOf(segment, font);
    if (width + advance > VALUE_WIDTH && segment !== ' ') {
      pieces.push('');
      width = 0;
    }
    pieces.push((pieces.pop() ?? '') + segment);
    width += advance;
  }
  return pieces;
}

function widthOf(segment: string, font: Font): number {
  return (font.layout(segment).advanceWidth * TEXT_SIZE) / font.unitsPerEm;
}
