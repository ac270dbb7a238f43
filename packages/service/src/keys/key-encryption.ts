import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto';

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Names a key encryption key without giving it away: the first 8 bytes of its SHA-256, in hex. */
export function keyFingerprint(key: Buffer): string {
  return hash('sha256', key, 'hex').slice(0, 16);
}

/**
 * AES-256-GCM (NIST SP 800-38D) with a random nonce.
 * @param label authenticated with the text, so that a row cannot take another row's ciphertext
 * @returns nonce, tag and ciphertext, in this order
 */
export function encrypt(key: Buffer, plaintext: Buffer, label: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.from(label));
  const ciphertext = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]);
}

/** @throws when the key or the label is another one, or the text was changed */
export function decrypt(key: Buffer, sealed: Buffer, label: string): Buffer {
  const nonce = sealed.subarray(0, NONCE_BYTES);
  const decipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.from(label));
  decipher.setAuthTag(sealed.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]);
}
