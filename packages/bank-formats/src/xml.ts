import { formatAmount, knownCurrency } from '@firmquote/fx';
import { SaxesParser } from 'saxes';
import { DEPTH_MAX, NODES_MAX, XML_TEXT_MAX } from './limits.ts';
import { StatementRefusal, shown } from './refusal.ts';

/** An element that is kept until it is read. Names are local names of the document's own namespace. */
export interface XmlNode {
  readonly name: string;
  readonly line: number;
  readonly currency: string | undefined;
  readonly children: XmlNode[];
  text: string;
}

export interface XmlHandler {
  /** Namespaces of the documents that are read. */
  readonly namespaces: RegExp;
  /** What they are, for messages. */
  readonly what: string;
  /** An element above those that are kept opens or closes; `path` has it last. */
  open(path: readonly string[], line: number): void;
  close(path: readonly string[], line: number): void;
  /** Whether the element that opens here is kept as a tree. Inside a kept one: whether it is handed over apart. */
  keeps(path: readonly string[]): boolean;
  /** A kept element is complete. It is dropped afterwards. */
  node(path: readonly string[], node: XmlNode): void;
}

/** Any message of ISO 20022. */
const ISO_20022 = /^urn:iso:std:iso:20022:tech:xsd:(?!head\.)/;
/** Stands for elements of other namespaces, so that no lookup finds them. */
const FOREIGN = '{other}';

/**
 * Reads XML as it comes and hands it over in small trees, so that a file of any size takes the memory of one payment.
 * The document may stand in an envelope, with or without a business header, and an envelope may hold several; each is
 * read. A document of another message is refused, so that nothing in a file is passed over.
 * No DOCTYPE (and with it no entities of the file's own), and limits to depth, to the elements of a tree and to texts.
 * @throws StatementRefusal
 */
export class XmlTrees {
  readonly #parser = new SaxesParser({ xmlns: true });
  readonly #handler: XmlHandler;
  readonly #path: string[] = [];
  readonly #kept: XmlNode[] = [];
  /** Of the document that is open. */
  #namespace: string | undefined;
  /** Elements around it. */
  #around = 0;
  #documents = 0;
  #root: { readonly name: string; readonly namespace: string; readonly line: number } | undefined;
  #nodes = 0;
  #charactersSinceMark = 0;

  constructor(handler: XmlHandler) {
    this.#handler = handler;
    const parser = this.#parser;
    parser.on('error', (error) => {
      const what = error.message.replace(/^[\d:]+ */, '').split('\n', 1)[0] ?? '';
      throw new StatementRefusal('not_well_formed', `not well-formed XML: ${what.slice(0, 100)}`, this.line);
    });
    parser.on('doctype', () => {
      throw new StatementRefusal('doctype_refused', 'a DOCTYPE is not accepted', this.line);
    });
    parser.on('opentag', (tag) => {
      this.#charactersSinceMark = 0;
      this.#open(tag.local, tag.uri, tag.attributes.Ccy?.value);
    });
    parser.on('closetag', () => {
      this.#charactersSinceMark = 0;
      this.#close();
    });
    parser.on('text', (text) => this.#text(text));
    parser.on('cdata', (text) => this.#text(text));
  }

  get line(): number {
    return this.#parser.line;
  }

  write(text: string): void {
    // What lies between two marks is gathered by the parser, which knows no limit.
    this.#charactersSinceMark += text.length;
    this.#parser.write(text);
    if (this.#charactersSinceMark > XML_TEXT_MAX) {
      throw new StatementRefusal(
        'text_too_long',
        `more than ${XML_TEXT_MAX} characters without a mark`,
        this.line,
      );
    }
  }

  end(): void {
    this.#parser.close();
    if (this.#documents > 0 || this.#root === undefined) return;
    throw this.#unknown(this.#root.name, this.#root.namespace, this.#root.line);
  }

  #unknown(name: string, namespace: string, line: number): StatementRefusal {
    const { what } = this.#handler;
    return new StatementRefusal(
      'format_unknown',
      `<${shown(name)}> of "${shown(namespace)}" is not ${what}`,
      line,
    );
  }

  /** Whether the element is the document, and no longer one around it. */
  #enters(local: string, uri: string): boolean {
    this.#root ??= { name: local, namespace: uri, line: this.line };
    if (local === 'Document' && this.#handler.namespaces.test(uri)) {
      this.#namespace = uri;
      this.#documents += 1;
      return true;
    }
    if (local === 'Document' && (this.#around === 0 || ISO_20022.test(uri)))
      throw this.#unknown(local, uri, this.line);
    this.#around += 1;
    return false;
  }

  #open(local: string, uri: string, currency: string | undefined): void {
    if (this.#path.length + this.#around >= DEPTH_MAX) {
      throw new StatementRefusal('too_deep', `nested more than ${DEPTH_MAX} deep`, this.line);
    }
    if (this.#path.length === 0 && !this.#enters(local, uri)) return;
    this.#path.push(uri === this.#namespace ? local : FOREIGN);
    const apart = this.#handler.keeps(this.#path);
    const parent = this.#kept.at(-1);
    if (parent === undefined && !apart) {
      this.#handler.open(this.#path, this.line);
      return;
    }
    if (apart) this.#nodes = 0;
    this.#nodes += 1;
    if (this.#nodes > NODES_MAX) {
      throw new StatementRefusal('too_large', `more than ${NODES_MAX} elements in one payment`, this.line);
    }
    const node = { name: this.#path.at(-1) ?? '', line: this.line, currency, children: [], text: '' };
    if (!apart) parent?.children.push(node);
    this.#kept.push(node);
  }

  #close(): void {
    if (this.#path.length === 0) {
      this.#around -= 1;
      return;
    }
    const node = this.#kept.pop();
    if (node === undefined) this.#handler.close(this.#path, this.line);
    else if (this.#handler.keeps(this.#path)) {
      this.#nodes = 0;
      this.#handler.node(this.#path, node);
    }
    this.#path.pop();
  }

  #text(text: string): void {
    const node = this.#kept.at(-1);
    if (node !== undefined) node.text += text;
  }
}

/** The first element at a path below, such as `Id/IBAN`. */
export function at(node: XmlNode | undefined, path: string): XmlNode | undefined {
  let found = node;
  if (found === undefined) return undefined;
  if (!path.includes('/')) return childOf(found, path);
  for (const name of path.split('/')) {
    found = childOf(found, name);
    if (found === undefined) return undefined;
  }
  return found;
}

/** Asked some hundred times for each payment. */
function childOf(node: XmlNode, name: string): XmlNode | undefined {
  for (const child of node.children) if (child.name === name) return child;
  return undefined;
}

/** Every element at a path below. */
export function all(node: XmlNode | undefined, path: string): XmlNode[] {
  if (node === undefined) return [];
  let found = [node];
  for (const name of path.split('/')) {
    if (found.length === 0) return found;
    found = found.flatMap((each) => each.children.filter((child) => child.name === name));
  }
  return found;
}

/** Text of the first element that is there and not empty. */
export function textAt(node: XmlNode | undefined, ...paths: readonly string[]): string | null {
  for (const path of paths) {
    const text = at(node, path)?.text.trim();
    if (text) return text;
  }
  return null;
}

/** Text content of an element; control characters that XML 1.0 has no place for are not let in. */
export function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&apos;');
}

/** An element around others. */
export function tag(name: string, content: string): string {
  return `<${name}>${content}</${name}>`;
}

/** An element with a text. */
export function text(name: string, content: string): string {
  return tag(name, escapeXml(content));
}

/** An element with a text, where there is one. */
export function optional(name: string, content: string | null): string {
  return content === null ? '' : text(name, content);
}

/** An amount without its sign, with the currency's decimals. */
export function amountXml(name: string, minor: bigint, currency: string): string {
  const digits = formatAmount(minor < 0n ? -minor : minor, knownCurrency(currency));
  return `<${name} Ccy="${currency}">${digits}</${name}>`;
}

/** A document of ISO 20022, such as `camt.053.001.08`. */
export function documentXml(message: string, root: string, parts: readonly string[]): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Document xmlns="${ISO_20022_NAMESPACE}${message}"><${root}>${parts.join('\n')}</${root}></Document>\n`;
}

const ISO_20022_NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:';
