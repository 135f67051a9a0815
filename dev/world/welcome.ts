import { randomBytes, randomUUID } from 'node:crypto'
import { relative } from 'node:path'
import type { ApplyResult } from '../../cli/apply/apply.ts'
import type { FilePaywall, PaywallFile } from '../../cli/paywall-file/file.ts'
import { ACQUIRING } from '../../lib/processors/acquiring.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import type { Home } from './home/home.ts'
import type { Shop } from './shop.ts'
import type { World } from './world.ts'

/** What a person needs to know when the world is up: where everything is, the keys, and three lines to paste. */
export function welcome(
  world: World,
  { home, shop }: { home: Home; shop: Shop | null },
  files: PaywallFile[],
  results: ApplyResult[],
  demo: { path: string; differences: string[] } | null,
): string {
  return [
    '',
    `  home                ${home.url}`,
    ...(shop ? [`  shop                ${shop.url}`] : []),
    `  service             ${world.url}`,
    `  guide, reference    ${world.url}/docs`,
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
    ...(demo ? ['', ...demoLines(demo, files)] : []),
    '',
    ...files.flatMap((file) => tryLines(world, home, file)),
  ].join('\n')
}

/** Where the demo's file is when it sells through another processor, and what differs in it. */
function demoLines({ path, differences }: { path: string; differences: string[] }, files: PaywallFile[]): string[] {
  const titles = files.flatMap(({ paywalls }) =>
    paywalls.map(({ processor }) => DEFINITIONS[processor.acquiring].title),
  )
  const file = relative(process.cwd(), path)
  return [
    `The demo sells through ${titles[0]}. Its paywall file is ${file}, made of demo/paywall.json at each start.`,
    ...differences.map((difference) => `  ${difference}`),
  ]
}

/** Three lines for the first paywall of a file. */
function tryLines({ url }: World, home: Home, { keys, paywalls: [paywall] }: PaywallFile): string[] {
  if (!paywall) return []
  const key = keys.find(({ secret, is_test: isTest }) => secret !== null && isTest === paywall.is_test)?.secret
  return [
    `Try paywall ${paywall.id}, "${paywall.name}": read it, open a checkout (pay on the page it names), see the purchase.`,
    '',
    ...curls(url, home.url, paywall, key ?? 'YOUR_KEY'),
    '',
  ]
}

function curls(url: string, home: string, paywall: FilePaywall, key: string): string[] {
  const base = `${url}/api/v1/paywall/${paywall.id}`
  // The data outlives the world: whoever bought at an earlier start would be refused a second checkout.
  const email = `buyer-${randomBytes(2).toString('hex')}@example.com`
  const targets = { successUrl: `${home}/thanks`, errorUrl: `${home}/sorry` }
  const order = { email, priceId: paywall.prices[0]?.id, ...targets }
  return [
    `curl -s ${base}/bootstrap`,
    `curl -s ${base}/start-checkout -H 'X-Api-Key: ${key}' -H 'Idempotency-Key: ${randomUUID()}' ` +
      `-H 'Content-Type: application/json' -d '${JSON.stringify(order)}'`,
    `curl -s '${base}/user?email=${email}' -H 'X-Api-Key: ${key}'`,
  ]
}
