/**
 * The response with a body that says when it was read to its end, or is not read any further.
 * @param end may be called more than once
 */
export function leftBody(response: Response, end: () => void): Response {
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
