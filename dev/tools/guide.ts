import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { micromark } from 'micromark'

const DOCS = join(import.meta.dirname, '../../docs')

const readGuide = () => readFileSync(join(DOCS, 'guide.md'), 'utf8')

const REFERENCE = '../generated/openapi.json'

/** docs/guide.md as HTML for the Worker docs: a table of contents, and the text with inlined pictures. */
export function guideHtml(): string {
  const { text, chapters } = withAnchors(micromark(readGuide()))
  const contents = chapters.map(({ id, heading }) => `<li><a href="#${id}">${heading}</a></li>`)
  return `<nav class="contents" aria-label="Contents"><ol>
${contents.join('\n')}
</ol></nav>
<main id="text">
${scrollable(withLinks(withPictures(text)))}
</main>
`
}

function withAnchors(html: string): { text: string; chapters: { id: string; heading: string }[] } {
  const chapters: { id: string; heading: string }[] = []
  const text = html.replace(/<h2>(.*)<\/h2>/g, (_, heading: string) => {
    const id = heading.toLowerCase().replaceAll(' ', '-')
    chapters.push({ id, heading })
    return `<h2 id="${id}">${heading}</h2>`
  })
  return { text, chapters }
}

/** Inlines pictures without their own style, so that they have the page's colours. Their style is for code hosts, which show them as images. */
const withPictures = (html: string) =>
  html.replace(/<p><img src="([^"]+)" alt="([^"]+)" \/><\/p>/g, (_, path: string, meaning: string) => {
    const picture = readFileSync(join(DOCS, path), 'utf8').replace(/ *<style>[\s\S]*<\/style>\n/, '')
    return `<figure tabindex="0">${picture.replace('<svg ', `<svg role="img" aria-label="${meaning}" `)}</figure>`
  })

/** docs/guide.md for programs: pictures become their descriptions, and the reference is the OpenAPI document. */
export const guideMarkdown = (): string =>
  readGuide()
    .replace(/!\[([^\]]+)\]\([^)]+\)/g, '$1')
    .replace(/\[([^\]]+)\]\(([^)]+)\)/g, (link: string, label: string, target: string) => {
      if (isServed(target)) return link
      return target === REFERENCE ? `[${label}](/openapi.json)` : label
    })

/** Whether a link leads elsewhere, or within the guide. Links to files that the service does not serve become text. */
const isServed = (target: string) => /^(https:|#)/.test(target)

const withLinks = (html: string) =>
  html.replace(/<a href="([^"]+)">(.*?)<\/a>/gs, (link: string, target: string, label: string) => {
    if (isServed(target)) return link
    return target === REFERENCE ? `<a href="/docs/api">${label}</a>` : label
  })

/** Makes wide blocks scrollable with the keyboard. */
const scrollable = (html: string) => html.replaceAll('<pre>', '<pre tabindex="0">')
