// npm run client-for -- python|go|java FOLDER
import { existsSync, readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import process from 'node:process';
import { generateClient, LANGUAGES } from './generate.ts';

function main([name, folder, ...more]: readonly string[]): number {
  const language = LANGUAGES.find((each) => each === name);
  if (language === undefined || folder === undefined || more.length > 0) {
    process.stderr.write(`Usage: npm run client-for -- ${LANGUAGES.join('|')} FOLDER\n`);
    return 2;
  }
  const path = resolve(folder);
  if (existsSync(path) && readdirSync(path).length > 0) {
    process.stderr.write(`${path} is not empty; name a folder that is, or that does not exist yet.\n`);
    return 2;
  }
  try {
    generateClient(language, path);
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const said = isMissing ? 'There is no java; install a Java 11 or later.' : (error as Error).message;
    process.stderr.write(`${said}\n`);
    return 1;
  }
  process.stdout.write(`The client is in ${path}.\n`);
  return 0;
}

process.exitCode = main(process.argv.slice(2));
