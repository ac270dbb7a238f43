/**
 * Text of others on a terminal: what would move the cursor, change colours, hide text or turn the direction of writing is
 * shown as its code point. Controls (Cc), what formats (Cf), ends of lines and paragraphs, and letters that are blank.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;

/** One line that is safe to show. */
export function safeText(text: string): string {
  return text.replace(UNSAFE, (found) => `<U+${hex(found.codePointAt(0) ?? 0).toUpperCase()}>`);
}

/** Several lines that are safe to show: line ends stay. */
export function safeLines(text: string): string {
  return text.split(/\r?\n/).map(safeText).join('\n');
}

/** JSON whose strings hold none of them: an escape in JSON is the same text. */
export function safeJson(json: string): string {
  return json.replace(UNSAFE, (found) => (found === '\n' ? found : escaped(found)));
}

/** Characters beyond the first plane are two escapes. */
function escaped(text: string): string {
  return [...Array(text.length).keys()].map((at) => `\\u${hex(text.charCodeAt(at))}`).join('');
}

function hex(code: number): string {
  return code.toString(16).padStart(4, '0');
}
