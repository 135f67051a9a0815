import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import type * as z from 'zod'
import { writePrivately } from '../private-file.ts'

/** Where the receiver and the mail inbox keep what they got, in the local world's folder. */
export const KEPT_EVENTS = 'events.jsonl'
export const KEPT_MAILS = 'mails.jsonl'

/** How many are kept: enough for a page. The oldest are dropped first. */
const KEPT = 1000

/** Where arrivals outlive the world: a file with a line of JSON for each, and what such a line must be. */
export interface KeptIn<Item> {
  path: string
  schema: z.ZodType<Item>
}

/** What has arrived, oldest first, and a way to wait for more. Without a file all is gone at the end. */
export function createArrivals<Item>(keptIn?: KeptIn<Item>) {
  const items: Item[] = keptIn ? readKept(keptIn) : []
  const waiting = new Set<() => void>()
  if (keptIn && items.length > 0) writePrivately(keptIn.path, items.map(toLine).join(''))

  function add(item: Item): void {
    items.push(item)
    if (items.length > KEPT) items.shift()
    if (keptIn) appendFileSync(keptIn.path, toLine(item), { mode: 0o600 })
    for (const look of waiting) look()
  }

  /** Resolves to what `find` finds, now or when more has arrived; rejects with `failure` after `timeoutMs`. */
  function waitFor(find: (items: Item[]) => Item | undefined, timeoutMs: number, failure: string): Promise<Item> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        waiting.delete(look)
        reject(new Error(`${failure} within ${timeoutMs} ms`))
      }, timeoutMs)
      const look = () => {
        const found = find(items)
        if (found === undefined) return
        clearTimeout(timer)
        waiting.delete(look)
        resolve(found)
      }
      waiting.add(look)
      look()
    })
  }

  return { items, add, waitFor }
}

const toLine = (item: unknown) => `${JSON.stringify(item)}\n`

/** The latest of what the file has. A line that a crash has cut short, or that another version has written, is left out. */
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
