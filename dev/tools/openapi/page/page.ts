import { escapeHtml } from '../../../world/pages/escape-html.ts'
import { Document, type Schema } from '../view.ts'
import { operationArticle } from './article.ts'
import { fieldsTable, typeOf } from './fields.ts'
import { inline, prose } from './prose.ts'
import { STYLE } from './style.ts'

/** Explains the variables in the examples. */
const EXAMPLES =
  "In the examples `$API` is the host that serves this page, `$API_KEY` an owner's key and `$ACCESS_TOKEN` a user's token."

/** The API's document as a web page: one file, without scripts. */
export function documentPage(json: string): string {
  const document = Document.parse(JSON.parse(json))
  const { info, tags } = document
  const chapters = tags.map((tag) => ({ ...tag, anchor: tag.name.toLowerCase(), parts: partsOf(tag.name, document) }))
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(info.title)}</title>
<style>${STYLE}</style>
<a class="skip" href="#text">Skip the list</a>
<nav aria-label="Contents">
<h1>${escapeHtml(info.title)}</h1>
${chapters.map(({ name, anchor, parts }) => `<a href="#${anchor}"><b>${name}</b></a>${links(parts)}`).join('\n')}
<a href="#schemas"><b>Schemas</b></a>
<a href="/openapi.json">openapi.json</a>
</nav>
<main id="text">
${prose(info.description)}
${prose(EXAMPLES)}
${chapters.map(chapter).join('\n')}
<section id="schemas">
<h2>Schemas</h2>
${schemasOf(document)}
</section>
</main>
</html>
`
}

interface Part {
  id: string
  label: string
  html: string
}

interface Chapter {
  name: string
  anchor: string
  description: string
  parts: Part[]
}

const links = (parts: Part[]) => parts.map(({ id, label }) => `<a href="#${id}">${escapeHtml(label)}</a>`).join('')

const chapter = ({ name, anchor, description, parts }: Chapter) => `<section id="${anchor}">
<h2>${name}</h2>
${prose(description)}
${parts.map(({ html }) => html).join('\n')}
</section>`

function partsOf(tag: string, document: Document): Part[] {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const events = Object.entries(document.webhooks).flatMap(([type, { post }]) => (post ? [{ type, ...post }] : []))
  return [
    ...operations
      .filter(({ operation }) => operation.tags[0] === tag)
      .map(({ path, method, operation }) => ({
        id: operation.operationId,
        label: operation.summary,
        html: operationArticle(method, path, operation, document),
      })),
    ...events
      .filter(({ tags }) => tags[0] === tag)
      .map(({ type, operationId, summary, requestBody }) => ({
        id: operationId,
        label: type,
        html: event(operationId, type, summary, requestBody?.content['application/json']?.schema ?? {}),
      })),
  ]
}

const event = (id: string, type: string, summary: string, body: Schema) =>
  `<p class="event" id="${id}"><code>${type}</code> ${inline(summary)}. <small>${typeOf(body)}</small></p>`

/** The schemas that other schemas refer to, and the events. Bodies and answers are shown with their operation. */
function schemasOf({ components: { schemas } }: Document): string {
  const named = new Set([...JSON.stringify(schemas).matchAll(/#\/components\/schemas\/(\w+)/g)].map(([, name]) => name))
  return Object.entries(schemas)
    .filter(([name]) => named.has(name) || name.endsWith('Event'))
    .map(([name, schema]) => {
      const about = schema.description ? prose(schema.description) : ''
      return `<article id="${name}"><h3>${name}</h3>${about}${fieldsTable(schema, schemas)}</article>`
    })
    .join('\n')
}
