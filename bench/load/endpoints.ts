import { randomUUID } from 'node:crypto'
import { api, type Endpoint, newEmail, post } from './endpoint.ts'
import { LIST_EVENTS } from './list-events.ts'
import { PURCHASE_ENDPOINTS } from './purchase-endpoints.ts'
import type { Person, Scene } from './scene.ts'
import { SIGN_IN } from './sign-in.ts'

const bearer = ({ token }: Person) => ({ authorization: `Bearer ${token}` })

const changeBalance = (op: 'credit' | 'debit', scene: Scene, person: Person, headers: Record<string, string> = {}) =>
  post(
    `${api(scene)}/balances`,
    { op, amount: 1, type: 'standard', user_id: person.id },
    { 'x-api-key': scene.key, ...headers },
  )

const ticket = () => ({
  subject: 'It does not load',
  content: 'I paid and see nothing.',
  customer_email: newEmail(),
})

/** The endpoints that callers wait for: no webhooks to owners and no crons. Paths and bodies follow the contract. */
export const ENDPOINTS: Endpoint[] = [
  {
    name: 'gateway alone',
    expected: 404,
    request: () => ({ method: 'GET', path: '/no-such-path' }),
  },
  {
    name: 'document of the API',
    request: ({ url }) => ({
      method: 'GET',
      path: '/openapi.json',
      headers: { host: `localhost:${new URL(url).port}` }, // the docs have their own origin
    }),
  },
  {
    name: 'bootstrap from cache',
    request: (scene) => ({ method: 'GET', path: `${api(scene)}/bootstrap` }),
  },
  {
    // The cache is keyed by host, so a new host is always a miss.
    name: 'bootstrap past the cache',
    request: (scene) => ({
      method: 'GET',
      path: `${api(scene)}/bootstrap`,
      headers: { host: `${randomUUID()}.bench.example` },
    }),
  },
  {
    name: 'bootstrap by Bearer',
    request: (scene, person) => ({ method: 'GET', path: `${api(scene)}/bootstrap`, headers: bearer(person) }),
  },
  ...PURCHASE_ENDPOINTS,
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
    name: 'support ticket',
    request: (scene) => post(`${api(scene)}/support/ticket`, ticket()),
  },
  {
    name: 'support ticket, an image',
    request: (scene) => ({ method: 'POST', path: `${api(scene)}/support/ticket`, ...form(ticket(), IMAGE) }),
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
    // The key is validated before the malformed field is reported.
    name: 'withdraw-tokens, malformed',
    expected: 400,
    request: ({ key, paywallId }, { id }) =>
      post('/api/v1/withdraw-tokens', { paywall_id: paywallId, user_id: id, tokens: 0 }, { 'x-api-key': key }),
  },
  ...LIST_EVENTS,
  ...SIGN_IN,
]

/** 16 KB with the header of a WebP image, all ASCII so that it can be sent as text. */
const IMAGE = `RIFF0000WEBP${'0'.repeat(16 * 1024)}`

/** A multipart form with a file, as browsers send it. */
function form(fields: Record<string, string>, image: string) {
  const boundary = '----bench'
  const part = (header: string, content: string) =>
    `--${boundary}\r\nContent-Disposition: form-data; ${header}\r\n\r\n${content}\r\n`
  const parts = Object.entries(fields).map(([name, value]) => part(`name="${name}"`, value))
  const file = part('name="files"; filename="screen.webp"\r\nContent-Type: image/webp', image)
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: `${parts.join('')}${file}--${boundary}--\r\n`,
  }
}
