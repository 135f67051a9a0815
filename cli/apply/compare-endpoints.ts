import { seal } from '../../lib/crypto/crypto.ts'
import type { PaywallFile } from '../paywall-file/file.ts'
import { type NewSecret, newWebhookSecret, unsealOrNull } from './secrets.ts'
import { type Stored, type StoredEndpoint, sameJson } from './stored.ts'

export interface EndpointsDifference {
  /** One sentence a change. */
  changes: string[]
  newSecrets: NewSecret[]
  /** The urls that get no event any more. */
  toDisable: string[]
  toSave: EndpointRow[]
}

export interface EndpointRow {
  url: string
  /** Sealed. */
  secret: string
  events: string[]
}

type Webhook = PaywallFile['webhooks'][number]

/** What makes the owner's enabled webhook endpoints the webhooks of the file. `sealingKey` seals their secrets. */
export async function compareEndpoints(
  { webhooks }: PaywallFile,
  stored: Stored,
  sealingKey: string,
): Promise<EndpointsDifference> {
  const difference: EndpointsDifference = { changes: [], newSecrets: [], toDisable: [], toSave: [] }
  for (const webhook of webhooks) {
    const endpoint = stored.endpoints.find(({ url }) => url === webhook.url)
    const secret = endpoint ? await unsealOrNull(endpoint.secret, sealingKey, contextOf(endpoint.url)) : null
    const hasItsSecret = secret && (webhook.secret ?? secret) === secret
    if (endpoint && hasItsSecret) compareMembers(difference, webhook, endpoint)
    else await setSecret(difference, webhook, endpoint, sealingKey)
  }
  const urls = webhooks.map(({ url }) => url)
  const others = stored.endpoints.filter(({ url, disabled }) => !disabled && !urls.includes(url))
  difference.toDisable = others.map(({ url }) => url)
  difference.changes.push(...others.map(({ url }) => `webhook ${url}: disabled`))
  return difference
}

function compareMembers(difference: EndpointsDifference, { url, events }: Webhook, endpoint: StoredEndpoint): void {
  const changes = [
    endpoint.disabled && 'enabled again',
    !sameJson(events, endpoint.events) && `gets ${events.join(', ')}`,
  ].filter((change) => typeof change === 'string')
  if (changes.length === 0) return
  difference.changes.push(`webhook ${url}: ${changes.join(', ')}`)
  difference.toSave.push({ url, events, secret: endpoint.secret })
}

async function setSecret(
  difference: EndpointsDifference,
  { url, events, secret: secretInFile }: Webhook,
  endpoint: StoredEndpoint | undefined,
  sealingKey: string,
): Promise<void> {
  const secret = secretInFile ?? newWebhookSecret()
  if (secretInFile === null) difference.newSecrets.push({ what: `webhook ${url}`, secret })
  const change = endpoint ? 'new secret, the old one signs too for 24 hours' : `new, gets ${events.join(', ')}`
  difference.changes.push(`webhook ${url}: ${change}`)
  difference.toSave.push({ url, events, secret: await seal(secret, sealingKey, contextOf(url)) })
}

/** What a sealed secret belongs to: moved to another webhook endpoint's row it does not open. */
const contextOf = (url: string) => `webhook:${url}`
