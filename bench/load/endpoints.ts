import { randomUUID } from 'node:crypto'
import type { Sent } from './closed-loop.ts'
import { RETURN } from './paywall-file.ts'
import type { Person, Scene } from './scene.ts'

/** A kind of request that is measured. */
export interface Endpoint {
  name: string
  /** 200, unless what is measured is a refusal. */
  expected?: number
  /** Whether the processor is asked about the person: it knows none of those that were filled into the database. */
  asksProcessor?: true
  /** The next request, about one of the people. */
  request(scene: Scene, person: Person): Sent
}

const api = ({ paywallId }: Scene) => `/api/v1/paywall/${paywallId}`

const bearer = ({ token }: Person) => ({ authorization: `Bearer ${token}` })

const newEmail = () => `new-${randomUUID()}@bench.example`

const post = (path: string, body: unknown, headers: Record<string, string> = {}): Sent => ({
  method: 'POST',
  path,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
})

const changeBalance = (op: 'credit' | 'debit', scene: Scene, person: Person, headers: Record<string, string> = {}) =>
  post(
    `${api(scene)}/balances`,
    { op, amount: 1, type: 'standard', user_id: person.id },
    { 'x-api-key': scene.key, ...headers },
  )

/** Every endpoint that a caller waits for, in the order of the contract. Paths and bodies are the contract's. */
export const ENDPOINTS: Endpoint[] = [
  {
    name: 'gateway alone',
    expected: 404,
    request: () => ({ method: 'GET', path: '/no-such-path' }),
  },
  {
    name: 'bootstrap from cache',
    request: (scene) => ({ method: 'GET', path: `${api(scene)}/bootstrap` }),
  },
  {
    name: 'bootstrap by Bearer',
    request: (scene, person) => ({ method: 'GET', path: `${api(scene)}/bootstrap`, headers: bearer(person) }),
  },
  {
    name: 'start-checkout',
    request: (scene) =>
      post(
        `${api(scene)}/start-checkout`,
        { email: newEmail(), priceId: scene.priceId, ...RETURN },
        { 'x-api-key': scene.key, 'idempotency-key': randomUUID() },
      ),
  },
  {
    name: 'user by key',
    request: (scene, { id }) => ({
      method: 'GET',
      path: `${api(scene)}/user?user_id=${id}`,
      headers: { 'x-api-key': scene.key },
    }),
  },
  {
    name: 'user by Bearer',
    request: (scene, person) => ({
      method: 'GET',
      path: `${api(scene)}/user`,
      headers: { ...bearer(person), 'x-client-ip': '8.8.8.8' },
    }),
  },
  {
    // A subscription ends once, so what can be repeated is the refusal: it takes the same way to the same statement.
    name: 'cancel, refused',
    expected: 404,
    request: ({ key, paywallId }, { id }) =>
      post(
        '/api/paywall/cancel-subscription',
        { subscriptionId: randomUUID(), paywallId, userId: id, cancellationReason: 'bench' },
        { 'x-api-key': key },
      ),
  },
  {
    name: 'customer portal',
    asksProcessor: true,
    request: (scene, { email }) => post(`${api(scene)}/get-customer-portal`, { email }, { 'x-api-key': scene.key }),
  },
  {
    name: 'support ticket',
    request: (scene) =>
      post(`${api(scene)}/support/ticket`, {
        subject: 'It does not load',
        content: 'I paid and see nothing.',
        customer_email: newEmail(),
      }),
  },
  {
    name: 'credit',
    request: (scene, person) => changeBalance('credit', scene, person),
  },
  {
    name: 'debit',
    request: (scene, person) => changeBalance('debit', scene, person),
  },
  {
    name: 'debit with a key',
    request: (scene, person) => changeBalance('debit', scene, person, { 'idempotency-key': randomUUID() }),
  },
  {
    name: 'withdraw-tokens',
    request: ({ key, paywallId }, { id }) =>
      post('/api/v1/withdraw-tokens', { paywall_id: paywallId, user_id: id, tokens: 1 }, { 'x-api-key': key }),
  },
  {
    name: 'sign-in anonymously',
    request: (scene) => post(`${api(scene)}/sign-in/token`, { grant_type: 'anonymous' }),
  },
  {
    name: 'sign-in by exchange',
    request: (scene, { email }) => post(`${api(scene)}/sign-in/exchange`, { email }, { 'x-api-key': scene.key }),
  },
]

/** Makes requests of an endpoint about one of the people after the other. */
export function requestsOf(endpoint: Endpoint, scene: Scene): () => Sent {
  let turn = 0
  return () => {
    const person = scene.people[turn++ % scene.people.length]
    if (!person) throw new Error('the scene has nobody in it')
    return endpoint.request(scene, person)
  }
}
