import { DOCUMENT_PATH, FRONT_PATH, GUIDE_PATH, REFERENCE_PATH } from './contract.ts'
import { page } from './page.ts'

/** The service's description for programs. `docs` is the origin of the docs, empty if they are not served. */
export const aboutService = (version: string, docs: string) => ({
  service: 'paywall-billing',
  version,
  ...(docs && { docs: docs + GUIDE_PATH, reference: docs + REFERENCE_PATH, openapi: docs + DOCUMENT_PATH }),
})

/** The service's description for people. `docs` as in `aboutService`. */
export const frontPage = (version: string, docs: string): string =>
  page({
    title: 'Paywall Billing',
    path: FRONT_PATH,
    docs: docs || null,
    content: `<div class="columns">
<main id="text">
<h1>Paywalls and billing, at the edge</h1>
<p class="lead">An HTTPS API that opens checkouts at your own payment processor, tracks who has paid, counts tokens, accepts support tickets,
and sends events to your server.</p>
${docs && `<p class="ways"><a class="main way" href="${docs}${GUIDE_PATH}">Read the guide</a> <a class="way" href="${docs}${REFERENCE_PATH}">API reference</a></p>`}
<ul class="cards">
<li><h2>One integration</h2>Five payment processors behind the same calls. You keep your own account there, and your customers.</li>
<li><h2>No duplicates</h2>A checkout or a debit that is retried with the same Idempotency-Key takes effect once.</li>
<li><h2>No lost events</h2>Signed webhooks, in order, retried for three days. If a processor's webhook is missing, its data is fetched.</li>
</ul>
<p class="small">Version ${version} of the API${docs && `, described by <a href="${docs}${DOCUMENT_PATH}">openapi.json</a>`}.</p>
</main>
</div>`,
  })
