import { expect, test } from 'vitest'
import { monthly } from '../support/paywall-file.ts'
import { newTenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

const picture = { type: 'image', src: 'https://images.example/hero.png', alt: 'title' }
const TEXTS = { title: 'Do more', intro: 'All your "projects" & more.' }

/** The `meta` and `link` elements of a page that are about search engines and shared links, as name and content. */
async function readTags(paywallId: string, path = ''): Promise<Record<string, string>> {
  const html = await (await world.fetch(`/p/${paywallId}${path}`)).text()
  const tags = [
    ...html.matchAll(
      /<(?:meta|link) (?:name|property|rel)="([^"]+)"(?: hreflang="([^"]+)")? (?:content|href)="([^"]*)"/g,
    ),
  ]
  return Object.fromEntries(
    tags.map(([, name, language, content = '']) => [`${name}${language ? ` ${language}` : ''}`, content]),
  )
}

const newPaywall = async (blocks: unknown[], others = {}) => {
  const locales = { en: TEXTS, de: { ...TEXTS, title: 'Mehr schaffen' } }
  return (await newTenant(world, { name: 'Acme', layout: { type: 'stack', blocks }, locales, ...others })).paywall.id
}

test('the paywall page has a description, a picture, and its URL in each language', async () => {
  const id = await newPaywall([{ type: 'heading', text: 'title' }, { type: 'text', text: 'intro' }, picture])
  const url = `${world.url}/p/${id}`
  const tags = await readTags(id, '?interval=year')
  expect(tags).toMatchObject({
    canonical: url,
    'alternate en': `${url}?locale=en`,
    'alternate de': `${url}?locale=de`,
    description: 'All your &quot;projects&quot; &amp; more.',
    'og:title': 'Do more',
    'og:description': 'All your &quot;projects&quot; &amp; more.',
    'og:site_name': 'Acme',
    'og:type': 'website',
    'og:url': url,
    'og:image': expect.stringMatching(`^${url}/image/[0-9a-f]{24}$`),
    'twitter:card': 'summary_large_image',
  })
  expect(tags).not.toHaveProperty('robots')
  expect(await readTags(id, '?locale=de')).toMatchObject({ canonical: `${url}?locale=de`, 'og:title': 'Mehr schaffen' })
})

test('a logo is the picture of a page without an image, and is shown small', async () => {
  const id = await newPaywall([], {
    prices: [monthly({ tokens: [] })],
    settings: { logo: { src: 'https://images.example/logo.png' } },
  })
  expect(await readTags(id)).toMatchObject({
    'og:image': expect.stringMatching(`^${world.url}/p/${id}/image/[0-9a-f]{24}$`),
    'twitter:card': 'summary',
  })
})

test('a page without a text and an image has no description and no picture', async () => {
  const tags = await readTags(await newPaywall([{ type: 'heading', text: 'title' }]))
  expect(tags).toMatchObject({ 'og:title': 'Do more' })
  for (const name of ['description', 'og:description', 'og:image', 'twitter:card'])
    expect(tags).not.toHaveProperty(name)
})

test.each(['/account', '/restore', '/account/ticket', '/thanks'])('search engines do not index %s', async (path) => {
  expect(await readTags(await newPaywall([]), path)).toEqual(expect.objectContaining({ robots: 'noindex' }))
})
