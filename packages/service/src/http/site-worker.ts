import { parentPort } from 'node:worker_threads';
import { site } from '@firmquote/site/kept';
import { preparePublicDocument } from './public-document.ts';
import type { PreparedSite } from './site.ts';

/** Runs in a thread of its own: making the site takes two seconds, and reading it a tenth of one. */

const prepared: PreparedSite = await Promise.all(
  (await site()).map(async ({ path, type, content, isImmutable }) => ({
    path,
    isImmutable,
    document: await preparePublicDocument(type, content),
  })),
);
parentPort?.postMessage(prepared);
