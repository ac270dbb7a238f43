import type { Register } from '../kit.ts';

export const register: Register = (group, kit) => {
  group
    .description(
      [
        'Serve rates, quotes, transactions and the sandbox to an assistant, over stdin and stdout (Model Context Protocol).',
        '',
        'An assistant can look, and nothing else, unless it is started with --allow-trading. Then each execution needs the quote',
        'and exactly its amounts.',
      ].join('\n'),
    )
    .option(
      '--allow-trading',
      'Let the assistant ask for firm quotes, execute and cancel them, and move the sandbox',
    )
    .action(
      kit.run(async (cli, _args, options) => {
        const { serveAssistant } = await import('../mcp/serve.ts');
        await serveAssistant(cli, options.allowTrading === true);
      }),
    );
};
