/** What is served at an address. */
export interface SiteFile {
  readonly path: string;
  readonly type: string;
  readonly content: string;
  /** Another content would have another address. */
  readonly isImmutable: boolean;
}

/** Answered where there is nothing. */
export const NOT_FOUND_PATH = '/docs/not-found';
