import demo from '../../demo/paywall.json' with { type: 'json' }
import type { Written } from '../support/paywall-file.ts'

const [paywall] = demo.paywalls
if (!paywall) throw new Error('the demo has no paywall')
const { name, prices, offers, layout, locales, settings } = paywall

/** The demo's paywall, which has every block. It names no pages of the owner's: its buyers stay on ours. */
export const DEMO_PAYWALL: Written = {
  ...{ name, prices, offers, layout, locales },
  settings: { brand_color: settings.brand_color, tokenization_queries: settings.tokenization_queries },
}
