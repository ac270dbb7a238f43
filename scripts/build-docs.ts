// Makes the documentation that the service serves, ahead of its first start: for images, and where nothing can be written later.
//   npm run docs
import { performance } from 'node:perf_hooks';
import { KEPT, site } from '@firmquote/site/kept';

const files = await site();
const bytes = files.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
console.log(
  `${files.length} files, ${Math.round(bytes / 1024)} KiB, in ${Math.round(performance.now())} ms: ${KEPT}`,
);
