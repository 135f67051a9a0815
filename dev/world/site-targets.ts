/** Where a buyer returns to from a checkout: pages of the paywall's own site. */
export const siteTargets = (serviceUrl: string, paywallId: string) => ({
  successUrl: `${serviceUrl}/p/${paywallId}/thanks`,
  errorUrl: `${serviceUrl}/p/${paywallId}?bought=nothing`,
})
