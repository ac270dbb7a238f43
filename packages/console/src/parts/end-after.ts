/** So many hours after something was sent first. In real time, as secrets end. */
export function endAfter(hours: string | undefined, begunAt: number): string | undefined {
  if (hours === undefined || hours === '') return undefined;
  return new Date(begunAt + Number.parseInt(hours, 10) * 3_600_000).toISOString();
}
