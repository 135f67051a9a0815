import { seal, unseal } from '../../lib/crypto/crypto.ts'
import type { PaywallFile } from '../paywall-file/file.ts'
import type { Standing } from '../sql/read-standing.sql.ts'
import type { EndpointRow } from '../sql/save-endpoints.sql.ts'
import type { MadeSecret } from './made-secret.ts'
import { same } from './same.ts'

export interface EndpointsDifference {
  changes: string[]
  made: MadeSecret[]
  /** The urls that get no event any more. */
  disabled: string[]
  saved: EndpointRow[]
}

/** What makes the owner's enabled endpoints those of the file. `key` seals their secrets. */
export async function differenceOfEndpoints(
  { webhooks }: PaywallFile,
  standing: Standing,
  key: string,
): Promise<EndpointsDifference> {
  const difference: EndpointsDifference = { changes: [], made: [], disabled: [], saved: [] }
  for (const webhook of webhooks) {
    const before = standing.endpoints.find(({ url }) => url === webhook.url)
    const secret = before ? await open(before, key) : null
    if (before && secret && (webhook.secret ?? secret) === secret) keep(difference, webhook, before)
    else await add(difference, webhook, before, key)
  }
  const urls = webhooks.map(({ url }) => url)
  const gone = standing.endpoints.filter(({ url, disabled }) => !disabled && !urls.includes(url))
  difference.disabled = gone.map(({ url }) => url)
  difference.changes.push(...gone.map(({ url }) => `webhook ${url}: disabled`))
  return difference
}

type Webhook = PaywallFile['webhooks'][number]
type StandingEndpoint = Standing['endpoints'][number]

function keep(difference: EndpointsDifference, { url, events }: Webhook, before: StandingEndpoint): void {
  const changes = [before.disabled && 'enabled again', !same(events, before.events) && `gets ${events.join(', ')}`]
  const said = changes.filter((change) => change !== false)
  if (said.length === 0) return
  difference.changes.push(`webhook ${url}: ${said.join(', ')}`)
  difference.saved.push({ url, events, secret: before.secret })
}

async function add(
  difference: EndpointsDifference,
  { url, events, secret }: Webhook,
  before: StandingEndpoint | undefined,
  key: string,
): Promise<void> {
  const shown = secret ?? `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')}`
  if (secret === null) difference.made.push({ what: `webhook ${url}`, secret: shown })
  const change = before ? 'new secret, the old one signs too for 24 hours' : `new, gets ${events.join(', ')}`
  difference.changes.push(`webhook ${url}: ${change}`)
  difference.saved.push({ url, events, secret: await seal(shown, key, context(url)) })
}

/** Null if it was sealed with another key: then it has to be set anew. */
async function open({ url, secret }: StandingEndpoint, key: string): Promise<string | null> {
  return unseal(secret, key, context(url)).catch(() => null)
}

const context = (url: string) => `webhook:${url}`
