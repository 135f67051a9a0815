import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { World } from '../contenders/world.ts'
import { type BenchFile, type BenchWebhook, benchFile, RETURN_URLS } from './paywall-file.ts'

/** A signed-in user. */
interface SignedIn {
  id: string
  email: string
  token: string
  refreshToken: string
}

/** A user with a monthly subscription and more tokens than a run debits. */
export interface Person extends SignedIn {
  checkoutId: string
  /** The processor's id of the hosted page. */
  hostedPageId: string
}

/** A paywall as seen by API callers. */
interface Paywall extends Omit<BenchFile, 'text'> {
  url: string
  priceId: string
}

/** A paywall with people. */
export interface Scene extends Paywall {
  people: Person[]
  /** Those who also exist at the processor. */
  buyers: Person[]
}

const Tokens = z.object({
  access_token: z.string(),
  refresh_token: z.string(),
  user: z.object({ id: z.string(), email: z.string() }),
})
const Prices = z.object({ prices: z.array(z.object({ id: z.string() })).min(1) })
const Checkout = z.object({ checkoutUrl: z.url() })

/** More people than connections, so that requests rarely wait for the same row. */
const PEOPLE = 48

const INITIAL_TOKENS = 1_000_000_000

/** Applies the benchmark's paywall file and creates its people through the public API, so that they are the same in any commit. */
export async function setScene(world: World, { webhooks = [] }: { webhooks?: BenchWebhook[] } = {}): Promise<Scene> {
  const { text, ...file } = benchFile(webhooks)
  await world.commands.apply(text)
  const { prices } = Prices.parse(await callApi(`${world.url}/api/v1/paywall/${file.paywallId}/bootstrap`))
  const paywall = { ...file, url: world.url, priceId: prices[0]!.id }
  const people: Person[] = []
  while (people.length < PEOPLE) people.push(await makePerson(paywall))
  return { ...paywall, people, buyers: people }
}

async function makePerson(scene: Paywall): Promise<Person> {
  const { url, paywallId, key, priceId } = scene
  const at = `${url}/api/v1/paywall/${paywallId}`
  const person = await exchange(scene, `person-${randomUUID()}@bench.dev`)
  const checkout = { email: person.email, priceId, ...RETURN_URLS }
  const { checkoutUrl } = Checkout.parse(await callApi(`${at}/start-checkout`, { key, body: checkout }))
  const checkoutId = await payAndReturn(checkoutUrl)
  const credit = { op: 'credit', amount: INITIAL_TOKENS, type: 'standard', user_id: person.id }
  await callApi(`${at}/balances`, { key, body: credit })
  return { ...person, checkoutId, hostedPageId: checkoutUrl.split('/').at(-1)! }
}

/** Signs a user in as the owner's backend does, and creates it if necessary. */
export async function exchange(
  { url, paywallId, key }: Pick<Paywall, 'url' | 'paywallId' | 'key'>,
  email: string,
): Promise<SignedIn> {
  const address = `${url}/api/v1/paywall/${paywallId}/sign-in/exchange`
  const { user, ...tokens } = Tokens.parse(await callApi(address, { key, body: { email } }))
  return { id: user.id, email, token: tokens.access_token, refreshToken: tokens.refresh_token }
}

/** Pays on the hosted page and follows the return, which stores the purchase. Returns the checkout's id from the return URL. */
async function payAndReturn(checkoutUrl: string): Promise<string> {
  const body = new URLSearchParams({ action: 'pay' })
  const paid = await fetch(checkoutUrl, { method: 'POST', body, redirect: 'manual' })
  const returnUrl = paid.headers.get('location') ?? ''
  const back = await fetch(returnUrl, { redirect: 'manual' })
  const checkoutId = /\/r\/([\w-]+)\/success/.exec(returnUrl)?.[1]
  if (back.status !== 303 || !checkoutId) throw new Error(`the return URL ${returnUrl} responded with ${back.status}`)
  return checkoutId
}

/** Throws an error for any response but a successful one. */
export async function callApi(url: string, { key, body }: { key?: string; body?: unknown } = {}): Promise<unknown> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...(key !== undefined && { 'x-api-key': key }), 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} responded with ${response.status} ${text}`)
  return JSON.parse(text)
}
