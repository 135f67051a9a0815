import { randomUUID } from 'node:crypto'
import { relative } from 'node:path'
import type { ApplyResult } from '../../cli/apply/apply.ts'
import type { FilePaywall, PaywallFile } from '../../cli/paywall-file/file.ts'
import { ACQUIRING } from '../../lib/processors/acquiring.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import type { Home } from './home/home.ts'
import type { World } from './world.ts'

const BUYER = 'buyer@example.com'

/** What a person needs to know when the world is up: where everything is, the keys, and three lines to paste. */
export function welcome(
  world: World,
  home: Home,
  files: PaywallFile[],
  results: ApplyResult[],
  demo: { path: string; differences: string[] } | null,
): string {
  const file = files[0]
  const paywall = file?.paywalls[0]
  if (!file || !paywall) return ''
  return [
    '',
    `  home                ${home.url}`,
    `  service             ${world.url}`,
    `  API document        ${world.url}/docs`,
    ...ACQUIRING.map(
      (acquiring) => `${`  ${DEFINITIONS[acquiring].title} emulator`.padEnd(22)}${world[acquiring].url}`,
    ),
    `  webhook receiver    ${world.receiver.url}`,
    `  mail inbox          ${world.mail.url}`,
    `  database            ${world.databaseUrl}`,
    ...files.flatMap(({ keys, owner }) =>
      keys.flatMap(({ secret, name }) => (secret ? `${`  key "${name}"`.padEnd(22)}${secret}  ${owner.email}` : [])),
    ),
    ...results.flatMap(({ newSecrets }) =>
      newSecrets.map(({ what, secret }) => `  made, shown once: ${what}: ${secret}`),
    ),
    ...(demo ? ['', ...demoLines(demo, paywall)] : []),
    '',
    `Try paywall ${paywall.id}, "${paywall.name}": read it, open a checkout (pay on the page it names), see the purchase.`,
    '',
    ...curls(world.url, paywall, keyOf(file, results)),
    '',
  ].join('\n')
}

/** Where the demo's file is when it sells through another processor, and what differs in it. */
function demoLines(
  { path, differences }: { path: string; differences: string[] },
  { processor }: FilePaywall,
): string[] {
  const { title } = DEFINITIONS[processor.acquiring]
  const file = relative(process.cwd(), path)
  return [
    `The demo sells through ${title}. Its paywall file is ${file}, made of demo/paywall.json at each start.`,
    ...differences.map((difference) => `  ${difference}`),
  ]
}

function keyOf(file: PaywallFile, results: ApplyResult[]): string {
  const newSecrets = results.flatMap((result) => result.newSecrets.map(({ secret }) => secret))
  return (
    file.keys.find(({ secret }) => secret)?.secret ??
    newSecrets.find((secret) => secret.startsWith('pk_')) ??
    'YOUR_KEY'
  )
}

function curls(url: string, paywall: FilePaywall, key: string): string[] {
  const base = `${url}/api/v1/paywall/${paywall.id}`
  const targets = { successUrl: 'https://example.com/thanks', errorUrl: 'https://example.com/sorry' }
  const order = { email: BUYER, priceId: paywall.prices[0]?.id, ...targets }
  return [
    `curl -s ${base}/bootstrap`,
    `curl -s ${base}/start-checkout -H 'X-Api-Key: ${key}' -H 'Idempotency-Key: ${randomUUID()}' ` +
      `-H 'Content-Type: application/json' -d '${JSON.stringify(order)}'`,
    `curl -s '${base}/user?email=${BUYER}' -H 'X-Api-Key: ${key}'`,
  ]
}
