import demo from '../../demo/paywall.json' with { type: 'json' }
import type { FileJson } from '../support/paywall-file.ts'

const [paywall] = demo.paywalls
if (!paywall) throw new Error('the demo has no paywall')
const { name, prices, offers, layout, locales, settings } = paywall

const settingsWithoutPages = { brand_color: settings.brand_color, tokenization_queries: settings.tokenization_queries }

const MISSING = 'https://images.example/picture.png'

/** The demo's paywall, which has every block but an image. Without the owner's URLs, so that buyers stay on our pages. */
export const DEMO_PAYWALL: FileJson = {
  name,
  prices,
  offers,
  layout,
  locales,
  settings: settingsWithoutPages,
}

const links = {
  terms: 'https://acme.example/terms',
  privacy: 'https://acme.example/privacy',
  imprint: 'https://acme.example/imprint',
  help: 'https://acme.example/help',
}

/** The demo with the owner's links, and with an image and a logo that do not exist, so that their alt texts are shown. */
export const WITH_IMAGES: FileJson = {
  ...DEMO_PAYWALL,
  layout: {
    ...layout,
    blocks: [...layout.blocks, { type: 'image', src: MISSING, alt: 'headline', width: 400, height: 100 }],
  },
  settings: { ...settingsWithoutPages, logo: { src: MISSING }, links },
}
