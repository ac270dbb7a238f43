/** A file as it was when somebody chose it. */
export interface ChosenFile {
  readonly name: string;
  /** As they are: what reads them as text would put other characters in the place of what it cannot read, and nobody would know. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The same for the same file, so that it is sent again as the same. */
  readonly mark: string;
}

export async function readChosen(file: File): Promise<ChosenFile> {
  const { name, size, lastModified } = file;
  return { name, bytes: new Uint8Array(await file.arrayBuffer()), mark: `${name} ${size} ${lastModified}` };
}
