import { Response } from 'miniflare'

/** Calls the gateway with the visitor's country, which Cloudflare's edge finds out from the IP address. */
const SCRIPT = `
export default {
  async fetch(request, env) {
    const country = await (await env.COUNTRY.fetch('http://country/')).text()
    return env.GATEWAY.fetch(new Request(request, { cf: { ...request.cf, country } }))
  },
}
`

/** The Worker in front of the gateway that stands in for Cloudflare's edge. `country` is called at each request. */
export const edgeWorker = (gateway: string, country: () => string, compatibilityDate = '') => ({
  name: 'local-edge',
  modules: true as const,
  script: SCRIPT,
  compatibilityDate,
  serviceBindings: { GATEWAY: gateway, COUNTRY: () => new Response(country()) },
})
