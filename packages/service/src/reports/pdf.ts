/**
 * A PDF of titled lines of text (ISO 32000-1), A4 upright, in Helvetica, which every reader has. Written here because
 * that is all it takes for a confirmation: a library would bring fonts, images and compression, and would still need a
 * font file for letters outside of Windows-1252.
 */

export interface PdfLine {
  readonly label: string;
  readonly value: string;
}

const WIDTH = 595;
const HEIGHT = 842;
const MARGIN = 56;
const VALUE_X = 220;
const LEADING = 16;
const TEXT_SIZE = 10;
const TITLE_SIZE = 16;
/** Fits beside the label in the widest letters that names are made of. */
const VALUE_CHARACTERS = 58;
const LINES_ON_PAGE = 42;

/** The document as bytes. Values that are long are broken into several lines. */
export function pdfDocument(title: string, lines: readonly PdfLine[], footer: string): Buffer {
  const rows = lines.flatMap(({ label, value }) =>
    wrap(value).map((part, i) => ({ label: i === 0 ? label : '', value: part })),
  );
  const pages: (readonly PdfLine[])[] = [];
  for (let at = 0; at < rows.length || at === 0; at += LINES_ON_PAGE)
    pages.push(rows.slice(at, at + LINES_ON_PAGE));
  const font = (name: string) =>
    `<< /Type /Font /Subtype /Type1 /BaseFont /${name} /Encoding /WinAnsiEncoding >>`;
  // Objects are numbered from 1: catalogue, page tree, two fonts, title; then a page and its content for each page.
  const first = 6;
  const kids = pages.map((_, i) => `${first + 2 * i} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} /MediaBox [0 0 ${WIDTH} ${HEIGHT}] >>`,
    font('Helvetica'),
    font('Helvetica-Bold'),
    `<< /Title ${pdfString(title)} /Producer (Firmquote) >>`,
    ...pages.flatMap((page, i) => {
      const content = pageContent(title, page, `${footer}   ${i + 1} / ${pages.length}`);
      return [
        `<< /Type /Page /Parent 2 0 R /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents ${first + 2 * i + 1} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  return Buffer.from(fileOf(objects), 'latin1');
}

/** Objects with the table of where each begins. Every character of the text is one byte. */
function fileOf(objects: readonly string[]): string {
  // The second line tells programs that move files that this one is binary.
  let text = '%PDF-1.4\n%\xe2\xe3\xcf\xd3\n';
  const offsets = objects.map((object, i) => {
    const offset = text.length;
    text += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const entry = (offset: number) => `${String(offset).padStart(10, '0')} 00000 n \n`;
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.map(entry).join('')}`;
  return `${text}${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 5 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
}

function pageContent(title: string, lines: readonly PdfLine[], footer: string): string {
  const show = (font: string, size: number, x: number, y: number, text: string) =>
    `BT /${font} ${size} Tf ${x} ${y} Td ${pdfString(text)} Tj ET`;
  const top = HEIGHT - MARGIN - TITLE_SIZE;
  const parts = [show('F2', TITLE_SIZE, MARGIN, top, title)];
  lines.forEach(({ label, value }, i) => {
    const y = top - 2 * LEADING - i * LEADING;
    if (label !== '') parts.push(show('F1', TEXT_SIZE, MARGIN, y, label));
    parts.push(show('F2', TEXT_SIZE, VALUE_X, y, value));
  });
  parts.push(show('F1', TEXT_SIZE - 2, MARGIN, MARGIN / 2, footer));
  return parts.join('\n');
}

function wrap(value: string): string[] {
  const characters = [...value];
  const lines: string[] = [];
  for (let at = 0; at < characters.length || at === 0; at += VALUE_CHARACTERS) {
    lines.push(characters.slice(at, at + VALUE_CHARACTERS).join(''));
  }
  return lines;
}

/** A literal string (ISO 32000-1 §7.3.4.2): parentheses and backslashes escaped, all else than ASCII as octal. */
export function pdfString(text: string): string {
  let body = '';
  for (const character of text.normalize('NFC')) {
    const byte = windows1252(character);
    if (byte >= 0x20 && byte <= 0x7e) {
      const plain = String.fromCharCode(byte);
      body += '()\\'.includes(plain) ? `\\${plain}` : plain;
    } else body += `\\${byte.toString(8).padStart(3, '0')}`;
  }
  return `(${body})`;
}

/** 0x80 to 0x9f of Windows-1252; blanks are places without a character. */
const FROM_80 = '€ ‚ƒ„…†‡ˆ‰Š‹Œ Ž  ‘’“”•–—˜™š›œ žŸ';
const QUESTION_MARK = 0x3f;

function windows1252(character: string): number {
  const code = character.codePointAt(0) ?? QUESTION_MARK;
  if ((code >= 0x20 && code <= 0x7e) || (code >= 0xa0 && code <= 0xff)) return code;
  const place = character === ' ' ? -1 : FROM_80.indexOf(character);
  return place === -1 ? QUESTION_MARK : 0x80 + place;
}

/** Whether every character of the text can be shown; others are shown as question marks. */
export function isShownWhole(text: string): boolean {
  return [...text.normalize('NFC')].every(
    (character) => character === '?' || windows1252(character) !== QUESTION_MARK,
  );
}
