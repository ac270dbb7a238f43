import { escapeXml } from '@firmquote/bank-formats';

/** An element around others. */
export function tag(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}

/** An element with a text. */
export function text(name: string, content: string): string {
  return tag(name, escapeXml(content));
}
