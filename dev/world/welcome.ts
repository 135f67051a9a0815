import { randomBytes, randomUUID } from 'node:crypto'
import type { ApplyResult } from '../../cli/apply/apply.ts'
import type { FilePaywall, PaywallFile } from '../../cli/paywall-file/file.ts'
import { DEFINITIONS } from '../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES } from '../../lib/processors/processor-name.ts'
import type { Home } from './home/home.ts'
import { printableKey } from './printable-key.ts'
import type { Shop } from './shop.ts'
import { shownPath } from './shown-path.ts'
import { siteTargets } from './site-targets.ts'
import type { World } from './world.ts'

/** The world once it has started. */
export interface Start {
  world: World
  home: Home
  /** Null: the first paywall's owner key is unknown. */
  shop: Shop | null
  files: PaywallFile[]
  results: (ApplyResult & { file: PaywallFile })[]
  /** The demo's file for another processor; null: the demo is served unchanged, or not at all. */
  demo: { path: string; differences: string[] } | null
}

/** The welcome text: addresses, keys and three curl commands to paste. */
export function welcome({ world, home, shop, files, results, demo }: Start): string {
  return [
    '',
    `  home                ${home.url}`,
    ...(shop ? [`  shop                ${shop.url}`] : []),
    `  service             ${world.url}`,
    `  guide, reference    ${world.docsUrl}/docs`,
    ...consoleLines(world, files),
    ...PROCESSOR_NAMES.map(
      (acquiring) => `${`  ${DEFINITIONS[acquiring].title} emulator`.padEnd(22)}${world[acquiring].url}`,
    ),
    `  webhook receiver    ${world.receiver.url}`,
    `  mail inbox          ${world.mail.url}`,
    `  database            ${world.databaseUrl}`,
    ...files.flatMap(({ keys, owner }) =>
      keys.flatMap(({ secret, name }) =>
        secret ? `${`  key "${name}"`.padEnd(22)}${printableKey(secret)}  ${owner.email}` : [],
      ),
    ),
    ...results.flatMap(({ file, newSecrets }) =>
      newSecrets.map(
        ({ what, secret }) => `  created, shown once: ${what}: ${printableKey(secret)}  ${file.owner.email}`,
      ),
    ),
    ...(demo ? ['', ...demoLines(demo, files)] : []),
    '',
    ...listTries(world, files).flatMap(tryLines),
  ].join('\n')
}

/** The same as JSON. */
export const welcomeJson = ({ world, home, shop, files, results, demo }: Start) => ({
  home: home.url,
  shop: shop?.url ?? null,
  service: world.url,
  docs: `${world.docsUrl}/docs`,
  console: world.consoleUrl,
  emulators: Object.fromEntries(PROCESSOR_NAMES.map((acquiring) => [acquiring, world[acquiring].url])),
  webhook_receiver: world.receiver.url,
  mail_inbox: world.mail.url,
  database: world.databaseUrl,
  keys: files.flatMap(({ keys, owner }) =>
    keys.map(({ name, secret }) => ({ name, owner: owner.email, secret: secret && printableKey(secret) })),
  ),
  new_secrets: results.flatMap(({ file, newSecrets }) =>
    newSecrets.map((made) => ({ ...made, secret: printableKey(made.secret), owner: file.owner.email })),
  ),
  demo,
  try: listTries(world, files).map(({ paywall: { id, name }, curls }) => ({ paywall: id, name, curls })),
})

/** Whoever signs in to the console finds the code in the mail inbox. */
function consoleLines({ consoleUrl }: World, files: PaywallFile[]): string[] {
  const owners = files.map(({ owner }) => owner.email).join(' or ')
  return [`  console             ${consoleUrl}  sign in as ${owners}, with the code in the mail inbox`]
}

function demoLines({ path, differences }: { path: string; differences: string[] }, files: PaywallFile[]): string[] {
  const titles = files.flatMap(({ paywalls }) =>
    paywalls.map(({ processor }) => DEFINITIONS[processor.acquiring].title),
  )
  const file = shownPath(path)
  return [
    `The demo sells through ${titles[0]}. Its paywall file ${file} is generated from demo/paywall.json at each start.`,
    ...differences.map((difference) => `  ${difference}`),
  ]
}

interface Try {
  paywall: FilePaywall
  curls: string[]
}

/** Three curl commands for the first paywall of each file. */
function listTries({ url }: World, files: PaywallFile[]): Try[] {
  return files.flatMap(({ keys, paywalls: [paywall] }) => {
    if (!paywall) return []
    const key = keys.find(({ secret, is_test: isTest }) => secret !== null && isTest === paywall.is_test)?.secret
    return { paywall, curls: curlsFor(url, paywall, key && printableKey(key) === key ? key : 'YOUR_KEY') }
  })
}

const tryLines = ({ paywall: { id, name }, curls }: Try): string[] => [
  `Try paywall ${id}, "${name}": read it, open a checkout and pay on its page, then see the purchase.`,
  '',
  ...curls,
  '',
]

function curlsFor(url: string, paywall: FilePaywall, key: string): string[] {
  const base = `${url}/api/v1/paywall/${paywall.id}`
  // The data survives a restart, and a buyer from an earlier start would be refused a second checkout.
  const email = `buyer-${randomBytes(2).toString('hex')}@example.com`
  const order = { email, priceId: paywall.prices[0]?.id, ...siteTargets(url, paywall.id) }
  return [
    `curl -s ${base}/bootstrap`,
    `curl -s ${base}/start-checkout -H 'X-Api-Key: ${key}' -H 'Idempotency-Key: ${randomUUID()}' ` +
      `-H 'Content-Type: application/json' -d '${JSON.stringify(order)}'`,
    `curl -s '${base}/user?email=${email}' -H 'X-Api-Key: ${key}'`,
  ]
}
