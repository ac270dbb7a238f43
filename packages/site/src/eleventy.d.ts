/** What the site uses of Eleventy, which brings no types. */
declare module '@11ty/eleventy' {
  export interface Rendered {
    readonly url: string;
    readonly inputPath: string;
    readonly content: string;
  }
  export interface UserConfig {
    readonly ignores: Set<string>;
    setUseGitIgnore(use: boolean): void;
    addTemplate(path: string, content: unknown, data?: object): void;
    addGlobalData(name: string, value: unknown): void;
    amendLibrary(name: 'md', amend: (library: never) => void): void;
  }
  export default class Eleventy {
    constructor(
      input: string,
      output: string,
      options: { readonly quietMode: boolean; readonly config: (config: UserConfig) => object },
    );
    toJSON(): Promise<readonly Rendered[]>;
  }
}
declare module 'prismjs' {
  const prism: {
    readonly languages: Readonly<Record<string, object | undefined>>;
    highlight(code: string, grammar: object, language: string): string;
  };
  export default prism;
}
