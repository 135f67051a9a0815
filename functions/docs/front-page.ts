import { DOCUMENT_PATH, FRONT_PATH, GUIDE_MARKDOWN_PATH, GUIDE_PATH, REFERENCE_PATH } from './contract.ts'
import { page } from './page.ts'

/** The service's description for programs. `docsOrigin` is empty if they are not served. */
export const aboutService = (version: string, docsOrigin: string) => ({
  service: 'paywall-billing',
  version,
  ...(docsOrigin && {
    docs: docsOrigin + GUIDE_PATH,
    reference: docsOrigin + REFERENCE_PATH,
    openapi: docsOrigin + DOCUMENT_PATH,
  }),
})

/** The service's description for people. `docsOrigin`: see `aboutService`. */
export const frontPage = (version: string, docsOrigin: string): string =>
  page({
    title: 'Paywall Billing',
    path: FRONT_PATH,
    docsOrigin: docsOrigin || null,
    content: `<div class="columns">
<main id="text">
<h1>Paywalls and billing, at the edge</h1>
<p class="lead">An HTTPS API that opens checkouts at your own payment processor, tracks who has paid, counts tokens, accepts support tickets,
and sends events to your server.</p>
${docsOrigin && `<p class="ways"><a class="main way" href="${docsOrigin}${GUIDE_PATH}">Read the guide</a> <a class="way" href="${docsOrigin}${REFERENCE_PATH}">API reference</a></p>`}
<ul class="cards">
<li><h2>One integration</h2>Five payment processors behind the same calls. You keep your own account there, and your customers.</li>
<li><h2>No duplicates</h2>A checkout or a debit that is retried with the same Idempotency-Key takes effect once.</li>
<li><h2>No lost events</h2>Signed webhooks, in order, retried for three days. If a processor's webhook is missing, its data is fetched.</li>
</ul>
<p class="small">Version ${version} of the API${docsOrigin && `, described by <a href="${docsOrigin}${DOCUMENT_PATH}">openapi.json</a>`}.</p>
</main>
</div>`,
  })

/** The service's description for language models (llmstxt.org), with its docs in formats that they read. `origin`: that of the docs. */
export const indexForModels = (origin: string): string => `# Paywall Billing

> An HTTPS API for paywalls and billing. It opens hosted checkouts at the owner's own payment processor, tracks who has paid, counts tokens,
> accepts support tickets, and sends signed webhooks.

An owner's server sends its owner key in \`X-Api-Key\`, and can act for any user. A browser sends a user's access token. Never put an owner
key into a browser.

## Docs

- [Guide](${origin}${GUIDE_MARKDOWN_PATH}): from nothing to a live paywall, with code for each step
- [API](${origin}${DOCUMENT_PATH}): all operations, errors and events, as an OpenAPI 3.1 document with examples
`
