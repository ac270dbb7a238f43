import type { Register } from '../kit.ts';

export const register: Register = (group, kit) => {
  group
    .description(
      [
        'Serve rates, quotes, transactions and the sandbox to an assistant, over stdin and stdout (Model Context Protocol).',
        '',
        'The assistant can only look, unless you start it with --allow-trading. Then each execution needs the quote',
        'and its exact amounts.',
      ].join('\n'),
    )
    .option(
      '--allow-trading',
      'Let the assistant request, execute and cancel firm quotes, and control the sandbox',
    )
    .action(
      kit.run(async (cli, _args, options) => {
        const { serveAssistant } = await import('../mcp/serve.ts');
        await serveAssistant(cli, options.allowTrading === true);
      }),
    );
};
