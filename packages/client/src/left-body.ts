import type { FirmquoteError } from './errors.ts';

/**
 * The response with a body that says when it was read to its end, or is not read any further.
 * @param end may be called more than once
 * @param faultOf what whoever reads is told of a body that breaks off
 */
export function leftBody(
  response: Response,
  end: () => void,
  faultOf: (error: unknown) => { readonly error: FirmquoteError },
): Response {
  const reader = response.body?.getReader();
  if (reader === undefined) {
    end();
    return response;
  }
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      let isOver = true;
      try {
        const { done, value } = await reader.read();
        isOver = done;
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        throw faultOf(error).error;
      } finally {
        if (isOver) end();
      }
    },
    cancel(reason) {
      end();
      return reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
