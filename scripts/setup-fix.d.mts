/** Returns the exit code: 0, or what went wrong. */
export function setUpFix(): Promise<number>;
