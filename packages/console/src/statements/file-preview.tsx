import type { CsvMapping, StatementFilePreview } from '@firmquote/client/operator';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type Column, Table } from '../parts/listing.tsx';
import { View } from '../parts/states.tsx';
import { Money, Verbatim, words } from '../parts/text.tsx';
import { ChooseFile, chosenOf } from './choose-file.tsx';
import { AMOUNT } from './entry-columns.tsx';
import { foundIn, previewOf, type ReadBy } from './preview.ts';

/** What an import of a file would read, or why it would refuse it. */
export function FilePreview({ file, by }: { readonly file: File; readonly by: ReadBy }) {
  const { name, size, lastModified } = file;
  const query = useQuery({
    queryKey: ['statement-preview', name, size, lastModified, by],
    queryFn: () => previewOf(file, by),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  return (
    <section className="stack" aria-label="Preview">
      <View query={query}>{(preview) => <Found of={preview} />}</View>
    </section>
  );
}

function Found({ of }: { readonly of: StatementFilePreview }) {
  const { refusal, receivedBefore, firstStatements, firstPayments } = of;
  const [same] = firstStatements.filter(({ importedIn }) => importedIn !== null);
  return (
    <>
      <p role="status">
        <b>
          <Verbatim text={of.name} />
        </b>
        : {foundIn(of)}
        {of.mapping !== null && ` Read by the mapping ${of.mapping}.`}
      </p>
      {refusal !== null && (
        <div className="callout bad" role="alert">
          <h2>It would be refused: {words(refusal.reason)}</h2>
          <p>
            {refusal.line !== null && <b>Line {refusal.line}: </b>}
            <Verbatim text={refusal.detail} />
          </p>
        </div>
      )}
      {receivedBefore !== null ? (
        <p className="hint">This file was sent before, and {receivedBefore.status}.</p>
      ) : (
        same !== undefined && <p className="hint">A statement in it was imported before.</p>
      )}
      {firstStatements.length > 0 && (
        <Table
          label="Statements in the file"
          items={firstStatements}
          idOf={({ line, account, currency }) => `${line} ${account} ${currency}`}
          columns={STATEMENTS}
        />
      )}
      {firstPayments.length > 0 && (
        <Table
          label="First entries in the file"
          items={firstPayments.map((payment, at) => ({ ...payment, at }))}
          idOf={({ at }) => String(at)}
          columns={PAYMENTS}
        />
      )}
    </>
  );
}

type Statement = StatementFilePreview['firstStatements'][number];
type Payment = StatementFilePreview['firstPayments'][number];

const STATEMENTS: readonly Column<Statement>[] = [
  {
    name: 'Account',
    isText: true,
    cell: ({ account, ownAccount, setAside }) => (
      <>
        <Verbatim text={account} />
        {setAside !== null
          ? `, not booked: ${words(setAside.reason)}`
          : ownAccount
            ? ''
            : ", not the house's"}
      </>
    ),
  },
  { name: 'Number', cell: ({ number, reference }) => number ?? reference ?? '–' },
  {
    name: 'Opening',
    isNumber: true,
    cell: ({ opening }) => (opening === null ? '–' : <Money {...opening} />),
  },
  {
    name: 'Closing',
    isNumber: true,
    cell: ({ closing }) => (closing === null ? '–' : <Money {...closing} />),
  },
  { name: 'Entries', isNumber: true, cell: ({ entries }) => entries },
  {
    name: 'Imported',
    cell: ({ importedIn }) => (importedIn === null ? 'Not yet' : 'Before'),
  },
];

const PAYMENTS: readonly Column<Payment>[] = [
  { name: 'Line', isNumber: true, cell: ({ line }) => line },
  { name: 'Booked', cell: ({ bookingDate }) => bookingDate },
  { name: 'Value date', cell: ({ valueDate }) => valueDate },
  AMOUNT,
  { name: 'Other party', isText: true, cell: ({ counterpartyName }) => said(counterpartyName) },
  {
    name: 'Text',
    isText: true,
    cell: ({ structuredReferences, remittanceText }) =>
      said([...structuredReferences, remittanceText].filter((each) => each !== null).join(' ') || null),
  },
  {
    name: 'References',
    isText: true,
    cell: ({ bankReference, endToEndId, uetr }) =>
      said([bankReference, endToEndId, uetr].filter((each) => each !== null).join(', ') || null),
  },
];

function said(text: string | null) {
  return text === null ? '–' : <Verbatim text={text} />;
}

/** A file that a mapping is tried on as it stands in its form, kept or not. */
export function TryMapping({ mapping }: { readonly mapping: CsvMapping }) {
  const [tried, look] = useState<{ readonly file: File; readonly draft: CsvMapping }>();
  const [wrong, setWrong] = useState<string>();
  const hasChanged = tried !== undefined && JSON.stringify(tried.draft) !== JSON.stringify(mapping);
  return (
    <div className="stack">
      <div className="actions">
        <ChooseFile
          label="Try it on a file …"
          about="File to try the mapping on"
          take={(files) => {
            const { file, wrong: why } = chosenOf(files);
            setWrong(why);
            if (file !== undefined) look({ file, draft: mapping });
          }}
        />
        {hasChanged && (
          <button type="button" className="button" onClick={() => look({ ...tried, draft: mapping })}>
            Read it again
          </button>
        )}
        <span className="hint">Nothing of the file is kept.</span>
      </div>
      {wrong !== undefined && (
        <p className="wrong" role="alert">
          {wrong}
        </p>
      )}
      {tried !== undefined && <FilePreview file={tried.file} by={{ draft: tried.draft }} />}
    </div>
  );
}
