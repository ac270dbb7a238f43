import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Paths of files. */
export interface Certificate {
  readonly key: string;
  readonly certificate: string;
  /** Key and certificate, as HAProxy reads them. */
  readonly both: string;
}

/** A key and a certificate of its own for 127.0.0.1, by openssl. */
export function makeCertificate(folder: string): Certificate {
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const made = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
    ...['-subj', '/CN=fx.example.com', '-addext', 'subjectAltName=IP:127.0.0.1'],
    ...['-keyout', key, '-out', certificate],
  ]);
  assert.equal(made.status, 0, String(made.stderr));
  const both = join(folder, 'both.pem');
  writeFileSync(both, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'));
  return { key, certificate, both };
}
