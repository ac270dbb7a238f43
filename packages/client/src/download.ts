/** A file that the service answers with. Read it once, in one of these ways. */
export class Download {
  readonly contentType: string;
  /** As the service suggests it. */
  readonly fileName: string | undefined;
  readonly #response: Response;

  constructor(response: Response) {
    this.contentType = response.headers.get('content-type') ?? '';
    this.fileName = /filename="?([^";]+)/.exec(response.headers.get('content-disposition') ?? '')?.[1];
    this.#response = response;
  }

  /** For files of any size. */
  stream(): ReadableStream<Uint8Array> {
    return this.#response.body ?? new ReadableStream({ start: (controller) => controller.close() });
  }

  async bytes(): Promise<Uint8Array> {
    return new Uint8Array(await this.#response.arrayBuffer());
  }

  text(): Promise<string> {
    return this.#response.text();
  }
}
