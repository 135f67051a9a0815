import { DOCUMENT_PATH, FRONT_PATH, GUIDE_PATH, REFERENCE_PATH } from './contract.ts'
import { page } from './page.ts'

/** How the service describes itself to a program. `docs` is the origin of the docs; empty: they are served nowhere. */
export const aboutService = (version: string, docs: string) => ({
  service: 'paywall-billing',
  version,
  ...(docs && { docs: docs + GUIDE_PATH, reference: docs + REFERENCE_PATH, openapi: docs + DOCUMENT_PATH }),
})

/** What the service says of itself to a person. */
export const frontPage = (version: string, docs: string): string =>
  page({
    title: 'Paywall Billing',
    path: FRONT_PATH,
    docs: docs || null,
    content: `<div class="columns">
<main id="text">
<h1>Paywalls and billing, at the edge</h1>
<p class="lead">An HTTPS API that opens checkouts at your own payment processor, knows who has paid, counts tokens, takes support tickets,
and tells your server what happens.</p>
${docs && `<p class="ways"><a class="main way" href="${docs}${GUIDE_PATH}">Read the guide</a> <a class="way" href="${docs}${REFERENCE_PATH}">API reference</a></p>`}
<ul class="cards">
<li><h2>One integration</h2>Five payment processors behind the same calls. Your account there stays yours, and so do your customers.</li>
<li><h2>Nothing twice</h2>A checkout or a debit that is repeated with its Idempotency-Key takes effect once.</li>
<li><h2>Nothing lost</h2>Signed webhooks in order, sent again for three days, and what a processor forgets to tell is asked for.</li>
</ul>
<p class="small">Version ${version} of the API${docs && `, described by <a href="${docs}${DOCUMENT_PATH}">openapi.json</a>`}.</p>
</main>
</div>`,
  })
