import { LeadlineError } from "./errors.js";
import type { CallOptions } from "./http.js";

/**
 * Returns a method that yields the rows of all pages of a list. A page is requested when the
 * rows before it are consumed, so that no request is made for rows that nobody reads. `next` is
 * the property of a page that has the `cursor` of the query for the page after it.
 */
export function pages<
  Query extends object,
  Rows extends string,
  Next extends string,
  Page extends Record<Rows, readonly unknown[]> & Record<Next, unknown>,
>(
  list: (query?: Query, call?: CallOptions) => Promise<Page>,
  rows: Rows,
  next: Next,
  cursor: keyof Query,
): (query?: Query, call?: CallOptions) => AsyncGenerator<Page[Rows][number], void, undefined> {
  return async function* (query, call) {
    for (;;) {
      const page = await list(query, call);
      yield* page[rows];
      const following = page[next];
      if (following == null) return;
      if (following === (query?.[cursor] as unknown)) {
        throw new LeadlineError(`${next} names the same page`);
      }
      query = { ...query, [cursor]: following } as Query;
    }
  };
}
