import * as z from 'zod'
import type { Calls } from './closed-loop.ts'
import type { Endpoint } from './endpoint.ts'
import { callApi, type Scene } from './scene.ts'

const Page = z.object({ next_cursor: z.string(), has_more: z.boolean() })

/** Reading the events of an owner: by a backend that polls, and by one that catches up. */
export const LIST_EVENTS: Endpoint[] = [
  {
    name: 'list events, nothing new',
    calls: callsAfterAll,
  },
  {
    name: 'list events, the oldest 100',
    request: ({ key }) => list(key),
  },
]

const PATH = '/api/v1/events'

const list = (key: string, query = '') => ({ method: 'GET', path: `${PATH}${query}`, headers: { 'x-api-key': key } })

/** Reads all events first. */
async function callsAfterAll({ url, key }: Scene): Promise<Calls> {
  let query = ''
  let hasMore = true
  while (hasMore) {
    const page = Page.parse(await callApi(`${url}${PATH}${query}`, { key }))
    query = `?after=${page.next_cursor}`
    hasMore = page.has_more
  }
  return { next: () => list(key, query) }
}
