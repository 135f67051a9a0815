import { escapeHtml } from '../../../world/pages/escape-html.ts'
import { type Document, type Operation, type Parameter, resolve } from '../view.ts'
import { fieldsTable, table, typeOf } from './fields.ts'
import { inline, prose } from './prose.ts'
import { curlSample } from './sample.ts'

const ACCESS: Record<string, string> = { OwnerKey: 'owner key', UserToken: 'user token' }

/** The part of the page about one operation. */
export function operationArticle(method: string, path: string, operation: Operation, document: Document): string {
  const access = operation.security.flatMap((each) => Object.keys(each).map((scheme) => ACCESS[scheme] ?? scheme))
  const open = operation.security.some((each) => Object.keys(each).length === 0)
  return `<article id="${operation.operationId}">
<h3>${escapeHtml(operation.summary)}</h3>
<p class="call"><b>${method.toUpperCase()}</b> <code>${escapeHtml(path)}</code>
${[...access, ...(open ? ['anybody'] : [])].map((name) => `<small class="who">${name}</small>`).join(' ')}</p>
${prose(operation.description)}
${parametersOf(operation, document)}
${bodiesOf(operation, document)}
${answersOf(operation, document)}
<h4>Example</h4>
<pre>${escapeHtml(curlSample(method, path, operation, document))}</pre>
${exampleOf(operation)}
</article>`
}

function parametersOf({ parameters }: Operation, { components }: Document): string {
  const rows = parameters
    .map((each) => resolve<Parameter>(each, components.parameters))
    .map(({ name, in: place, required, description, schema }) => [
      `<code>${name}</code> <small>${place}${required ? '' : ', optional'}</small>`,
      typeOf(schema),
      inline(description),
    ])
  return rows.length > 0 ? `<h4>Parameters</h4>${table(rows)}` : ''
}

function bodiesOf({ requestBody }: Operation, { components }: Document): string {
  if (!requestBody) return ''
  return Object.entries(requestBody.content)
    .map(([type, { schema }]) => `<h4>Body <small>${type}</small></h4>${fieldsTable(schema, components.schemas)}`)
    .join('\n')
}

function answersOf({ responses }: Operation, { components }: Document): string {
  const answers = Object.entries(responses).map(([status, each]) => ({
    status,
    ...resolve(each, components.responses),
  }))
  const good = answers.filter(({ status }) => status < '400')
  const bad = answers.filter(({ status }) => status >= '400')
  const fields = good.flatMap(({ content }) => Object.values(content ?? {}))
  return `<h4>Answer</h4>
${good.map(({ status, description }) => `<p><b>${status}</b> ${inline(description)}</p>`).join('\n')}
${fields.map(({ schema }) => fieldsTable(schema, components.schemas)).join('\n')}
<h4>Errors</h4>
<table><tr><th scope="col">Status<th scope="col">What it says${bad.map(({ status, description }) => `<tr><td><b>${status}</b><td>${prose(description)}`).join('\n')}</table>`
}

function exampleOf({ responses }: Operation): string {
  const examples = Object.values(responses).flatMap((each) =>
    'content' in each ? Object.values(each.content ?? {}).map(({ example }) => example) : [],
  )
  return examples
    .filter((example) => example !== undefined)
    .map((example) => `<pre>${escapeHtml(JSON.stringify(example, null, 2))}</pre>`)
    .join('\n')
}
