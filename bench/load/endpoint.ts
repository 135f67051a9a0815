import { randomUUID } from 'node:crypto'
import type { Calls, Sent } from './closed-loop.ts'
import type { Person, Scene } from './scene.ts'

/** A kind of request that is measured. */
export interface Endpoint {
  name: string
  /** 200, unless what is measured is a redirect or a refusal. */
  expected?: number
  /** Whether the processor is asked about the person: it knows none of those that were filled into the database. */
  asksProcessor?: true
  /** Whether what is sent works once only: the database cannot be called with the same again. */
  worksOnce?: true
  /** The next request, about one of the people. */
  request?(scene: Scene, person: Person): Sent
  /** All requests, where one needs what an earlier one was answered. */
  calls?(scene: Scene): Promise<Calls>
}

/** The calls of an endpoint, about one of the people after the other. */
export async function callsOf(endpoint: Endpoint, scene: Scene): Promise<Calls> {
  if (endpoint.calls) return endpoint.calls(scene)
  const people = endpoint.asksProcessor ? scene.buyers : scene.people
  let turn = 0
  return {
    next() {
      const person = people[turn++ % people.length]
      if (!person || !endpoint.request) throw new Error(`${endpoint.name} has nobody to ask about, or no request`)
      return endpoint.request(scene, person)
    },
  }
}

export const expectedOf = ({ expected = 200 }: Endpoint): number => expected

export const api = ({ paywallId }: Pick<Scene, 'paywallId'>) => `/api/v1/paywall/${paywallId}`

export const newEmail = () => `new-${randomUUID()}@bench.example`

export const post = (path: string, body: unknown, headers: Record<string, string> = {}): Sent => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})
