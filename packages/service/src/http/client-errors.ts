import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ProblemCode } from '@firmquote/api/problems';
import { httpDate, systemClock } from '../platform/clock.ts';
import { newRequestId } from '../platform/ids.ts';
import { Problem, problemBody } from '../problems/problem.ts';

/** What the HTTP parser refuses, by its code; everything else is no HTTP. */
const PARSER_CODES: Readonly<Record<string, readonly [ProblemCode, string]>> = {
  HPE_HEADER_OVERFLOW: [
    'headers_too_large',
    'The request line and the headers together may be at most 16 KiB.',
  ],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request was not complete within 30 seconds.'],
};

/**
 * Answers what never became a request, in the form of every other error. There is no address to name, so `instance`
 * is the root.
 */
export function answerClientErrors(baseUrl: () => string, headers: () => Readonly<Record<string, string>>) {
  return (error: Error & { readonly code?: string }, socket: Socket): void => {
    const response = (socket as Socket & { readonly _httpMessage?: ServerResponse | null })._httpMessage;
    // What comes behind a whole request must not be mistaken for the answer to that request.
    const isAnswering = response ? response.headersSent || response.req.complete : false;
    if (error.code === 'ECONNRESET' || isAnswering || !socket.writable) {
      socket.destroy();
      return;
    }
    const [code, detail] = PARSER_CODES[error.code ?? ''] ?? [
      'malformed_request',
      'This is not a valid HTTP request.',
    ];
    const problem = new Problem(code, detail);
    const requestId = newRequestId();
    const body = JSON.stringify(problemBody(problem, { baseUrl: baseUrl(), instance: '/', requestId }));
    socket.end(
      [
        `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
        `Date: ${httpDate(systemClock.now())}`,
        'Content-Type: application/problem+json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(body)}`,
        `X-Request-Id: ${requestId}`,
        ...Object.entries(headers()).map(([name, value]) => `${name}: ${value}`),
        'Connection: close',
        '',
        body,
      ].join('\r\n'),
    );
  };
}
