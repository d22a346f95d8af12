import { LeadlineError } from "./errors.js";

/**
 * Yields the rows of all pages. A page is requested when the rows before it are consumed, so
 * that no request is made for rows that nobody reads.
 */
export async function* pages<Row, Cursor extends number | string, Page>(
  first: Cursor | undefined,
  fetchPage: (cursor: Cursor | undefined) => Promise<Page>,
  rows: (page: Page) => readonly Row[],
  next: (page: Page) => Cursor | null,
): AsyncGenerator<Row, void, undefined> {
  for (let cursor = first; ;) {
    const page = await fetchPage(cursor);
    yield* rows(page);
    const following = next(page);
    if (following == null) return;
    if (following === cursor) throw new LeadlineError(`page ${cursor} names itself as the next`);
    cursor = following;
  }
}
