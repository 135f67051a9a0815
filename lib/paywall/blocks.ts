// The content of a paywall's site in the paywall file: `layout.blocks`, `settings.logo`, `settings.links` and `offers`.
import * as z from 'zod'
import { INTERVALS } from '../processors/processor.ts'

const textKey = z.string().min(1).max(200).describe('A text key: every locale must have a text of that name')
const slug = z.string().min(1).max(100).describe("A price's slug")
const pixels = z.int().min(1).max(10_000)

/** An image: the paywall's logo, or one on a page. */
const image = {
  src: z
    .url({ protocol: /^https?$/, error: 'must be an https URL' })
    .max(2048)
    .describe(
      'An https URL with a host name; on a test paywall also http on localhost. JPEG, PNG or WebP. The site serves ' +
        'it from its own origin',
    ),
  alt: textKey,
}

export const Logo = z
  .strictObject({ ...image, alt: textKey.optional().describe("A text key. Default: the paywall's name") })
  .describe("Shown at the top of the paywall's site")

const address = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .max(2048)
  .optional()

export const Links = z
  .strictObject({
    terms: address.describe('Your terms of service'),
    privacy: address.describe('Your privacy policy'),
    imprint: address.describe('Your legal notice'),
    help: address.describe('Your help pages'),
  })
  .describe("Linked in the footer of the paywall's site; terms and privacy policy also at the button that buys")

const NEEDS_DISCOUNT = 'needs a `discount`: an entry without one is served to everybody, unchanged'

/** A field of a discount offer that must not be served. */
const unpublished = z.never(NEEDS_DISCOUNT).optional()

/** An entry of `offers` that takes nothing off. Other fields are the owner's own. */
export const OwnOffer = z
  .looseObject({
    price: slug.optional().describe('The slug of the offered price'),
    show: z
      .string()
      .refine((place) => place !== 'code', NEEDS_DISCOUNT)
      .optional()
      .describe('`cancel`: shown to a subscriber who is about to cancel'),
    discount: z.never().optional(),
    code: unpublished,
    processorDiscount: unpublished,
  })
  .describe("The owner's own entry, served unchanged")

const standardBlock = z.discriminatedUnion('type', [
  z
    .strictObject({
      type: z.literal('heading'),
      text: textKey,
      level: z.literal([1, 2]).optional().describe('2 is smaller. Default 1'),
    })
    .describe('A heading'),
  z.strictObject({ type: z.literal('text'), text: textKey }).describe('A paragraph'),
  z
    .strictObject({
      type: z.literal('image'),
      ...image,
      width: pixels
        .optional()
        .describe('In pixels. With width and height the layout does not shift while the image loads'),
      height: pixels.optional().describe('In pixels'),
    })
    .describe('An image'),
  z.strictObject({ type: z.literal('features'), items: z.array(textKey).min(1) }).describe('A list of benefits'),
  z
    .strictObject({
      type: z.literal('prices'),
      order: z
        .array(slug)
        .min(1)
        .optional()
        .describe('The prices to show, in this order. Default: all prices of the file'),
      highlight: slug.optional().describe('The recommended price, selected initially'),
    })
    .describe('The prices, for the buyer to select one'),
  z
    .strictObject({
      type: z.literal('toggle'),
      intervals: z.array(z.enum(INTERVALS)).min(2).describe('The first one is selected initially'),
    })
    .describe(
      'Switches between the prices of these intervals. Prices of other intervals, and one-time prices, are always ' +
        'shown',
    ),
  z.strictObject({ type: z.literal('testimonial'), quote: textKey, author: textKey }).describe('A testimonial'),
  z
    .strictObject({
      type: z.literal('faq'),
      items: z.array(z.strictObject({ question: textKey, answer: textKey })).min(1),
    })
    .describe('Questions and answers'),
  z.strictObject({ type: z.literal('note'), text: textKey }).describe('Small print'),
  z
    .strictObject({
      type: z.literal('button'),
      text: textKey.optional().describe('A text key. Default: what the button does, such as “Start 7 days free”'),
      price: slug.optional().describe('The price to sell. Default: the price that the buyer has selected'),
    })
    .describe('Opens a checkout'),
])

const customBlock = z
  .looseObject({ type: z.templateLiteral(['x-', z.string().min(1)]) })
  .describe("The owner's own block: served as it is, and not rendered")

/** A block of a paywall's layout. */
export const Block = z.union([standardBlock, customBlock])

export type Block = z.output<typeof Block>
