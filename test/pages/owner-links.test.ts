import { expect, test } from 'vitest'
import type { FileJson } from '../support/paywall-file.ts'
import { newTenant } from '../support/tenants.ts'
import { useTestWorld } from '../support/world.ts'

const world = useTestWorld()

const TERMS = 'https://acme.example/terms'
const PRIVACY = 'https://acme.example/privacy'
const IMPRINT = 'https://acme.example/imprint'
const HELP = 'https://acme.example/help'

/** The paragraphs of the owner's links on a page: each link as its address and text. */
async function readLinks(settings: FileJson, path: string): Promise<string[][]> {
  const tokens = { tokenization_queries: [{ type: 'standard' }] }
  const { paywall } = await newTenant(world, { settings: { ...tokens, ...settings } })
  const html = await (await world.fetch(`/p/${paywall.id}${path}`)).text()
  return [...html.matchAll(/<p class="links">(.*?)<\/p>/g)].map(([, links = '']) =>
    [...links.matchAll(/<a href="([^"]*)">([^<]*)<\/a>/g)].map(([, href, text]) => `${href} ${text}`),
  )
}

test('are in the footer of every page, and terms and privacy policy at the button that buys, in the visitor’s language', async () => {
  const settings = { links: { help: HELP, terms: TERMS, privacy: PRIVACY, imprint: IMPRINT } }
  const atButton = [`${TERMS} Terms of service`, `${PRIVACY} Privacy policy`]
  const inFooter = [...atButton, `${IMPRINT} Legal notice`, `${HELP} Help`]
  expect(await readLinks(settings, '')).toEqual([atButton, inFooter])
  for (const path of ['/account', '/restore', '/account/ticket', '/thanks']) {
    expect(await readLinks(settings, path), path).toEqual([inFooter])
  }
  const german = [`${TERMS} AGB`, `${PRIVACY} Datenschutzerklärung`, `${IMPRINT} Impressum`, `${HELP} Hilfe`]
  expect((await readLinks(settings, '/account?locale=de')).at(-1)).toEqual(german)
})

test('leave no gap if the paywall file has none, or not all', async () => {
  expect(await readLinks({}, '')).toEqual([])
  expect(await readLinks({ links: { help: HELP } }, '')).toEqual([[`${HELP} Help`]])
})
