import { useRef } from 'react';

/** What a page sends; the watched folder and the command line take more. */
export const FILE_MAX_BYTES = 100 * 1024 * 1024;

/** A button behind which a file is chosen. */
export function ChooseFile({
  label,
  about,
  isFirst = false,
  isBusy = false,
  take,
}: {
  readonly label: string;
  /** What the file is. */
  readonly about: string;
  readonly isFirst?: boolean;
  readonly isBusy?: boolean;
  readonly take: (files: FileList | null) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={input}
        type="file"
        className="hidden"
        tabIndex={-1}
        aria-label={about}
        onChange={({ target }) => {
          take(target.files);
          target.value = '';
        }}
      />
      <button
        type="button"
        className={isFirst ? 'button first' : 'button'}
        aria-disabled={isBusy}
        onClick={() => !isBusy && input.current?.click()}
      >
        {label}
      </button>
    </>
  );
}

/** The one file that was chosen, or what is wrong; neither where nothing was. */
export interface Chosen {
  readonly file?: File;
  readonly wrong?: string;
}

export function chosenOf(files: FileList | null): Chosen {
  const [file, ...others] = files ?? [];
  if (file === undefined) return {};
  const wrong = others.length > 0 ? 'Choose one file at a time.' : whyNot(file);
  return wrong === undefined ? { file } : { wrong };
}

function whyNot({ name, size }: File): string | undefined {
  if (size === 0) return `${name} is empty.`;
  if (size > FILE_MAX_BYTES)
    return `${name} is ${sizeText(size)}; this page sends at most ${sizeText(FILE_MAX_BYTES)}. Put it in the watched folder.`;
  return undefined;
}

export function sizeText(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB'];
  const unit = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  return `${Math.round(bytes / 1024 ** unit)} ${units[unit]}`;
}
