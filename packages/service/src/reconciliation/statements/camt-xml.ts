import { SaxesParser } from 'saxes';
import { DEPTH_MAX, NODES_MAX, XML_TEXT_MAX } from './limits.ts';
import { StatementRefusal } from './refusal.ts';

/** An element that is kept until it is read. Names are local names of the document's own namespace. */
export interface XmlNode {
  readonly name: string;
  readonly line: number;
  readonly currency: string | undefined;
  readonly children: XmlNode[];
  text: string;
}

export interface XmlHandler {
  /** The root element. */
  root(name: string, namespace: string, line: number): void;
  /** An element above those that are kept opens or closes; `path` has it last. */
  open(path: readonly string[], line: number): void;
  close(path: readonly string[], line: number): void;
  /** Whether the element that opens here is kept as a tree. Inside a kept one: whether it is handed over apart. */
  keeps(path: readonly string[]): boolean;
  /** A kept element is complete. It is dropped afterwards. */
  node(path: readonly string[], node: XmlNode): void;
}

/** Stands for elements of other namespaces, so that no lookup finds them. */
const FOREIGN = '{other}';

/**
 * Reads XML as it comes and hands it over in small trees, so that a file of any size takes the memory of one payment.
 * No DOCTYPE (and with it no entities of the file's own), and limits to depth, to the elements of a tree and to texts.
 * @throws StatementRefusal
 */
export class XmlTrees {
  readonly #parser = new SaxesParser({ xmlns: true });
  readonly #handler: XmlHandler;
  readonly #path: string[] = [];
  readonly #kept: XmlNode[] = [];
  #namespace: string | undefined;
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
  }

  #open(local: string, uri: string, currency: string | undefined): void {
    const isRoot = this.#path.length === 0;
    this.#namespace ??= uri;
    this.#path.push(uri === this.#namespace ? local : FOREIGN);
    if (this.#path.length > DEPTH_MAX) {
      throw new StatementRefusal('too_deep', `nested more than ${DEPTH_MAX} deep`, this.line);
    }
    if (isRoot) this.#handler.root(local, uri, this.line);
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
