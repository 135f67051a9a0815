import { expect, test } from 'vitest'
import type { Reply } from './call.ts'

/** A row of a table of the contract: its name, the request, and what must be in the answer. */
export type Row = [row: string, ask: () => Promise<Reply>, status: number, body: string | Record<string, unknown>]

/** One test a row; a body that is a text is the `error`. */
export function testRows(rows: Row[]): void {
  test.each(rows)('%s', async (_row, ask, status, body) => {
    expect(await ask()).toMatchObject({ status, body: typeof body === 'string' ? { error: body } : body })
  })
}
