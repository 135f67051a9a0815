import type { Block } from '../../../lib/paywall/blocks.ts'
import { ACCOUNT_PATH, PAYWALL_PATH } from '../contract.ts'
import { replaceableIds } from '../sale.ts'
import type { Site } from '../site.ts'
import { Blocks } from './blocks.tsx'
import { BuyButton, isSold } from './buy-button.tsx'
import { sitePage } from './layout.tsx'
import { Notice } from './notice.tsx'
import { type Choice, findChosen, Prices } from './prices.tsx'

interface Shown {
  /** The form's id, which makes a double submit idempotent. */
  key: string
  /** The interval that the visitor switched to. */
  interval?: string | undefined
  /** The id of the price that the visitor chose before. */
  chosen?: string | undefined
  /** Why no checkout was opened. */
  problem?: string | undefined
  /** A neutral message. */
  news?: string | undefined
}

/** The page that sells, laid out as the paywall's file describes it. */
export function paywallPage(site: Site, shown: Shown) {
  const { structure, texts, user } = site
  const { blocks } = structure.layout
  const choice = toChoice(site, blocks, shown)
  const title = findBlock(blocks, 'heading')
  const buttons = blocks.filter((block) => block.type === 'button')
  const findPrice = (named: string | undefined) => structure.prices.find(({ slug }) => slug === named)
  const introduction = findBlock(blocks, 'text')
  const image = findBlock(blocks, 'image')
  const { logo } = structure.settings
  // A layout without a prices block and without buttons that sell a price gets the prices added: a paywall has to sell something.
  const addsPrices = choice.hasCards && findBlock(blocks, 'prices') === undefined
  const addsButton = choice.hasCards && !buttons.some(({ price }) => !price)
  return sitePage(site, {
    title: title ? site.text(title.text) : structure.settings.name,
    isWide: true,
    sharing: {
      description: introduction && site.text(introduction.text),
      picture: image ? { src: image.src, isLogo: false } : logo && { src: logo.src, isLogo: true },
    },
    showsLocalPrices: choice.prices.some(({ local }) => local !== undefined),
    children: (
      <>
        {shown.problem && <Notice kind="problem" text={shown.problem} />}
        {shown.news && <Notice kind="news" text={shown.news} />}
        {user?.paid && (
          <Notice kind="good" text={texts.hasAccess} link={{ href: site.href(ACCOUNT_PATH), text: texts.account }} />
        )}
        <form class="stack" method="post" action={site.href(PAYWALL_PATH)}>
          <input type="hidden" name="key" value={shown.key} />
          <input type="hidden" name="ends" value={replaceableIds(site)} />
          {!blocks.some(isTitle) && <h1>{structure.settings.name}</h1>}
          <Blocks site={site} blocks={blocks} title={blocks.find(isTitle)} choice={choice} />
          {addsPrices && <Prices site={site} choice={choice} />}
          {addsButton && (
            <BuyButton
              site={site}
              choice={choice}
              hasCode={!buttons.some(({ price }) => isSold(site, choice, findPrice(price)))}
            />
          )}
        </form>
      </>
    ),
  })
}

const isTitle = (block: Block) => block.type === 'heading' && block.level !== 2

/** The first block of a type. */
function findBlock<Type extends Block['type']>(blocks: Block[], type: Type) {
  return blocks.find((block): block is Extract<Block, { type: Type }> => block.type === type)
}

function toChoice(site: Site, blocks: Block[], { interval: wanted, chosen }: Shown): Choice {
  const all = site.structure.prices
  const { order, highlight } = findBlock(blocks, 'prices') ?? {}
  const intervals = findBlock(blocks, 'toggle')?.intervals ?? []
  const ofChosen = all.find(({ id }) => id === chosen)?.interval
  const choice = {
    prices: order?.flatMap((slug) => all.find((price) => price.slug === slug) ?? []) ?? all,
    highlight,
    intervals,
    hasCards:
      findBlock(blocks, 'prices') !== undefined || !blocks.some((block) => block.type === 'button' && block.price),
    interval: intervals.find((each) => each === (wanted ?? ofChosen)) ?? intervals[0],
  }
  return { ...choice, chosen: findChosen(site, choice, chosen) }
}
