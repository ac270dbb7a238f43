// biome-ignore lint/suspicious/noExplicitAny: documents are looked into freely
export type Document = any;

/** The API document with what its references stand for in their place; a description beside one stays. */
export function resolved(document: Document): Document {
  const resolve = (value: Document): Document => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...rest } = value;
    const own = Object.fromEntries(Object.entries(rest).map(([name, member]) => [name, resolve(member)]));
    return typeof $ref === 'string' ? { ...resolve(targetOf(document, $ref)), ...own } : own;
  };
  return resolve(document);
}

function targetOf(document: Document, ref: string): Document {
  const target = ref
    .split('/')
    .slice(1)
    .reduce((part, name) => part?.[name], document);
  if (target === undefined) throw new Error(`${ref} leads nowhere`);
  return target;
}
