import { expect, test } from 'vitest'
import type { Reply } from './call.ts'

/** A row of a table of the contract: its name, the request, and what the response must contain. */
export type Row = [row: string, ask: () => Promise<Reply>, status: number, body: string | Record<string, unknown>]

/** Runs one test per row. A body that is a string is the expected `error`. */
export function testRows(rows: Row[]): void {
  test.each(rows)('%s', async (_row, ask, status, body) => {
    expect(await ask()).toMatchObject({ status, body: typeof body === 'string' ? { error: body } : body })
  })
}
