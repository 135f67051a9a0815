import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { micromark } from 'micromark'

const DOCS = join(import.meta.dirname, '../../docs')

/** Where a link of the guide leads in the service. Other files of this repository are not served. */
const SERVED: Record<string, string> = { '../generated/openapi.json': '/docs/api' }

/** HTML of docs/guide.md, for the Worker docs: the table of its contents, and its text with the pictures in it. */
export function guideHtml(): string {
  const { text, chapters } = withAnchors(micromark(readFileSync(join(DOCS, 'guide.md'), 'utf8')))
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

/** In the page the colours of a picture are the page's. At a code host, where it is an image of its own, they are those of its style. */
const withPictures = (html: string) =>
  html.replace(/<p><img src="([^"]+)" alt="([^"]+)" \/><\/p>/g, (_, path: string, meaning: string) => {
    const picture = readFileSync(join(DOCS, path), 'utf8').replace(/ *<style>[\s\S]*<\/style>\n/, '')
    return `<figure tabindex="0">${picture.replace('<svg ', `<svg role="img" aria-label="${meaning}" `)}</figure>`
  })

const withLinks = (html: string) =>
  html.replace(/<a href="([^"]+)">(.*?)<\/a>/gs, (link: string, target: string, label: string) => {
    if (target.startsWith('https:')) return link
    return SERVED[target] === undefined ? label : `<a href="${SERVED[target]}">${label}</a>`
  })

/** What may be wider than a small screen can be scrolled with the keyboard, too. */
const scrollable = (html: string) => html.replaceAll('<pre>', '<pre tabindex="0">')
