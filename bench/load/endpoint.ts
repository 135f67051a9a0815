import { randomUUID } from 'node:crypto'
import type { Calls, Sent } from './closed-loop.ts'
import type { Person, Scene } from './scene.ts'

/** A measured kind of request. */
export interface Endpoint {
  name: string
  /** The expected status, by default 200. */
  expected?: number
  /** Whether it calls the processor about the person, which does not know filled users. */
  callsProcessor?: true
  /** Whether the request works only once, so that its statements cannot be repeated. */
  worksOnce?: true
  /** The next request, about one of the people. */
  request?(scene: Scene, person: Person): Sent
  /** All requests, if they depend on earlier responses. */
  calls?(scene: Scene): Promise<Calls>
}

/** The calls of an endpoint, for each person in turn. */
export async function createCalls(endpoint: Endpoint, scene: Scene): Promise<Calls> {
  if (endpoint.calls) return endpoint.calls(scene)
  const people = endpoint.callsProcessor ? scene.buyers : scene.people
  let turn = 0
  return {
    next() {
      const person = people[turn++ % people.length]
      if (!person || !endpoint.request) throw new Error(`${endpoint.name} has nobody to ask about, or no request`)
      return endpoint.request(scene, person)
    },
  }
}

export const expectedStatus = ({ expected = 200 }: Endpoint): number => expected

export const api = ({ paywallId }: Pick<Scene, 'paywallId'>) => `/api/v1/paywall/${paywallId}`

export const newEmail = () => `new-${randomUUID()}@bench.example`

export const post = (path: string, body: unknown, headers: Record<string, string> = {}): Sent => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})
