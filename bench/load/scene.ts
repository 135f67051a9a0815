import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import type { World } from '../contenders/world.ts'
import { type BenchFile, type BenchWebhook, benchFile, RETURN } from './paywall-file.ts'

/** A user who pays monthly and has more tokens than a run takes. */
export interface Person {
  id: string
  email: string
  token: string
}

/** A paywall with people, as callers of the API see it. */
export interface Scene extends Omit<BenchFile, 'text'> {
  url: string
  people: Person[]
  priceId: string
}

const Tokens = z.object({ access_token: z.string(), user: z.object({ id: z.string(), email: z.string() }) })
const Prices = z.object({ prices: z.array(z.object({ id: z.string() })).min(1) })
const Checkout = z.object({ checkoutUrl: z.url() })

/** More people than connections, so that two of them seldom wait for one row. */
const PEOPLE = 48

const A_LOT = 1_000_000_000

/** Applies the benchmark's paywall file and makes its people: all through the public door, so that any commit has them alike. */
export async function setScene(
  world: World,
  { webhooks = [], people: count = PEOPLE }: { webhooks?: BenchWebhook[]; people?: number } = {},
): Promise<Scene> {
  const { text, ...file } = benchFile(webhooks)
  await world.ask.apply(text)
  const { prices } = Prices.parse(await ask(`${world.url}/api/v1/paywall/${file.paywallId}/bootstrap`))
  const scene = { ...file, url: world.url, priceId: prices[0]!.id, people: [] as Person[] }
  for (let made = 0; made < count; made++) scene.people.push(await makePerson(scene))
  return scene
}

async function makePerson(scene: Omit<Scene, 'people'>): Promise<Person> {
  const { url, paywallId, key, priceId } = scene
  const at = `${url}/api/v1/paywall/${paywallId}`
  const person = await exchange(scene, `person-${randomUUID()}@bench.example`)
  const order = { email: person.email, priceId, ...RETURN }
  const { checkoutUrl } = Checkout.parse(await ask(`${at}/start-checkout`, { key, body: order }))
  await payAndReturn(checkoutUrl)
  const credit = { op: 'credit', amount: A_LOT, type: 'standard', user_id: person.id }
  await ask(`${at}/balances`, { key, body: credit })
  return person
}

/** Signs a user in as the owner's backend does, and makes it, if there is none. */
export async function exchange({ url, paywallId, key }: Omit<Scene, 'people'>, email: string): Promise<Person> {
  const address = `${url}/api/v1/paywall/${paywallId}/sign-in/exchange`
  const { access_token: token, user } = Tokens.parse(await ask(address, { key, body: { email } }))
  return { id: user.id, email, token }
}

/** Pays on the hosted page and comes back, which stores the purchase. */
async function payAndReturn(checkoutUrl: string): Promise<void> {
  const body = new URLSearchParams({ action: 'pay' })
  const paid = await fetch(checkoutUrl, { method: 'POST', body, redirect: 'manual' })
  const back = await fetch(paid.headers.get('location') ?? '', { redirect: 'manual' })
  if (back.status !== 303) throw new Error(`the way back from the hosted page answered ${back.status}`)
}

async function ask(url: string, { key, body }: { key?: string; body?: unknown } = {}): Promise<unknown> {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { ...(key !== undefined && { 'x-api-key': key }), 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${url} answered ${response.status} ${text}`)
  return JSON.parse(text)
}
