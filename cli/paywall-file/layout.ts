// Checks the references in a paywall's layout: texts exist in every locale, prices are on sale, images may be shown.
import type * as z from 'zod'
import { publicUrlProblem } from '../../lib/http/public-url.ts'
import { Block, Logo, OwnOffer } from '../../lib/paywall/blocks.ts'
import type { Interval } from '../../lib/processors/processor.ts'
import { didYouMean } from '../did-you-mean.ts'
import { disjoint, issueAt } from './checks.ts'

/** The parts of a paywall that the check reads. Blocks, offers and the logo are not validated yet. */
interface ShownPaywall {
  test: boolean
  settings: { logo?: unknown }
  prices: { slug: string; interval?: string | null | undefined }[]
  offers: unknown[]
  layout: { blocks: unknown[] }
  locales: Record<string, Record<string, unknown>>
}

/** A referenced name and its path in the file. */
interface FieldPath {
  path: PropertyKey[]
  name: string
}

/** The parts of a paywall whose names buyers see. */
interface NamedPaywall extends Pick<ShownPaywall, 'locales'> {
  settings: { tokenization_queries: { type: string }[] }
  prices: { label: string; features: string[] }[]
  offers: Record<string, unknown>[]
}

type PricesBlock = Extract<Block, { type: 'prices' }>

const LOOPBACK = /^(localhost|.+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

/** Rejects references to missing texts, prices and images. Parts that are invalid by themselves are left to their schema. */
export function checkLayout(paywall: ShownPaywall, context: z.RefinementCtx): void {
  const { data: logo } = Logo.safeParse(paywall.settings.logo)
  if (logo) checkLogo(logo, paywall, context)
  for (const [index, written] of paywall.offers.entries()) {
    const { data: offer } = OwnOffer.safeParse(written)
    if (offer?.price) checkSlug({ path: ['offers', index, 'price'], name: offer.price }, paywall, context)
  }
  for (const [index, written] of paywall.layout.blocks.entries()) {
    const { data: block } = Block.safeParse(written)
    if (block) checkBlock(block, ['layout', 'blocks', index], paywall, context)
  }
}

function checkLogo({ src, alt }: z.output<typeof Logo>, paywall: ShownPaywall, context: z.RefinementCtx): void {
  checkImage({ path: ['settings', 'logo', 'src'], name: src }, paywall, context)
  if (alt !== undefined) checkText({ path: ['settings', 'logo', 'alt'], name: alt }, paywall, context)
}

function checkBlock(block: Block, path: PropertyKey[], paywall: ShownPaywall, context: z.RefinementCtx): void {
  const below = (place: FieldPath): FieldPath => ({ ...place, path: [...path, ...place.path] })
  for (const place of listTexts(block)) checkText(below(place), paywall, context)
  for (const place of listSlugs(block)) checkSlug(below(place), paywall, context)
  if (block.type === 'image') checkImage(below({ path: ['src'], name: block.src }), paywall, context)
  if (block.type === 'toggle') checkIntervals(block.intervals, [...path, 'intervals'], paywall, context)
  if (block.type === 'prices') checkOrder(block, path, context)
}

function listTexts(block: Block): FieldPath[] {
  const place = (name: string, ...path: PropertyKey[]): FieldPath => ({ name, path })
  switch (block.type) {
    case 'heading':
    case 'text':
    case 'note':
      return [place(block.text, 'text')]
    case 'button':
      return block.text === undefined ? [] : [place(block.text, 'text')]
    case 'image':
      return [place(block.alt, 'alt')]
    case 'features':
      return block.items.map((item, index) => place(item, 'items', index))
    case 'testimonial':
      return [place(block.quote, 'quote'), place(block.author, 'author')]
    case 'faq':
      return block.items.flatMap(({ question, answer }, index) => [
        place(question, 'items', index, 'question'),
        place(answer, 'items', index, 'answer'),
      ])
    default:
      return []
  }
}

function listSlugs(block: Block): FieldPath[] {
  if (block.type === 'button') return block.price === undefined ? [] : [{ path: ['price'], name: block.price }]
  if (block.type !== 'prices') return []
  const order = block.order?.map((name, index) => ({ path: ['order', index], name })) ?? []
  return block.highlight === undefined ? order : [...order, { path: ['highlight'], name: block.highlight }]
}

function checkText(
  { path, name }: FieldPath,
  { locales }: Pick<ShownPaywall, 'locales'>,
  context: z.RefinementCtx,
): void {
  const isText = (value: unknown) => typeof value === 'string'
  const lacking = Object.entries(locales).filter(([, texts]) => !isText(texts[name]))
  if (Object.keys(locales).length === 0) issueAt(context, path, `there are no locales, so there is no text ${name}`)
  if (lacking.length === 0) return
  const who = `${lacking.map(([locale]) => locale).join(', ')} ${lacking.length === 1 ? 'has' : 'have'}`
  const known = lacking.flatMap(([, texts]) => Object.keys(texts).filter((key) => isText(texts[key])))
  issueAt(context, path, `${who} no text ${name}${didYouMean(name, known)}`)
}

function checkSlug({ path, name }: FieldPath, { prices }: ShownPaywall, context: z.RefinementCtx): void {
  const slugs = prices.map(({ slug }) => slug)
  if (!slugs.includes(name)) issueAt(context, path, `there is no price ${name}${didYouMean(name, slugs)}`)
}

/** Rejects a name that only some locales have a text for: in the others the page would show the name itself. */
export function checkTranslations(paywall: NamedPaywall, context: z.RefinementCtx): void {
  const { settings, prices, offers, locales } = paywall
  const places: FieldPath[] = [
    ...settings.tokenization_queries.map(({ type }, index) => ({
      path: ['settings', 'tokenization_queries', index, 'type'],
      name: type,
    })),
    ...prices.flatMap(({ label, features }, index) => [
      { path: ['prices', index, 'label'], name: label },
      ...features.map((name, position) => ({ path: ['prices', index, 'features', position], name })),
    ]),
    ...offers.flatMap((offer, index) =>
      ['title', 'badge'].flatMap((field) => {
        const name = offer[field]
        return typeof name === 'string' ? [{ path: ['offers', index, field], name }] : []
      }),
    ),
  ]
  for (const place of places) {
    const isTranslated = Object.values(locales).some((texts) => typeof texts[place.name] === 'string')
    if (isTranslated) checkText(place, paywall, context)
  }
}

function checkImage({ path, name }: FieldPath, { test }: ShownPaywall, context: z.RefinementCtx): void {
  const problem = imageProblem(name, test)
  if (problem) issueAt(context, path, problem)
}

/** Why the paywall's site cannot show an image; null if it can. */
function imageProblem(src: string, isTest: boolean): string | null {
  const url = URL.parse(src)
  if (url && /\.svg$/i.test(url.pathname))
    return 'SVG is not supported because it may contain scripts: use JPEG, PNG or WebP'
  if (isTest && LOOPBACK.test(url?.hostname ?? '')) return null
  if (url?.protocol !== 'https:') return `must be an https URL${isTest ? ' or a localhost URL' : ''}`
  return publicUrlProblem(src, { allowLocal: false, ownHosts: [] })
}

function checkIntervals(
  intervals: Interval[],
  path: PropertyKey[],
  { prices }: ShownPaywall,
  context: z.RefinementCtx,
): void {
  disjoint([{ path, values: intervals }], context)
  for (const [index, interval] of intervals.entries()) {
    if (prices.some((price) => price.interval === interval)) continue
    issueAt(context, [...path, index], `no price has the interval ${interval}`)
  }
}

function checkOrder({ order, highlight }: PricesBlock, path: PropertyKey[], context: z.RefinementCtx): void {
  if (!order) return
  disjoint([{ path: [...path, 'order'], values: order }], context)
  if (highlight === undefined || order.includes(highlight)) return
  issueAt(context, [...path, 'highlight'], `${highlight} is not in order`)
}
