import type { Report } from '@firmquote/client/operator';
import { operator } from '../api/session.ts';
import { Actor } from '../parts/actor.tsx';
import { DownloadLink } from '../parts/download-link.tsx';
import type { Column } from '../parts/listing.tsx';
import { copy } from '../parts/states.tsx';
import { At, Status, Verbatim, words } from '../parts/text.tsx';
import { coversInWords } from './covers.ts';

/** What is told of a report, whoever asked for it. */
export const REPORT_COLUMNS: readonly Column<Report>[] = [
  { name: 'Requested', cell: ({ createdAt }) => <At at={createdAt} /> },
  { name: 'Report', cell: ({ report, format }) => `${words(report.replaceAll('-', ' '))}, ${format}` },
  {
    name: 'Covers',
    isText: true,
    cell: ({ parameters }) => coversInWords(parameters),
  },
  { name: 'By', cell: ({ requestedBy }) => <Actor id={requestedBy} /> },
  {
    name: 'State',
    cell: ({ status, failure, balanced }) => (
      <>
        <Status of={status} mood={status === 'completed' ? 'ok' : status === 'failed' ? 'bad' : 'idle'} />
        {failure !== null && <Verbatim text={` ${failure}`} />}
        {balanced === false && <Status of="does not add up" mood="bad" />}
      </>
    ),
  },
  { name: 'Rows', isNumber: true, cell: ({ rows }) => rows },
  { name: 'Bytes', isNumber: true, cell: ({ bytes }) => bytes },
  {
    name: 'SHA-256',
    cell: ({ sha256 }) =>
      sha256 === null ? (
        '–'
      ) : (
        <button type="button" className="plain mono" title={sha256} onClick={() => void copy(sha256)}>
          {sha256.slice(0, 12)}… <span className="hidden">copy the checksum</span>
        </button>
      ),
  },
  {
    name: 'File',
    cell: ({ reportId, contentUrl, expiresAt }) =>
      contentUrl === null ? (
        '–'
      ) : (
        <DownloadLink
          reads="downloadReport"
          ask={() => operator.getReport(reportId)}
          href={contentUrl}
          title={`Kept until ${expiresAt}`}
        >
          Download
        </DownloadLink>
      ),
  },
];
