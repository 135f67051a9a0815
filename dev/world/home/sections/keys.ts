import { html } from 'hono/html'
import { DEFINITIONS } from '../../../../lib/processors/definitions.ts'
import { PROCESSOR_NAMES } from '../../../../lib/processors/processor-name.ts'
import { printableKey } from '../../printable-key.ts'
import type { HomeContext, ShownPaywall } from '../context.ts'

/** Keys and addresses to copy into code and commands. */
export function keysSection(
  { world, shop }: Pick<HomeContext, 'world' | 'shop'>,
  { file, paywall }: Pick<ShownPaywall, 'file' | 'paywall'>,
) {
  const addresses = [
    ...(shop === null ? [] : [['Shop', shop]]),
    ['Service', world.url],
    ['API', `${world.docsUrl}/docs`],
    ['Webhook receiver', `${world.receiver.url}/webhooks`],
    ...PROCESSOR_NAMES.map((acquiring) => [`${DEFINITIONS[acquiring].title} emulator`, world[acquiring].url]),
    ['Database', world.databaseUrl],
  ]
  return html`<section id="keys" aria-labelledby="keys-heading">
    <h2 id="keys-heading">Keys and addresses</h2>
    <dl>
      ${file.keys.map(({ name, secret }) =>
        secret === null
          ? html`<dt>Key ${name}</dt><dd>created elsewhere; cannot be read again</dd>`
          : copied(`Key ${name}`, printableKey(secret)),
      )}
      ${copied('Paywall', paywall.id)}
      ${file.webhooks.map(({ url, secret }) => (secret === null ? '' : copied(`Webhook secret of ${url}`, secret)))}
      ${addresses.map(([name = '', value = '']) => copied(name, value))}
    </dl>
  </section>`
}

const copied = (name: string, value: string) =>
  html`<dt>${name}</dt><dd><code>${linked(value)}</code>
        <button type="button" class="small" data-copy="${value}" aria-label="Copy: ${name}" hidden>Copy</button></dd>`

const linked = (value: string) => (value.startsWith('http') ? html`<a href="${value}">${value}</a>` : value)
