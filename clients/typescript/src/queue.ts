/** Calls of a client that run at a time. */
const MOST_CALLS = 32;

/**
 * Returns a function that runs calls, at most 32 at a time. The others wait, and begin in the order
 * in which they were made. A call whose signal aborts while it waits is not made: it rejects with
 * the reason of the signal.
 */
export function queue(): <T>(
  call: () => Promise<T>,
  signal: AbortSignal | undefined,
) => Promise<T> {
  let running = 0;
  const waiting = new Set<() => void>();
  const turn = (signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      signal?.throwIfAborted();
      const end = () => {
        waiting.delete(begin);
        signal?.removeEventListener("abort", leave);
      };
      const begin = () => {
        end();
        resolve();
      };
      const leave = () => {
        end();
        reject(signal!.reason);
      };
      waiting.add(begin);
      signal?.addEventListener("abort", leave);
    });
  return async (call, signal) => {
    if (running < MOST_CALLS) running++;
    else await turn(signal);
    try {
      return await call();
    } finally {
      const [begin] = waiting;
      if (begin) begin(); // in the place of this call
      else running--;
    }
  };
}
