import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type * as z from 'zod'
import { writePrivately } from '../private-file.ts'

/** The files in the local world's folder in which the receiver and the mail inbox keep what arrived. */
export const KEPT_EVENTS = 'events.jsonl'
export const KEPT_MAILS = 'mails.jsonl'

/** How many items are kept. The oldest are dropped first. */
const KEPT = 1000

/** A file with a line of JSON for each item, and the schema of a line. */
export interface KeptIn<Item> {
  path: string
  schema: z.ZodType<Item>
}

/** A list of what arrived, oldest first, that one can wait on. Without a file it is lost at the end. */
export function createArrivals<Item>(keptIn?: KeptIn<Item>) {
  const items: Item[] = keptIn ? readKept(keptIn) : []
  const waiting = new Set<() => void>()
  if (keptIn && items.length > 0) writePrivately(keptIn.path, items.map(toLine).join(''))

  function add(item: Item): void {
    items.push(item)
    if (items.length > KEPT) items.shift()
    if (keptIn) appendFileSync(keptIn.path, toLine(item), { mode: 0o600 })
    for (const check of waiting) check()
  }

  /** Resolves to the result of `find`, now or once more has arrived; rejects with `failure` after `timeoutMs`. */
  function waitFor(find: (items: Item[]) => Item | undefined, timeoutMs: number, failure: string): Promise<Item> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(check)
        reject(new Error(`${failure} within ${timeoutMs} ms`))
      }, timeoutMs)
      const check = () => {
        const found = find(items)
        if (found === undefined) return
        clearTimeout(timer)
        waiting.delete(check)
        resolve(found)
      }
      waiting.add(check)
      check()
    })
  }

  return { items, add, waitFor }
}

const toLine = (item: unknown) => `${JSON.stringify(item)}\n`

/** Reads the latest items. Skips lines that a crash truncated or another version wrote. */
function readKept<Item>({ path, schema }: KeptIn<Item>): Item[] {
  if (!existsSync(path)) return []
  const lines = readFileSync(path, 'utf8').trim().split('\n')
  return lines.slice(-KEPT).flatMap((line) => {
    const item = schema.safeParse(parsed(line))
    return item.success ? [item.data] : []
  })
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}
