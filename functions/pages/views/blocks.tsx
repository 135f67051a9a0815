import type { Block } from '../../../lib/paywall/blocks.ts'
import type { Site } from '../site.ts'
import { BuyButton, isSold } from './buy-button.tsx'
import { type Choice, Prices, Toggle } from './prices.tsx'

/** A page's blocks and the state that they share. */
export interface BlocksProps {
  site: Site
  blocks: Block[]
  /** The heading of the page as a whole. */
  title: Block | undefined
  choice: Choice
}

export function Blocks({ site, blocks, title, choice }: BlocksProps) {
  /** A price without a card has its field at its first button. */
  const asksForUnits = (block: Block) => {
    const price = block.type === 'button' && soldBy(site, block)
    if (!price || (choice.hasCards && choice.prices.includes(price))) return false
    return block === blocks.find((each) => each.type === 'button' && each.price === price.slug)
  }
  const firstButton = blocks.find((block) => block.type === 'button' && isSold(site, choice, soldBy(site, block)))
  return (
    <>
      {blocks.map((block) => (
        <BlockView
          site={site}
          block={block}
          isTitle={block === title}
          hasUnits={asksForUnits(block)}
          hasCode={block === firstButton}
          choice={choice}
        />
      ))}
    </>
  )
}

interface BlockProps {
  site: Site
  block: Block
  isTitle: boolean
  /** Whether it is the button with the field for the number of units of its price. */
  hasUnits: boolean
  /** Whether it is the first button that buys: below it is the field for a code. */
  hasCode: boolean
  choice: Choice
}

/** The price that a button sells by itself. */
const soldBy = ({ structure }: Site, block: Extract<Block, { type: 'button' }>) =>
  structure.prices.find(({ slug }) => slug === block.price)

/** Renders a block, or nothing for an owner's own type. */
function BlockView({ site, block, isTitle, hasUnits, hasCode, choice }: BlockProps) {
  switch (block.type) {
    case 'heading':
      return isTitle ? <h1>{site.text(block.text)}</h1> : <h2>{site.text(block.text)}</h2>
    case 'text':
      return <p class="text">{site.text(block.text)}</p>
    case 'image':
      return <Picture site={site} block={block} />
    case 'features':
      return (
        <ul class="features">
          {block.items.map((key) => (
            <li>{site.text(key)}</li>
          ))}
        </ul>
      )
    case 'prices':
      return <Prices site={site} choice={choice} />
    case 'toggle':
      return <Toggle site={site} choice={choice} />
    case 'testimonial':
      return (
        <figure class="testimonial">
          <blockquote>{site.text(block.quote)}</blockquote>
          <figcaption>{site.text(block.author)}</figcaption>
        </figure>
      )
    case 'faq':
      return <Questions site={site} items={block.items} />
    case 'note':
      return <p class="note">{site.text(block.text)}</p>
    case 'button':
      return (
        <BuyButton
          site={site}
          choice={choice}
          text={block.text === undefined ? undefined : site.text(block.text)}
          price={soldBy(site, block)}
          hasUnits={hasUnits}
          hasCode={hasCode}
        />
      )
    default:
      return null
  }
}

function Picture({ site, block }: { site: Site; block: Extract<Block, { type: 'image' }> }) {
  const { src, alt, width, height } = block
  return <img class="picture" src={site.image(src)} alt={site.text(alt)} width={width} height={height} loading="lazy" />
}

function Questions({ site, items }: { site: Site; items: { question: string; answer: string }[] }) {
  return (
    <div class="faq">
      {items.map(({ question, answer }) => (
        <details>
          <summary>{site.text(question)}</summary>
          <p>{site.text(answer)}</p>
        </details>
      ))}
    </div>
  )
}
