// What home's long lists have in common: each shows a page of what it has, and some look for what a person types. The address says
// which page and what: `?users=ann&users-page=2`.
import { html } from 'hono/html'
import type { Html } from '../../emulators/core/pages/layout.ts'

/** How many entries a list shows at once. */
export const PAGE_SIZE = 30

/** A page of a list, from 1 on, the latest entries first. */
export interface ListPage {
  number: number
  /** How many entries stand on the pages before it. */
  offset: number
  hasOlder: boolean
}

/** The page that an address asks for of a list with `total` entries; the last one where it asks for more than there are. */
export function listPage(query: URLSearchParams, list: string, total: number): ListPage {
  const last = Math.max(1, Math.ceil(total / PAGE_SIZE))
  const number = Math.min(pageNumber(query, list), last)
  return { number, offset: (number - 1) * PAGE_SIZE, hasOlder: number < last }
}

/** The number of the page that an address asks for; 1 where it asks for none that can be. */
export function pageNumber(query: URLSearchParams, list: string): number {
  const number = Number(query.get(`${list}-page`))
  return Number.isSafeInteger(number) && number > 0 ? number : 1
}

/** How many entries a list has, for its heading: `5,021`, or `3 of 5,021`. */
export const countWords = (found: number, all = found) =>
  [...new Set([found, all])].map((count) => count.toLocaleString('en')).join(' of ')

/** Links to the pages beside that which is shown; nothing where all fits on one. */
export function pager(query: URLSearchParams, list: string, { number, hasOlder }: Omit<ListPage, 'offset'>): Html | '' {
  if (number === 1 && !hasOlder) return ''
  return html`<nav class="pages" aria-label="Pages of ${list}">
      ${number > 1 ? link(query, list, number - 1, 'Newer') : ''}
      <span>Page ${number}</span>
      ${hasOlder ? link(query, list, number + 1, 'Older') : ''}
    </nav>`
}

function link(query: URLSearchParams, list: string, number: number, label: string): Html {
  const address = new URLSearchParams(query)
  address.set(`${list}-page`, String(number))
  return html`<a href="?${address.toString()}#${list}">${label}</a>`
}

/** A form that looks for what a person types in a field, and leaves the other lists as they are. */
export function searchForm(query: URLSearchParams, list: string, label: string): Html {
  return html`<form method="get" action="/#${list}" class="filter">
      ${otherFields(query, [list, `${list}-page`])}
      <label>${label} <input name="${list}" type="search" value="${query.get(list) ?? ''}" data-keep></label>
      <button>Find</button>
    </form>`
}

/** What an address says besides the fields that a form has of its own. */
export const otherFields = (query: URLSearchParams, own: string[]) =>
  [...query].flatMap(([name, value]) =>
    own.includes(name) ? [] : html`<input type="hidden" name="${name}" value="${value}">`,
  )
