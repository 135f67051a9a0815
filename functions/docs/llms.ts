import { DOCUMENT_PATH, GUIDE_MARKDOWN_PATH } from './contract.ts'

/** llms.txt: what the service is, and its docs in formats that language models read (llmstxt.org). `origin`: that of the docs. */
export const indexForModels = (origin: string): string => `# Paywall Billing

> An HTTPS API for paywalls and billing. It opens hosted checkouts at the owner's own payment processor, tracks who has paid, counts tokens,
> accepts support tickets, and sends signed webhooks.

An owner's server sends its owner key in \`X-Api-Key\`, and can act for any user. A browser sends a user's access token. Never put an owner
key into a browser.

## Docs

- [Guide](${origin}${GUIDE_MARKDOWN_PATH}): from nothing to a live paywall, with code for each step
- [API](${origin}${DOCUMENT_PATH}): all operations, errors and events, as an OpenAPI 3.1 document with examples
`
